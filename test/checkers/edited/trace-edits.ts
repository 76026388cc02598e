import type { TraceEvent } from "../../../sim/trace/trace.ts";
import { foreignEventsAfter } from "./foreign-events.ts";

/** A trace with one change. */
export interface EditedTrace {
  /** What was changed: "drop 17 advance", "set 3 emit.copy". */
  readonly edit: string;
  readonly events: readonly TraceEvent[];
}

type Value = unknown;

/**
 * Returns every edit of a trace: each event left out, doubled, exchanged with the next one, last in
 * its instant, far earlier and far later; the end of the trace after it; it and all that follows
 * some time later; each of its fields with a value that other events have there, or the next
 * number. Then the trace with one event that happens only where a promise is broken.
 */
export function editsOf(events: readonly TraceEvent[]): readonly (() => EditedTrace)[] {
  const values = valuesIn(events);
  const edits: (() => EditedTrace)[] = [];
  for (const [index, event] of events.entries()) {
    const add = (how: string, change: () => readonly TraceEvent[]): void => {
      edits.push(() => ({ edit: `${how} ${index} ${event.kind}`, events: change() }));
    };
    add("drop", () => events.toSpliced(index, 1));
    add("double", () => events.toSpliced(index, 0, event));
    const next = events[index + 1];
    if (next !== undefined) add("exchange", () => exchanged(events, index));
    if (next?.at === event.at) add("delay", () => delayed(events, index));
    add("cut after", () => events.slice(0, index + 1));
    add("hasten", () => moved(events, index, Math.floor(index / 2)));
    add("wait before", () => waited(events, index));
    add("defer", () => moved(events, index, Math.ceil((index + events.length - 1) / 2)));
    for (const [field, value] of Object.entries(event)) {
      if (field === "kind" || field === "at") continue;
      for (const other of othersFor(value, values.get(`${event.kind}.${field}`) ?? [], index)) {
        const changed = { ...event, [field]: other } as TraceEvent;
        add(`set ${field}`, () => events.with(index, changed));
      }
    }
  }
  for (const index of placesIn(events)) {
    for (const foreign of foreignEventsAfter(events, index)) {
      const edit = `${foreign.kind} after ${index}`;
      edits.push(() => ({ edit, events: events.toSpliced(index + 1, 0, foreign) }));
    }
  }
  return edits;
}

/**
 * Returns the edits in which an event happens in the instant of one shortly before it, as does what
 * is between the two, and all that follows is so much earlier.
 */
export function meetingsOf(events: readonly TraceEvent[]): readonly (() => EditedTrace)[] {
  return events.flatMap((event, index) => {
    if (shortlyBefore(events, index).at === event.at) return [];
    return [() => ({ edit: `meet ${index} ${event.kind}`, events: met(events, index) })];
  });
}

/** A third of the trace, two thirds of it, and its end. */
function placesIn({ length }: readonly TraceEvent[]): readonly number[] {
  return [Math.floor(length / 3), Math.floor((2 * length) / 3), length - 1];
}

/** From one step of the clock to more than a checker waits for; most are limits of checkers. */
const WAITS_MS = [
  1, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 3_600_000,
] as const;

/** The event, and all that follows, is so late that it is exactly so long after one shortly before. */
function waited(events: readonly TraceEvent[], index: number): readonly TraceEvent[] {
  const { at } = events[index] as TraceEvent;
  const before = shortlyBefore(events, index);
  const ms = before.at + (WAITS_MS[index % WAITS_MS.length] as number) - at;
  const lateMs = Math.max(ms, 1);
  return events.map((event, place) =>
    place < index ? event : { ...event, at: event.at + lateMs },
  );
}

function met(events: readonly TraceEvent[], index: number): readonly TraceEvent[] {
  const { at: instant } = shortlyBefore(events, index);
  const earlyMs = (events[index] as TraceEvent).at - instant;
  return events.map((event, place) =>
    place < index
      ? { ...event, at: Math.min(event.at, instant) }
      : { ...event, at: event.at - earlyMs },
  );
}

function shortlyBefore(events: readonly TraceEvent[], index: number): TraceEvent {
  return events[Math.max(index - 1 - (index % 4), 0)] as TraceEvent;
}

/** The values that each field of each kind of event has in the trace. */
function valuesIn(events: readonly TraceEvent[]): ReadonlyMap<string, readonly Value[]> {
  const values = new Map<string, Map<string, Value>>();
  for (const event of events) {
    for (const [field, value] of Object.entries(event)) {
      const name = `${event.kind}.${field}`;
      const known = values.get(name) ?? new Map<string, Value>();
      values.set(name, known.set(JSON.stringify(value), value));
    }
  }
  return new Map([...values].map(([name, known]) => [name, [...known.values()]]));
}

/** The event and the one after it change places; the instants stay. */
function exchanged(events: readonly TraceEvent[], index: number): readonly TraceEvent[] {
  const [one, next] = [events[index] as TraceEvent, events[index + 1] as TraceEvent];
  return events.with(index, { ...next, at: one.at }).with(index + 1, { ...one, at: next.at });
}

function delayed(events: readonly TraceEvent[], index: number): readonly TraceEvent[] {
  const event = events[index] as TraceEvent;
  const last = events.findLastIndex(({ at }) => at === event.at);
  return events.toSpliced(last + 1, 0, event).toSpliced(index, 1);
}

/** The event happens at the place and the instant of another one. */
function moved(events: readonly TraceEvent[], index: number, to: number): readonly TraceEvent[] {
  const event = { ...(events[index] as TraceEvent), at: (events[to] as TraceEvent).at };
  return events.toSpliced(index, 1).toSpliced(to, 0, event);
}

/** What may stand in place of a value; which one of those that others have depends on the event. */
function othersFor(value: Value, known: readonly Value[], index: number): readonly Value[] {
  const others = known.filter((one) => JSON.stringify(one) !== JSON.stringify(value));
  const taken = others.length === 0 ? [] : [others[index % others.length]];
  switch (typeof value) {
    case "boolean":
      return [!value];
    case "number":
      return [value + 1, ...taken.filter((other) => other !== value + 1)];
    case "object":
      return Array.isArray(value) && value.length > 0 ? [value.slice(1), ...taken] : taken;
    default:
      return taken;
  }
}
