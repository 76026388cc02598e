import type { TraceEvent } from "../../trace/trace.ts";
import type { Bars, Lane } from "../lanes/lane.ts";
import { LANE_GROUPS } from "../lanes/lane.ts";
import type { RunModel } from "../model/run-model.ts";
import { barLabel } from "../timeline/bar-label.ts";

/** Perfetto counts in microseconds. */
const US_PER_MS = 1_000;

/** One event of the trace event format, as far as a run needs it. */
type TraceEventEntry =
  | {
      readonly ph: "M";
      readonly name: "process_name" | "thread_name";
      readonly pid: number;
      readonly tid: number;
      readonly args: { readonly name: string };
    }
  | {
      readonly ph: "M";
      readonly name: "process_sort_index" | "thread_sort_index";
      readonly pid: number;
      readonly tid: number;
      readonly args: { readonly sort_index: number };
    }
  | {
      readonly ph: "X";
      readonly name: string;
      readonly cat: string;
      readonly ts: number;
      readonly dur: number;
      readonly pid: number;
      readonly tid: number;
      readonly args?: Readonly<Record<string, unknown>>;
      /** The way of a record: its events have the same number. */
      readonly bind_id?: number;
      readonly flow_in?: true;
      readonly flow_out?: true;
    };

/**
 * Returns a run in the trace event format, which ui.perfetto.dev and chrome://tracing open: a
 * process for each group of lanes, a thread for each lane, a slice for each bar and event, and
 * arrows along the way of each record. The text comes in pieces, because a million events are long.
 *
 * Holds: the slices of a thread follow or contain each other; joined, the pieces are one JSON
 * document, the same for the same run.
 *
 * It is validated by a reader of the documented format (`test/page/exports/trace-event-format.ts`),
 * not by Perfetto's own trace processor: no package registry has that. "perfetto" 0.59.1 of PyPI
 * downloads its binary when it is first used, and the schema that it ships is that of Perfetto's
 * protocol buffers, which JSON does not follow.
 *
 * Source: Trace Event Format, "JSON Object Format", "Complete Events", "Metadata Events"
 */
export function* perfettoFrom(run: RunModel): Generator<string, void, undefined> {
  const { scenario, seed, verdict, digest, rerun } = run.data;
  yield `{"displayTimeUnit":"ms","otherData":${JSON.stringify({ scenario, seed: String(seed), verdict, digest, rerun })},"traceEvents":[`;
  let separator = "\n";
  for (const entry of entriesOf(run)) {
    yield separator + JSON.stringify(entry);
    separator = ",\n";
  }
  yield "\n]}\n";
}

function* entriesOf(run: RunModel): Generator<TraceEventEntry, void, undefined> {
  const { lanes } = run.lanes;
  const pids = new Map(LANE_GROUPS.map(({ id }, at) => [id, at + 1]));
  for (const { id, title } of LANE_GROUPS) {
    if (!lanes.some(({ group }) => group === id)) continue;
    const pid = pids.get(id) ?? 0;
    yield { ph: "M", name: "process_name", pid, tid: 0, args: { name: title } };
    yield { ph: "M", name: "process_sort_index", pid, tid: 0, args: { sort_index: pid } };
  }
  const way = new RecordWays(run);
  const byLane = eventsByLane(run);
  for (const [at, lane] of lanes.entries()) {
    const place = { pid: pids.get(lane.group) ?? 0, tid: at + 1 };
    yield { ph: "M", name: "thread_name", ...place, args: { name: lane.name } };
    yield { ph: "M", name: "thread_sort_index", ...place, args: { sort_index: at } };
    yield* laneEntries(run, lane, place, byLane[at] ?? [], way);
  }
}

/** The events that lie on each lane, in order. */
function eventsByLane(run: RunModel): readonly (readonly number[])[] {
  const byLane: number[][] = run.lanes.lanes.map(() => []);
  for (const [event, lane] of run.lanes.laneOf.entries()) byLane[lane]?.push(event);
  return byLane;
}

