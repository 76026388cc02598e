import type { Clock } from "../../src/time/mod.ts";
import { runBareLoop } from "./bare-loop.ts";
import { type Contestant, FAULTLANE, FLOOR, TEXTBOOK } from "./contestant.ts";
import type { Entrant, Row } from "./measure.ts";
import { runDeparture, runOverdue, weighOutstanding } from "./outstanding-run.ts";
import { type RunTimes, runStreams } from "./stream-run.ts";
import type { Work } from "./work.ts";

/** What the rows need of the machine. */
export interface Bench {
  readonly clock: Clock;
  /** Live bytes of the process after a full collection; absent where they cannot be measured. */
  readonly weigh?: () => number;
  /** Sizes for a test instead of those that the goals are stated for. */
  readonly isQuick: boolean;
  /** Other trackers of per-lane order, for the rows of tracker-only work. */
  readonly peers?: (work: Work, clock: Clock) => readonly Entrant[];
}

const NS_PER_MS = 1e6;
const QUICK_DIVISOR = 100;
const QUICK_EVENTS_MIN = 200;

/**
 * Subscribers, lanes and events of the runs from end to end: so many events that the steady state
 * is measured, and not the engine compiling.
 */
const SHAPES: readonly (readonly [subscribers: number, lanes: number, events: number])[] = [
  [1, 1, 500_000],
  [10, 1, 200_000],
  [100, 1, 50_000],
  [10, 100, 100_000],
  [10, 10_000, 100_000],
  [1, 100_000, 500_000],
];

const LANES_OF_CURVE = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;
const OUTSTANDING_OF_CURVE = [1_000, 10_000, 100_000, 1_000_000] as const;
const EVENTS_OF_CURVE = 100_000;
/** The textbook passes over all lanes at each wake: beyond this it takes minutes. */
const TEXTBOOK_CURVE_MAX = 100_000;
/** What takes a second or more is run a few times only. */
const SLOW_ROUNDS = 3;
const SLOW_EVENTS = 1_000_000;
/** A point of the textbook's curve is there to be seen, no goal is judged by it. */
const TEXTBOOK_CURVE_ROUNDS = 1;
const WEIGHT_ROUNDS = 2;
/** A tenth of the events is enough for what takes ten times as long. */
const TEXTBOOK_SHARE = 10;
/** The textbook needs half a kilobyte for each of them. */
const PUMPED_PAIRS_MAX = 200_000;
/** From so many lanes on the textbook is timed on a part of the events (see `sampledEvents`). */
const SAMPLED_FROM_LANES = 10_000;
const SAMPLED_EVENTS = 1_000;
/** What a run of the textbook with dropping filters can take when each event wakes it. */
const TEXTBOOK_DROPS_MAX = 10_000;

export function rowsFrom(bench: Bench): readonly Row[] {
  const shapes = SHAPES.map((shape) => scaled(shape, bench.isQuick));
  return [
    ...(["async", "sync"] as const).flatMap((form) =>
      (["fires", "drops"] as const).flatMap((filter) =>
        shapes.map((shape) => endToEndRow(bench, { ...workFrom(shape, filter), form })),
      ),
    ),
    ...[0, 1, 2, 3, 5].map((at) => pumpRow(bench, shapes[at] ?? [1, 1, 1])),
    lanesRow(bench),
    outstandingRow(bench),
    ...strandedRows(bench),
    ...trackerRows(bench),
    // These collect by force, which leaves its mark on whatever is measured after them.
    ...weightRows(bench),
  ];
}

type Shape = readonly [subscribers: number, lanes: number, events: number];

function scaled([subscribers, lanes, events]: Shape, isQuick: boolean): Shape {
  if (!isQuick) return [subscribers, lanes, events];
  const fewer = Math.max(QUICK_EVENTS_MIN, Math.ceil(events / QUICK_DIVISOR));
  return [subscribers, Math.ceil(Math.sqrt(lanes)), fewer];
}

/** Of many lanes each has one event outstanding; of few lanes a fetch is a hundred events. */
function workFrom([subscribers, lanes, events]: Shape, filter: Work["filter"]): Work {
  const outstanding = Math.max(100, lanes);
  return { subscribers, lanes, events, outstanding, form: "async", filter, persisted: "in order" };
}

