import type { Publication } from "../../brokers/broker.ts";
import { type ChoiceStream, SeededChoices } from "../../choices/choices.ts";
import type { SiteName } from "../../faults/site.ts";
import type { Verdict } from "../../faults/verdict.ts";

/**
 * What a subscriber does with an event: `accept` derives a trigger event that is soon persisted,
 * `skip` derives none, `stall` sits on it past the ack timeout, `lose` never hears of the
 * confirmation, `leave` goes while sitting on it, `raise` throws.
 */
export type Conduct = (typeof CONDUCT_NAMES)[number];

export const CONDUCT_NAMES = [
  "accept",
  "skip",
  "reject",
  "slow",
  "stall",
  "late",
  "lose",
  "leave",
  "raise",
] as const;

/** One thing that a run does; taking some away leaves a smaller run that still makes sense. */
export type ProducerAct =
  | ({ readonly kind: "publish"; readonly at: number } & Publication)
  | {
      readonly kind: "subscriber";
      readonly id: number;
      readonly joinAt: number;
      readonly leaveAt: number | undefined;
    }
  | {
      readonly kind: "conduct";
      readonly subscriber: number;
      readonly ref: string;
      readonly how: Conduct;
      readonly ms: number;
      /** For how many sightings of the record it holds. */
      readonly times: number;
    }
  | {
      readonly kind: "strike";
      readonly site: SiteName;
      readonly verdict: Verdict;
      readonly nth: number;
      readonly times: number;
    }
  | {
      readonly kind: "crash";
      readonly host: "triggerer" | "broker";
      readonly at: number;
      readonly downMs: number;
    }
  | { readonly kind: "pause"; readonly at: number; readonly ms: number }
  | {
      readonly kind: "link";
      readonly state: "cut" | "held";
      readonly at: number;
      readonly ms: number;
    }
  | { readonly kind: "disturb"; readonly name: string; readonly at: number }
  | { readonly kind: "factory-fails"; readonly nth: number }
  | { readonly kind: "close-unopened"; readonly at: number };

/** One generated run. */
export interface ProducerPlan {
  readonly seed: number;
  /** Which of several worlds of the seed: what the acts are is the same in all of them. */
  readonly salt: number;
  readonly ackTimeoutMs: number;
  readonly subscriberQueueMax: number;
  readonly strictPersistence: boolean;
  readonly acts: readonly ProducerAct[];
}

/** How long faults and misbehaviour last, before everything calms down. */
export const SAFETY_MS = 40_000;
/** The longest outlasts the leases that brokers give by default, as the real one does. */
const ACK_TIMEOUTS_MS = [10_000, 6_000, 20_000, 45_000] as const;
const ALWAYS = 1_000_000;
/** The manager's own, and one that a burst overflows while its subscriber is slow. */
export const QUEUE_MAX_DEFAULT = 1_024;
const QUEUE_MAX_SMALL = 3;
/** The broker is away, and back before the record is published that has to be kept for long. */
const AWAY_BEFORE_MS = 10_000;
const AWAY_MS = 9_000;
/** Later than any of them. */
const LATE_MS = 50_000;
const RECORDS_MAX = 12;
/** Now and then one burst is larger than what brokers take in one call. */
const FLOOD_RECORDS_MIN = 14;
const FLOOD_RECORDS_MAX = 24;
const SUBSCRIBERS_MAX = 3;
const KEYS = ["key-1", "key-2", "key-3", "key-4"] as const;
const NETWORK_SITES: readonly SiteName[] = [
  "broker.fetch",
  "broker.settle",
  "broker.produce",
  "broker.session",
];
export const CRASH_SITES: readonly SiteName[] = [
  "producer.advance",
  "broker.settle",
  "broker.produce",
  "broker.fetch",
  "producer.broadcast",
  "producer.fetched",
  "producer.connect",
  "producer.close",
  "runner.filter",
  "runner.bound",
  "runner.confirm",
];
const CONDUCTS: readonly Conduct[] = [
  "skip",
  "slow",
  "late",
  "reject",
  "stall",
  "stall",
  "lose",
  "leave",
  "raise",
  "reject",
];

