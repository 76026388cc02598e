import type { TaskRowState } from "../../trace/task-events.ts";
import type { Tone } from "./lane.ts";

/** What happens to a record at its broker. */
export type RecordKind =
  | "published"
  | "delivered"
  | "settled"
  | "settle"
  | "dead-lettered"
  | "dead-letter-dropped"
  | "lapsed"
  | "expired";

/** In which tone a lane marks it. */
export const RECORD_TONES: Readonly<Record<RecordKind, Tone>> = {
  published: "plain",
  delivered: "first",
  settle: "second",
  settled: "good",
  "dead-lettered": "warn",
  "dead-letter-dropped": "crash",
  lapsed: "warn",
  expired: "crash",
};

/** In which tone a lane shows the state of a task. */
export const STATE_TONES: Readonly<Record<TaskRowState, Tone>> = {
  scheduled: "quiet",
  queued: "quiet",
  running: "second",
  up_for_retry: "wait",
  up_for_reschedule: "wait",
  deferred: "wait",
  checkpointed: "wait",
  success: "good",
  failed: "crash",
};