function nameOf({ subscribers, lanes }: Work): string {
  return `S=${subscribers} L=${lanes}`;
}

type Time = keyof RunTimes;

function entrant(bench: Bench, contestant: Contestant, work: Work, time: Time): Entrant {
  return {
    name: contestant.name,
    sample: async () => {
      const times = await runStreams(bench.clock, contestant, work);
      return (times[time] * NS_PER_MS) / work.events;
    },
  };
}

function textbook(bench: Bench, work: Work, time: Time): Entrant {
  if (work.lanes < SAMPLED_FROM_LANES) return entrant(bench, TEXTBOOK, work, time);
  const slow = { roundsMax: SLOW_ROUNDS };
  if (work.filter === "drops") {
    const events = Math.min(work.events, TEXTBOOK_DROPS_MAX);
    const less = { ...work, events, lanes: Math.min(work.lanes, events) };
    const note = `on ${events} events and as many lanes: with more it is slower`;
    return { ...entrant(bench, TEXTBOOK, less, time), ...slow, note };
  }
  const note = `timed on ${SAMPLED_EVENTS} events in the middle of each fetch`;
  const sampled = { ...work, sampledEvents: SAMPLED_EVENTS };
  return { ...entrant(bench, TEXTBOOK, sampled, time), ...slow, note };
}

function briefTextbook(bench: Bench, work: Work): Entrant {
  if (bench.isQuick || work.lanes >= SAMPLED_FROM_LANES) return textbook(bench, work, "wholeMs");
  const events = work.events / TEXTBOOK_SHARE;
  const brief = entrant(bench, TEXTBOOK, { ...work, events }, "wholeMs");
  return { ...brief, note: `on ${events} events` };
}

function bareLoop({ clock }: Bench, work: Work): Entrant {
  return {
    name: "bare loop",
    sample: async () => (runBareLoop(clock, work) * NS_PER_MS) / work.events,
  };
}

function endToEndRow(bench: Bench, work: Work): Row {
  return {
    id: `${work.form} ${work.filter}, ${nameOf(work)}`,
    work: `end to end, ${work.form} filter that ${work.filter}, ${nameOf(work)}`,
    unit: "ns per event",
    entrants: [
      entrant(bench, FAULTLANE, work, "wholeMs"),
      briefTextbook(bench, work),
      entrant(bench, FLOOR, work, "wholeMs"),
      bareLoop(bench, work),
    ],
  };
}

/** All events outstanding, pulled and bound; then confirmed out of order until all are advanced. */
function pumpRow(bench: Bench, shape: Shape): Row {
  const [subscribers, , most] = shape;
  const events = Math.min(most, PUMPED_PAIRS_MAX / subscribers);
  const work: Work = {
    ...workFrom(shape, "fires"),
    events,
    outstanding: events,
    persisted: "shuffled",
  };
  return {
    id: `pump, ${nameOf(work)}`,
    work: `pump only: resolve and harvest ${events} outstanding events, shuffled, ${nameOf(work)}`,
    unit: "ns per event",
    entrants: [
      entrant(bench, FAULTLANE, work, "resolvingMs"),
      textbook(bench, work, "resolvingMs"),
      bareLoop(bench, work),
    ],
  };
}

function lanesRow(bench: Bench): Row {
  const least = bench.isQuick ? EVENTS_OF_CURVE / QUICK_DIVISOR : EVENTS_OF_CURVE;
  const points = bench.isQuick ? [1, 10, 100, 1_000] : LANES_OF_CURVE;
  return curveRow(bench, "growth over lanes", points, (lanes) => ({
    ...workFrom([1, lanes, Math.max(least, lanes)], "fires"),
    outstanding: Math.max(least, lanes),
  }));
}

function outstandingRow(bench: Bench): Row {
  const least = bench.isQuick ? EVENTS_OF_CURVE / QUICK_DIVISOR : EVENTS_OF_CURVE;
  const points = bench.isQuick ? [100, 1_000] : OUTSTANDING_OF_CURVE;
  return curveRow(bench, "growth over outstanding", points, (outstanding) => ({
    ...workFrom([1, 1, Math.max(least, outstanding)], "fires"),
    outstanding,
  }));
}