/** What a run does, from its seed; `disturbances` are those that the broker knows. */
export function planFrom(seed: number, disturbances: readonly string[]): ProducerPlan {
  const chance = new SeededChoices(seed, { record: false }).stream("workload", "plan");
  const acts: ProducerAct[] = [];
  const draw = new Draw(chance);
  const refs = publish(draw, acts);
  const subscribers = subscribe(draw, acts);
  conduct(draw, acts, refs, subscribers);
  if (draw.one(4)) disagree(draw, acts, subscribers);
  // Each kind of trouble is fully off in some runs, so that it does not hide another.
  if (draw.one(2)) strikeNetwork(draw, acts);
  if (draw.one(4)) strikeCrash(draw, acts);
  if (draw.one(4)) breakHosts(draw, acts);
  if (disturbances.length > 0 && draw.one(2)) disturb(draw, acts, disturbances);
  if (draw.one(12)) acts.push({ kind: "factory-fails", nth: 1 + draw.below(2) });
  if (draw.one(12)) acts.push({ kind: "close-unopened", at: draw.below(SAFETY_MS) });
  let ackTimeoutMs: number = draw.from(ACK_TIMEOUTS_MS);
  const strictPersistence = draw.one(2);
  const subscriberQueueMax = draw.one(6) ? QUEUE_MAX_SMALL : QUEUE_MAX_DEFAULT;
  if (draw.one(16) && outlast(draw, acts, subscribers)) ackTimeoutMs = Math.max(...ACK_TIMEOUTS_MS);
  return { seed, salt: 0, ackTimeoutMs, subscriberQueueMax, strictPersistence, acts };
}

class Draw {
  readonly #chance: ChoiceStream;

  constructor(chance: ChoiceStream) {
    this.#chance = chance;
  }

  below(n: number): number {
    return this.#chance.choose(n, "plan");
  }

  one(n: number): boolean {
    return this.below(n) === n - 1;
  }

