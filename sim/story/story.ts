import type { Violation } from "../checkers/mod.ts";
import type { TraceEvent } from "../trace/trace.ts";
import { taskWordsOf } from "./task-story.ts";

/** How many lines a story has; what lies between its beginning and its end is left out. */
const LINES_MAX = 14;
const LINES_AT_START = 4;

/** Virtual time as people read it: "12.345 s". */
export function timeText(ms: number): string {
  const seconds = Math.trunc(ms / 1_000);
  return `${seconds}.${String(ms % 1_000).padStart(3, "0")} s`;
}

/**
 * The events that led to a violation of a promise about shared streams, a line each.
 *
 * Shape: what happened to the record that the violation is about, with the faults and crashes
 * between; without a record, what happened to polls and groups.
 */
export function streamStory(trace: readonly TraceEvent[], violation: Violation): readonly string[] {
  const cast = castOf(trace, violation);
  const words = violation.ref === undefined ? groupWords : wordsFrom;
  return linesUntil(violation, trace, (event) => words(event, cast));
}

/** The events that led to a violation of a promise about tasks, a line each. */
export function taskStory(trace: readonly TraceEvent[], violation: Violation): readonly string[] {
  return linesUntil(violation, trace, taskWordsOf(trace, violation));
}

/** A whole run of tasks, a line each event. */
export function taskRunStory(trace: readonly TraceEvent[]): readonly string[] {
  return linesFrom(trace, taskWordsOf(trace, { ref: undefined }));
}

function linesUntil(
  { at: end }: Violation,
  trace: readonly TraceEvent[],
  words: (event: TraceEvent) => string | undefined,
): readonly string[] {
  return linesFrom(
    trace.filter(({ at }) => at <= end),
    words,
  );
}

function linesFrom(
  trace: readonly TraceEvent[],
  tell: (event: TraceEvent) => string | undefined,
): readonly string[] {
  const lines: string[] = [];
  for (const event of trace) {
    const words = tell(event);
    if (words !== undefined) lines.push(`${timeText(event.at).padStart(12)}  ${words}`);
  }
  if (lines.length <= LINES_MAX) return lines;
  const left = lines.length - LINES_MAX;
  const gap = `${"".padStart(12)}  (${left} more)`;
  return [...lines.slice(0, LINES_AT_START), gap, ...lines.slice(LINES_AT_START - LINES_MAX)];
}

/** Who plays in a story: the copies of the record, who got them, what was derived. */
interface Cast {
  readonly copies: ReadonlyMap<number, string>;
  readonly subs: ReadonlyMap<number, number>;
  readonly seqs: ReadonlySet<number>;
  readonly events: ReadonlySet<number>;
  readonly sitting: Map<number, number>;
  readonly from: number;
}

function castOf(trace: readonly TraceEvent[], { ref, at }: Violation): Cast {
  const copies = new Map<number, string>();
  const subs = new Map<number, number>();
  const triggers = new Map<number, number>();
  const seqs = new Set<number>();
  const events = new Set<number>();
  const open = new Map<number, number>();
  let from = at;
  for (const event of trace) {
    if (event.at > at) break;
    if (event.kind === "subscribe") triggers.set(event.sub, event.trigger);
    if (event.kind === "emit" && event.ref === ref) {
      copies.set(event.copy, event.ref);
      from = Math.min(from, event.at);
    }
    if (event.kind === "pull") open.delete(event.sub);
    if (event.kind === "deliver" && copies.has(event.copy)) {
      open.set(event.sub, event.copy);
      subs.set(event.sub, triggers.get(event.sub) ?? 0);
    }
    if (event.kind === "yield" && open.has(event.sub)) events.add(event.event);
    if (event.kind === "bind" && open.has(event.sub) && event.seq !== null) seqs.add(event.seq);
  }
  return { copies, subs, seqs, events, sitting: new Map(), from };
}

