import type { TraceEvent } from "../trace/trace.ts";
import { runStoryOf, type StoryEnd, storyOf, WEIGHT_MAX } from "./story.ts";

/** Returns the events that led to a violation of a promise about tasks, a line each. */
export function taskStory(trace: readonly TraceEvent[], end: StoryEnd): readonly string[] {
  const { ref } = end;
  const isOfTask = selectTask(trace, ref);
  return storyOf(trace, end, (event) =>
    isOfTask(event) && isTold(event) ? WEIGHT_MAX : undefined,
  );
}

/** Returns a whole run of tasks, a line each event. */
export function taskRunStory(trace: readonly TraceEvent[]): readonly string[] {
  return runStoryOf(trace, (event) => (isTold(event) ? WEIGHT_MAX : undefined));
}

/** Selects what happens to one task instance, its attempts and its jobs; without one, to all. */
function selectTask(
  trace: readonly TraceEvent[],
  task: string | undefined,
): (event: TraceEvent) => boolean {
  const attempts = new Set<number>();
  const jobs = new Set<number>();
  const hosts = new Set<string>();
  for (const event of trace) {
    if (event.kind === "attempt" && (task === undefined || event.task === task)) {
      attempts.add(event.attempt);
      hosts.add(event.host);
    }
    if (event.kind === "job-accepted" && (task === undefined || event.task === task)) {
      jobs.add(event.job);
    }
  }
  return (event) => {
    if (event.kind === "host") return hosts.has(event.host);
    if ("task" in event && task !== undefined) return event.task === task;
    if ("attempt" in event && event.attempt > 0) return attempts.has(event.attempt);
    if ("job" in event) return jobs.has(event.job);
    return true;
  };
}

function isTold(event: TraceEvent): boolean {
  switch (event.kind) {
    case "host":
      return event.state === "crash";
    case "task-state":
      return ["success", "failed", "deferred"].includes(event.state);
    case "fault":
    case "attempt":
    case "attempt-ended":
    case "kill":
    case "declared-dead":
    case "refused":
    case "user-cleared":
    case "user-rewound":
    case "run-triggered":
    case "user-stopped":
    case "state-set":
    case "state-swept":
    case "state-deleted":
    case "state-cleared":
    case "asset-undeclared":
    case "reads-lag":
    case "commits-lost":
    case "schema-changed":
    case "job-accepted":
    case "job-finished":
    case "job-cancel-asked":
    case "job-cancelled":
    case "job-forgotten":
    case "page-loaded":
    case "rows-loaded":
      return true;
    default:
      return false;
  }
}