  from<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Bursts of records, one burst at the start: then an offset of 0 and a cold start meet. */
function publish(draw: Draw, acts: ProducerAct[]): readonly string[] {
  const isFlood = draw.one(12);
  const count = isFlood
    ? FLOOD_RECORDS_MIN + draw.below(FLOOD_RECORDS_MAX - FLOOD_RECORDS_MIN + 1)
    : 2 + draw.below(RECORDS_MAX - 1);
  const keys = KEYS.slice(0, 1 + draw.below(KEYS.length));
  const refs: string[] = [];
  let at = draw.below(2_000);
  for (let n = 1; n <= count; n += 1) {
    const ref = `ref-${String(n).padStart(6, "0")}`;
    refs.push(ref);
    acts.push({ kind: "publish", at, ref, key: draw.from(keys) });
    if (!isFlood && draw.one(3)) at = Math.min(SAFETY_MS - 5_000, at + 200 + draw.below(8_000));
    else at += draw.below(30);
  }
  return refs;
}

function subscribe(draw: Draw, acts: ProducerAct[]): readonly number[] {
  const count = 1 + draw.below(SUBSCRIBERS_MAX);
  const ids: number[] = [];
  for (let id = 1; id <= count; id += 1) {
    const joinAt = draw.one(3) ? draw.below(SAFETY_MS / 2) : 0;
    const leaveAt = draw.one(5) ? joinAt + draw.below(SAFETY_MS / 2) : undefined;
    ids.push(id);
    acts.push({ kind: "subscriber", id, joinAt, leaveAt });
  }
  return ids;
}

function conduct(
  draw: Draw,
  acts: ProducerAct[],
  refs: readonly string[],
  subscribers: readonly number[],
): void {
  const count = draw.below(6);
  for (let n = 0; n < count; n += 1) {
    const how = draw.from(CONDUCTS);
    const act = {
      kind: "conduct",
      subscriber: draw.from(subscribers),
      ref: draw.from(refs),
      how,
      ms: lengthOf(how, draw),
      times: timesOf(how, draw),
    } as const;
    acts.push(act);
    // Siblings that disagree about one record: the mixed outcomes.
    if (subscribers.length > 1 && draw.one(3)) {
      const other = draw.from(["stall", "reject", "lose"] as const);
      const subscriber = draw.from(subscribers);
      const times = timesOf(other, draw);
      acts.push({ ...act, subscriber, how: other, ms: lengthOf(other, draw), times });
    }
  }
}

/** A failed event with a rejected one behind it in the same lane: what producers mix up most. */
function disagree(draw: Draw, acts: ProducerAct[], subscribers: readonly number[]): void {
  const published = acts.filter((act) => act.kind === "publish");
  const first = draw.from(published);
  const behind = published.filter(({ key, at }) => key === first.key && at > first.at);
  if (behind.length === 0) return;
  const failing = draw.from(["lose", "stall", "late"] as const);
  const conducts = [
    { ref: first.ref, how: failing },
    { ref: draw.from(behind).ref, how: "reject" },
  ] as const;
  for (const { ref, how } of conducts) {
    const ms = how === "late" ? LATE_MS : lengthOf(how, draw);
    const times = how === "reject" ? ALWAYS : 1;
    acts.push({ kind: "conduct", subscriber: draw.from(subscribers), ref, how, ms, times });
  }
}

/**
 * The broker is away while one record is outstanding, and later another is outstanding for long:
 * whoever gives up renewing at the first error shows it then. Says whether there was room for it.
 */
function outlast(draw: Draw, acts: ProducerAct[], subscribers: readonly number[]): boolean {
  const published = acts.filter((act) => act.kind === "publish");
  const first = published[0];
  const last = published.at(-1);
  if (first === undefined || last === undefined || last.at < first.at + AWAY_BEFORE_MS)
    return false;
  const subscriber = draw.from(subscribers);
  const stall = { kind: "conduct", subscriber, how: "stall", ms: LATE_MS, times: 1 } as const;
  acts.push(
    { ...stall, ref: first.ref },
    { ...stall, ref: last.ref },
    { kind: "crash", host: "broker", at: last.at - AWAY_BEFORE_MS, downMs: AWAY_MS },
  );
  return true;
}

/** A filter that rejects a record does so each time; other troubles pass, as a rule. */
function timesOf(how: Conduct, draw: Draw): number {
  return how === "reject" || draw.one(6) ? ALWAYS : 1 + draw.below(2);
}

function lengthOf(how: Conduct, draw: Draw): number {
  switch (how) {
    case "slow":
      return 500 + draw.below(5_000);
    case "late":
      return 3_000 + draw.below(15_000);
    case "stall":
      return 22_000 + draw.below(20_000);
    case "leave":
      return 500 + draw.below(10_000);
    default:
      return 0;
  }
}

function strikeNetwork(draw: Draw, acts: ProducerAct[]): void {
  const count = 1 + draw.below(3);
  for (let n = 0; n < count; n += 1) {
    const site = draw.from(NETWORK_SITES);
    const verdict = draw.from<Verdict>([
      { kind: "fail", when: "before" },
      { kind: "fail", when: "after" },
      { kind: "drop", what: "request" },
      { kind: "drop", what: "reply" },
      { kind: "delay", ms: 500 + draw.below(6_000) },
      { kind: "duplicate" },
    ]);
    // Long enough, now and then, that the client library gives up and its user has to act.
    const times = draw.one(3) ? 4 + draw.below(8) : 1;
    acts.push({ kind: "strike", site, verdict, nth: 1 + draw.below(8), times });
  }
}

function strikeCrash(draw: Draw, acts: ProducerAct[]): void {
  const site = draw.from(CRASH_SITES);
  const when = draw.from(["before", "after"] as const);
  const verdict: Verdict = { kind: "crash", when, restartAfterMs: 1_000 + draw.below(4_000) };
  acts.push({ kind: "strike", site, verdict, nth: 1 + draw.below(6), times: 1 });
}

function breakHosts(draw: Draw, acts: ProducerAct[]): void {
  const at = draw.below(SAFETY_MS);
  switch (draw.below(5)) {
    case 0:
      acts.push({ kind: "crash", host: "triggerer", at, downMs: 1_000 + draw.below(5_000) });
      break;
    case 1:
      acts.push({ kind: "crash", host: "broker", at, downMs: 1_000 + draw.below(20_000) });
      break;
    case 2:
      acts.push({ kind: "pause", at, ms: draw.one(2) ? 35_000 : 2_000 + draw.below(10_000) });
      break;
    case 3:
      acts.push({ kind: "link", state: "cut", at, ms: 1_000 + draw.below(30_000) });
      break;
    default:
      acts.push({ kind: "link", state: "held", at, ms: 1_000 + draw.below(20_000) });
  }
}

/** Half of them while a record is on its way that somebody treats badly, the others anywhere. */
function disturb(draw: Draw, acts: ProducerAct[], names: readonly string[]): void {
  const bad = new Set(acts.flatMap((act) => (act.kind === "conduct" ? [act.ref] : [])));
  const times = acts.flatMap((act) => (act.kind === "publish" && bad.has(act.ref) ? [act.at] : []));
  const count = 1 + draw.below(3);
  for (let n = 0; n < count; n += 1) {
    const isClose = times.length > 0 && draw.one(2);
    const at = isClose ? draw.from(times) + draw.below(1_000) : 500 + draw.below(SAFETY_MS - 500);
    acts.push({ kind: "disturb", name: draw.from(names), at });
  }
}
