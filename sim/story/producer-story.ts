import type { AdvancedItem, TraceEvent } from "../trace/trace.ts";
import { castFrom } from "./cast.ts";
import { type StoryEnd, storyOf, WEIGHT_MAX } from "./story.ts";

/** Returns the events that led to a violation of a promise about a producer, a line each. */
export function producerStory(trace: readonly TraceEvent[], end: StoryEnd): readonly string[] {
  const { ref } = end;
  const { refs } = castFrom(trace, ref);
  const isOf = (items: readonly AdvancedItem[]): boolean =>
    items.some(([copy]) => ref !== undefined && refs.get(copy) === ref);
  const isIts = (event: { readonly ref?: string | undefined }): boolean =>
    ref !== undefined && event.ref === ref;
  const closed = new Set(trace.flatMap((one) => (one.kind === "aclosed" ? [one.poll] : [])));
  return storyOf(trace, end, weightOf, "subscriber");

  function weightOf(event: TraceEvent): number | undefined {
    switch (event.kind) {
      case "published":
      case "garbled":
      case "copied":
        return isIts(event) ? 3 : 0;
      case "emit":
        return isIts(event) ? 3 : 1;
      case "advance":
        return isOf(event.items) ? WEIGHT_MAX : 2;
      case "settle":
        // Renewals come by the dozen, and each says the same.
        if (event.act === "extend") return isIts(event) ? 2 : 1;
        return isIts(event) ? WEIGHT_MAX : 2;
      case "settled":
        return isIts(event) ? WEIGHT_MAX : undefined;
      case "dead-lettered":
      case "on-leader-alone":
      case "dead-letter-dropped":
      case "expired":
      case "lapsed":
        return isIts(event) ? WEIGHT_MAX : 1;
      case "aclose":
        // One that does not end is often the story.
        return closed.has(event.poll) ? 1 : 3;
      case "aclosed":
        return 1;
      case "host":
        return event.state === "start" ? undefined : 3;
      case "disturbed":
      case "fault":
      case "link":
      case "force-failed":
      case "factory-failed":
      case "producer-error":
        return 3;
      default:
        return undefined;
    }
  }
}
