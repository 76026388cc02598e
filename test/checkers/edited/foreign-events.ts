import type { Breach } from "../../../sim/trace/producer-events.ts";
import type { TraceBody, TraceEvent } from "../../../sim/trace/trace.ts";

const BREACHES: readonly Breach[] = [
  { what: "not-a-pair" },
  { what: "no-raw-event" },
  { what: "yield-after-abort" },
  { what: "payload-reused" },
  { what: "lane-calls-broker" },
  { what: "lane-promise" },
  { what: "lane-unstable" },
  { what: "endless-yields", yields: 10_000 },
  { what: "stream-not-ended", ms: 30_000 },
  { what: "aclose-threw", error: "closed twice" },
  { what: "unhandled-rejection", error: "reset" },
  { what: "spinning", steps: 100_000, ms: 5 },
];

/** What happens only in runs in which a promise is broken, of some poll and some record. */
function foreignTo(poll: number, ref: string): readonly TraceBody[] {
  return [
    ...BREACHES.flatMap((breach): readonly TraceBody[] => [
      { kind: "breach", poll, breach, ref },
      { kind: "breach", poll, breach, ref: "" },
    ]),
    { kind: "still-open", poll, what: ["consumer"], timers: 0 },
    { kind: "still-open", poll, what: ["consumer", "admin"], timers: 1 },
    { kind: "still-open", poll, what: [], timers: 2 },
    { kind: "dead-letter-dropped", ref },
    { kind: "client-call", poll, site: "broker.fetch" },
    { kind: "manager-threw", method: "confirmPersisted", error: "TypeError" },
    { kind: "uncaught", error: "RangeError: out" },
    { kind: "spinning", steps: 100_000, ms: 5 },
  ];
}

/** Returns the events that no trace of a correct run has, as they would happen after an event. */
export function foreignEventsAfter(
  events: readonly TraceEvent[],
  index: number,
): readonly TraceEvent[] {
  const { at } = events[index] as TraceEvent;
  const before = events.slice(0, index + 1);
  const open = before.findLast((event) => event.kind === "open");
  const emit = before.findLast((event) => event.kind === "emit");
  if (open === undefined || emit === undefined) return [];
  return foreignTo(open.poll, emit.ref).map((body) => ({ at, host: open.host, ...body }));
}
