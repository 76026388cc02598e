import { readFileSync } from "node:fs";
import { PackedTrace, packTrace } from "../../sim/page/packed-trace.ts";
import type { RunReport } from "../../sim/run/run-report.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";

/** A run of Airflow's own algorithm that breaks I1. */
export const ABORTED: string = `{
  story: The broker's client aborts a call of its own,
  world: triggerer,
  profile: airflow-3.3,
  streams: [{
    name: orders, partitions: 2, triggers: 3, publishEvery: 600ms,
    advanceThrows: { nth: 5, error: AbortError },
  }],
  phases: { liveness: 120s },
}`;

/** The same with faultlane's own manager, which holds. */
export const OURS: string = ABORTED.replace("profile: airflow-3.3,", "");

/** A run in which a host crashes, pauses and is cut off. */
export const FAULTS = `{
  story: A host crashes and pauses and is cut off,
  world: triggerer,
  streams: [{ name: orders, partitions: 2, triggers: 2, publishEvery: 500ms }],
  faults: [
    { at: 5s, crash: runner-1, restartAfter: 2s },
    { at: 20s, pause: runner-1, for: 4s },
    { at: 30s, cut: [runner-1, broker], for: 3s },
  ],
  phases: { safety: 40s },
}`;

/** A task whose worker dies between the submission of its job and the commit of its id. */
export const WINDOW = readFileSync(
  new URL("../../scenarios/resumable/crash-in-the-window.yaml", import.meta.url),
  "utf8",
);

export function runOf(text: string, seed = 1): Promise<RunReport> {
  return simulate(parseScenario(text, "run"), { seed });
}

export function packed(events: readonly TraceEvent[]): PackedTrace {
  return new PackedTrace(packTrace(events));
}