/** What is drawn on a lane: a stretch of time, or an event. */
interface Slice {
  readonly from: number;
  readonly to: number;
  readonly entry: (place: Place, from: number, to: number) => TraceEventEntry;
}

interface Place {
  readonly pid: number;
  readonly tid: number;
}

function* laneEntries(
  run: RunModel,
  lane: Lane,
  place: Place,
  events: readonly number[],
  way: RecordWays,
): Generator<TraceEventEntry, void, undefined> {
  const bars = slicesOf(run, lane.bars, "bar");
  const spans = slicesOf(run, lane.spans, "span");
  const points = events.map((event) => pointOf(run, event, way));
  // What begins at one instant is sorted outermost first, for what comes later lies within.
  const all = [...bars, ...spans, ...points].toSorted((a, b) => a.from - b.from || b.to - a.to);
  const open: number[] = [];
  for (const { from, to, entry } of all) {
    const isOver = (end: number): boolean => end < from || (end === from && to > from);
    while (isOver(open.at(-1) ?? Infinity)) open.pop();
    const end = Math.min(to, open.at(-1) ?? to);
    if (end > from) open.push(end);
    yield entry(place, from, end);
  }
}

function slicesOf(run: RunModel, bars: Bars, cat: string): readonly Slice[] {
  return Array.from(bars.from, (event, at): Slice => {
    const first = run.trace.event(event);
    const name = barLabel(first) || run.words(event);
    return {
      from: run.trace.at(event),
      // A lane's bar ends with an event; a pause is over when the host may run again.
      to: pauseEnd(first) ?? timeOf(run, bars.to[at] ?? run.trace.length),
      entry: (place, from, to) => ({
        ph: "X",
        name,
        cat,
        ts: from * US_PER_MS,
        dur: (to - from) * US_PER_MS,
        ...place,
      }),
    };
  });
}

function pointOf(run: RunModel, event: number, way: RecordWays): Slice {
  const at = run.trace.at(event);
  return {
    from: at,
    to: at,
    entry: (place) => {
      const { at: _, kind, ...members } = run.trace.event(event);
      const name = run.words(event);
      const args = { ...members, event };
      const flow = way.flowOf(event);
      return { ph: "X", name, cat: kind, ts: at * US_PER_MS, dur: 0, ...place, args, ...flow };
    },
  };
}

function pauseEnd(event: TraceEvent): number | undefined {
  return event.kind === "host" && event.state === "pause" ? event.until : undefined;
}

/** The virtual time of an event; after the last one, the end of the run. */
function timeOf(run: RunModel, event: number): number {
  const { trace, data } = run;
  return event < trace.length ? trace.at(event) : Math.max(data.virtualMs, trace.at(event - 1));
}

/** The events of each record, so that arrows lead from one to the next. */
class RecordWays {
  readonly #numbers = new Map<string, number>();
  readonly #ends = new Map<string, { readonly first: number; last: number }>();
  /** The record of each event: the first of those that it is about. */
  readonly #refs = new Map<number, string>();

  constructor(run: RunModel) {
    for (let event = 0; event < run.trace.length; event += 1) {
      const ref = run.subjects(event).find(({ kind }) => kind === "record")?.name;
      if (ref === undefined) continue;
      this.#refs.set(event, ref);
      const known = this.#ends.get(ref);
      if (known === undefined) this.#ends.set(ref, { first: event, last: event });
      else known.last = event;
      if (!this.#numbers.has(ref)) this.#numbers.set(ref, this.#numbers.size + 1);
    }
  }

  flowOf(
    event: number,
  ): Pick<Extract<TraceEventEntry, { ph: "X" }>, "bind_id" | "flow_in" | "flow_out"> {
    const ref = this.#refs.get(event) ?? "";
    const ends = this.#ends.get(ref);
    if (ends === undefined || ends.first === ends.last) return {};
    return {
      bind_id: this.#numbers.get(ref) ?? 0,
      ...(event !== ends.first && { flow_in: true }),
      ...(event !== ends.last && { flow_out: true }),
    };
  }
}
