import type { TraceEvent } from "../trace/trace.ts";
import { type StoryEnd, storyOf, WEIGHT_MAX } from "./story.ts";

/**
 * Returns the events that led to a violation of a promise about shared streams, a line each.
 *
 * Shape: what happened to the record that the violation is about, with the faults and crashes
 * between; without a record, what happened to polls and groups.
 */
export function streamStory(trace: readonly TraceEvent[], end: StoryEnd): readonly string[] {
  const { ref } = end;
  const select = ref === undefined ? selectGroups : selectRecord(trace, ref);
  return storyOf(trace, end, (event) => (select(event) ? WEIGHT_MAX : undefined));
}

/** What happened to polls and groups. */
function selectGroups(event: TraceEvent): boolean {
  switch (event.kind) {
    case "fault":
    case "host":
    case "open":
    case "poll-ended":
    case "lane-failed":
    case "group-failed":
    case "manager-threw":
    case "force-failed":
    case "aclose":
    case "stop-all":
    case "groups":
      return true;
    case "advanced":
      return !event.ok;
    default:
      return false;
  }
}

/** Selects what happened to one record: to its copies, and to who held them. */
function selectRecord(trace: readonly TraceEvent[], ref: string): (event: TraceEvent) => boolean {
  const record = recordFrom(trace, ref);
  /** The subscriptions that hold a copy now. */
  const holding = new Set<number>();
  return (event) => {
    switch (event.kind) {
      case "emit":
      case "fan-out":
        return record.copies.has(event.copy);
      case "advance":
        return event.items.some(([copy]) => record.copies.has(copy));
      case "deliver":
        if (!record.copies.has(event.copy)) return false;
        holding.add(event.sub);
        return true;
      case "pull":
        return holding.delete(event.sub);
      case "reject":
      case "yield":
      case "bind":
      case "late-reject":
      case "visit-threw":
        return holding.has(event.sub);
      case "unsubscribe":
      case "stream-error":
        return record.subscriptions.has(event.sub);
      case "settled":
      case "published":
      case "dead-lettered":
      case "fired-alone":
        return event.ref === ref;
      case "persisted":
        return record.triggerEvents.has(event.event);
      case "confirm":
        return event.at >= record.from && event.seqs.some((seq) => record.seqs.has(seq));
      default:
        return event.at >= record.from && isUpheaval(event);
    }
  };
}

function isUpheaval(event: TraceEvent): boolean {
  if (event.kind === "host") return event.state !== "start";
  return ["fault", "link", "poll-ended", "stop-all"].includes(event.kind);
}

/** What belongs to one record in a run. */
interface RecordParts {
  readonly copies: ReadonlySet<number>;
  /** Who got a copy. */
  readonly subscriptions: ReadonlySet<number>;
  readonly seqs: ReadonlySet<number>;
  readonly triggerEvents: ReadonlySet<number>;
  /** When a stream yielded it first. */
  readonly from: number;
}

function recordFrom(trace: readonly TraceEvent[], ref: string): RecordParts {
  const copies = new Set<number>();
  const subscriptions = new Set<number>();
  const seqs = new Set<number>();
  const triggerEvents = new Set<number>();
  const holding = new Set<number>();
  let from = Infinity;
  for (const event of trace) {
    if (event.kind === "emit" && event.ref === ref) {
      copies.add(event.copy);
      from = Math.min(from, event.at);
    }
    if (event.kind === "pull") holding.delete(event.sub);
    if (event.kind === "deliver" && copies.has(event.copy)) {
      holding.add(event.sub);
      subscriptions.add(event.sub);
    }
    if (event.kind === "yield" && holding.has(event.sub)) triggerEvents.add(event.event);
    if (event.kind === "bind" && holding.has(event.sub) && event.seq !== null) seqs.add(event.seq);
  }
  return { copies, subscriptions, seqs, triggerEvents, from };
}
