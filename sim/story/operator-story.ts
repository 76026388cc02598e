import type { TraceEvent } from "../trace/trace.ts";
import { type StoryEnd, storyOf, WEIGHT_MAX } from "./story.ts";

/** Returns the events that led to a violation of a promise about an operator, a line each. */
export function operatorStory(trace: readonly TraceEvent[], end: StoryEnd): readonly string[] {
  const { ref: task } = end;
  return storyOf(trace, end, (event) => {
    switch (event.kind) {
      case "attempt":
      case "attempt-ended":
      case "kill":
      case "user-cleared":
      case "user-stopped":
      case "fault":
        return WEIGHT_MAX;
      case "host":
        return event.state === "crash" ? WEIGHT_MAX : undefined;
      case "task-state":
        return event.state === "success" || event.state === "failed" ? WEIGHT_MAX : undefined;
      case "job-accepted":
      case "job-rejected":
        return event.task === task ? WEIGHT_MAX : 2;
      case "job-deduplicated":
      case "state-set":
      case "job-finished":
      case "job-cancel-asked":
      case "job-cancelled":
      case "job-forgotten":
        return 3;
      case "job-result":
        return event.by === task ? 3 : undefined;
      case "job-status":
        return event.by === task ? 1 : undefined;
      default:
        return undefined;
    }
  });
}