function wordsFrom(event: TraceEvent, cast: Cast): string | undefined {
  switch (event.kind) {
    case "fault":
      return event.at < cast.from ? undefined : `fault at ${event.site}: ${event.verdict}`;
    case "host":
      return event.at < cast.from || event.state === "start"
        ? undefined
        : `${event.host}: ${event.state}`;
    case "link":
      return event.at < cast.from ? undefined : `link ${event.host} to ${event.to} ${event.state}`;
    case "emit":
    case "fan-out":
    case "advance":
    case "deliver":
      return copyWords(event, cast);
    case "settled":
    case "published":
    case "dead-lettered":
      return [...cast.copies.values()].includes(event.ref)
        ? `${event.ref} ${event.kind}`
        : undefined;
    case "persisted":
      return cast.events.has(event.event) ? `trigger event ${event.event} persisted` : undefined;
    case "confirm":
      return event.at >= cast.from && event.seqs.some((seq) => cast.seqs.has(seq))
        ? `confirmed: seq ${event.seqs.filter((seq) => cast.seqs.has(seq)).join(", ")}`
        : undefined;
    case "poll-ended":
      return event.at < cast.from ? undefined : `the source of poll ${event.poll} ${event.how}`;
    case "stop-all":
      return event.at < cast.from ? undefined : "the manager is told to stop";
    default:
      return subWords(event, cast);
  }
}

/** What befell polls and groups: the story where no single record is at the heart of it. */
function groupWords(event: TraceEvent): string | undefined {
  switch (event.kind) {
    case "fault":
      return `fault at ${event.site}: ${event.verdict}`;
    case "host":
      return `${event.host}: ${event.state}`;
    case "open":
      return `${event.host} opens poll ${event.poll} of ${event.key}`;
    case "advanced":
      return event.ok ? undefined : `advance of poll ${event.poll} throws`;
    case "poll-ended":
      return `the source of poll ${event.poll} ${event.how}`;
    case "lane-failed":
      return `the lane hook of poll ${event.poll} fails`;
    case "group-failed":
      return `the group of ${event.key} fails`;
    case "manager-threw":
      return `${event.method} throws ${event.error}`;
    case "force-failed":
      return `trigger ${event.trigger} is force-failed (${event.reason})`;
    case "aclose":
      return `the producer of poll ${event.poll} is closed`;
    case "stop-all":
      return "the manager is told to stop";
    case "groups":
      return `the manager holds ${event.keys.length === 0 ? "no key" : event.keys.join(", ")}`;
    default:
      return undefined;
  }
}

type CopyEvent = Extract<TraceEvent, { kind: "emit" | "fan-out" | "advance" | "deliver" }>;

function copyWords(event: CopyEvent, { copies, subs, sitting }: Cast): string | undefined {
  if (event.kind === "advance") {
    const item = event.items.find(([copy]) => copies.has(copy));
    if (item === undefined) return undefined;
    const [copy, acked, failed, rejected] = item;
    const counts = `acked ${acked}, failed ${failed}, rejected ${rejected}`;
    return `advance(${copies.get(copy)}): ${counts} (batch of ${event.items.length})`;
  }
  const ref = copies.get(event.copy);
  if (event.kind === "deliver") {
    if (ref === undefined) return undefined;
    sitting.set(event.sub, event.copy);
    return `trigger ${subs.get(event.sub)} gets ${ref}`;
  }
  if (ref === undefined) return undefined;
  return event.kind === "emit"
    ? `the producer yields ${ref}`
    : `${ref} is broadcast, lane ${event.lane}`;
}

function subWords(event: TraceEvent, { subs, sitting }: Cast): string | undefined {
  if (!("sub" in event) || !subs.has(event.sub)) return undefined;
  const who = `trigger ${subs.get(event.sub)}`;
  const isSitting = sitting.has(event.sub);
  if (event.kind === "pull") {
    sitting.delete(event.sub);
    return isSitting ? `${who} asks for the next event` : undefined;
  }
  if (event.kind === "unsubscribe") return `${who} leaves`;
  if (event.kind === "stream-error") return `${who} gets ${event.error}`;
  if (!isSitting) return undefined;
  if (event.kind === "reject") return `${who} rejects it`;
  if (event.kind === "yield") return `${who} derives trigger event ${event.event}`;
  if (event.kind === "bind")
    return `${who}: bind gives ${event.seq === null ? "no seq" : `seq ${event.seq}`}`;
  return undefined;
}
