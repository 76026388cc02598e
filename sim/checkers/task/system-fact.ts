import type { TraceEvent } from "../../trace/trace.ts";

/** What the job system said of itself when it started. */
export type SystemFact = Omit<Extract<TraceEvent, { kind: "job-system" }>, "kind" | "at" | "host">;

/** A system that has said nothing. */
export const UNKNOWN_SYSTEM: SystemFact = {
  idempotency: "none",
  knowsEnded: false,
  deletesEnded: false,
  unmapped: [],
};