/** All points of a curve in one row, so that they are interleaved as well. */
function curveRow(
  bench: Bench,
  id: string,
  points: readonly number[],
  workAt: (point: number) => Work,
): Row {
  const entrants = points.flatMap((at) => {
    const work = workAt(at);
    const slow = { roundsMax: SLOW_ROUNDS };
    const limit = work.events >= SLOW_EVENTS ? slow : {};
    const all: Entrant[] = [
      { ...entrant(bench, FAULTLANE, work, "wholeMs"), ...limit },
      { ...entrant(bench, FLOOR, work, "wholeMs"), ...limit },
      { ...bareLoop(bench, work), ...limit },
    ];
    if (at <= TEXTBOOK_CURVE_MAX)
      all.push({ ...textbook(bench, work, "wholeMs"), roundsMax: TEXTBOOK_CURVE_ROUNDS });
    return all.map((one) => ({ ...one, at }));
  });
  return { id, work: `${id}, end to end, S=1`, unit: "ns per event", entrants };
}

function heap(bench: Bench, subscribers: number, most: number): Work {
  const events = bench.isQuick ? most / QUICK_DIVISOR : most;
  return { ...workFrom([subscribers, 1, events], "fires"), outstanding: events };
}

/** What happens to a hundred subscribers with all of it outstanding. */
function strandedRows(bench: Bench): readonly Row[] {
  const { clock } = bench;
  const work = heap(bench, 100, 10_000);
  const bare = bareLoop(bench, work);
  const inMs = async (): Promise<number> => ((await bare.sample()) * work.events) / NS_PER_MS;
  const act = (run: typeof runOverdue, who: Contestant): Entrant => ({
    name: who.name,
    sample: () => run(clock, who, work),
    roundsMax: SLOW_ROUNDS,
  });
  const row = (id: string, what: string, run: typeof runOverdue): Row => ({
    id,
    work: `${what}, 100 subscribers x ${work.events} outstanding`,
    unit: "ms",
    entrants: [act(run, FAULTLANE), act(run, TEXTBOOK), { ...bare, sample: inMs }],
  });
  return [
    row("overdue scan", "overdue scan, its longest stretch", runOverdue),
    row("mass departure", "mass departure, all advanced", runDeparture),
  ];
}

function weightRows(bench: Bench): readonly Row[] {
  const { clock, weigh } = bench;
  if (weigh === undefined) return [];
  const row = (work: Work, progress: "bound" | "queued"): Row => ({
    id: `bytes, ${progress}, S=${work.subscribers}`,
    work: `bytes per outstanding pair, ${progress}, S=${work.subscribers}, ${work.events} events`,
    unit: "bytes per pair",
    entrants: [FAULTLANE, TEXTBOOK].map((who) => ({
      name: who.name,
      roundsMax: WEIGHT_ROUNDS,
      sample: () => weighOutstanding(clock, who, work, progress, weigh),
    })),
  });
  const [wide, deep] = [heap(bench, 100, 10_000), heap(bench, 1, 200_000)];
  return [row(wide, "bound"), row(deep, "bound"), row(wide, "queued"), row(deep, "queued")];
}

/**
 * The work that any tracker of per-lane order can do: no fan-out, no filters. Ours does all of its
 * own, source and filter included, and beside it its part from the first confirmation on.
 */
function trackerRows(bench: Bench): readonly Row[] {
  const { peers } = bench;
  if (peers === undefined) return [];
  const works = [
    { lanes: 100, persisted: "shuffled" },
    { lanes: 10_000, persisted: "shuffled" },
    { lanes: 100, persisted: "in order" },
  ] as const;
  return works.map(({ lanes, persisted }) => {
    const [, someLanes, events] = scaled([1, lanes, 20_000], bench.isQuick);
    const base = workFrom([1, someLanes, events], "fires");
    const work: Work = { ...base, outstanding: events, persisted };
    return {
      id: `tracker, ${persisted}, L=${someLanes}`,
      work: `tracker-only, ${events} events settled ${persisted}, L=${someLanes}`,
      unit: "ns per event",
      entrants: [
        entrant(bench, FAULTLANE, work, "wholeMs"),
        { ...entrant(bench, FAULTLANE, work, "resolvingMs"), name: "faultlane, resolving" },
        ...peers(work, bench.clock),
      ],
    };
  });
}
