import { SeededChoices } from "../../choices/choices.ts";
import type { Dice } from "../../choices/dice.ts";
import { PRODUCER_CRASH_SITES } from "../../checkers/producer/producer-marks.ts";
import type { SiteName } from "../../faults/site.ts";
import type { BrokerModel, Disturbance } from "../../brokers/broker.ts";
import { World } from "../../kernel/world.ts";
import { drawOverload, EXPECT_ALL } from "../drawn-parts.ts";
import { isUsual, refOf, strikeAmid, type Workload } from "./draw-amid.ts";
import { siteFault } from "./draw-site-fault.ts";
import {
  brokerFrom,
  type BrokerSpec,
  brokerSpecOf,
  limitsDeliveries,
  renewableMsOf,
} from "./broker-spec.ts";
import { lieInWait, overtake, refuse, strikeNowAndThen } from "./draw-now-and-then.ts";
import { garble } from "./draw-garbled.ts";
import { holdForLong } from "./draw-long-hold.ts";
import { drawClockAhead, drawClockStep } from "./draw-clock-step.ts";
import { goAway } from "./draw-outages.ts";
import { poison } from "./draw-poison.ts";
import { LIVENESS_MS, SAFETY_MS } from "./producer-schema.ts";
import type {
  Behaviour,
  BehaviourSpec,
  ProducerScenario,
  RecordSpec,
  SubscriberSpec,
} from "./producer-scenario.ts";

/** The longest outlasts the leases that brokers give by default, as the real one does. */
const ACK_TIMEOUTS_MS = [10_000, 6_000, 20_000, 45_000] as const;
/** The manager's own, and one that a burst overflows while its subscriber is slow. */
const QUEUE_MAX_DEFAULT = 1_024;
const QUEUE_MAX_SMALL = 3;
/** The broker is away, and back before the record is published that has to be kept for long. */
const AWAY_BEFORE_MS = 10_000;
const AWAY_MS = 9_000;
/** Later than any of them. */
const LATE_MS = 50_000;
/** For so many leases a record is held that is to be renewed three times, whenever that is done. */
const KEPT_LEASES = 3.5;
const KEPT_ACK_LEASES = 4;
/** A longer lease is not waited for: a run would last for virtual hours. */
const KEPT_LEASE_MS_MAX = 1_800_000;
const RECORDS_MAX = 12;
/** Some bursts are larger than the largest batch of a broker call. */
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
const CRASH_SITES: readonly SiteName[] = PRODUCER_CRASH_SITES;
const BAD_BEHAVIOURS: readonly Behaviour[] = [
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
const BROKERS: readonly BrokerSpec[] = [{ kafka: { partitions: 3 } }, { kafka: { partitions: 1 } }];

type Faults = ProducerScenario["faults"][number][];

/** Draws a whole scenario on a broker of the kit, for a correct producer that is given in code. */
export function drawProducerScenario(dice: Dice): Omit<ProducerScenario, "name"> {
  return drawScenarioOn(brokerFrom(dice.from(BROKERS)), dice);
}

/** Draws a whole scenario on this broker that checks every promise. */
export function drawScenarioOn(
  broker: BrokerModel<unknown>,
  dice: Dice,
): Omit<ProducerScenario, "name"> {
  const records = drawRecords(dice);
  const subscribers = drawSubscribers(dice);
  const behaviours: BehaviourSpec[] = [];
  const workload: Workload = { records, subscribers, behaviours };
  misbehave(dice, workload);
  if (dice.oneIn(4)) disagree(dice, workload);
  const faults: Faults = [];
  const all = disturbancesIn(broker);
  const disturbances = all.filter(isUsual).map(({ name }) => name);
  // Each kind of trouble is fully off in some runs, so that it does not hide another.
  if (dice.oneIn(2)) strikeNetwork(dice, faults);
  if (dice.oneIn(4)) strikeCrash(dice, faults);
  if (dice.oneIn(4)) breakHosts(dice, faults);
  if (disturbances.length > 0 && dice.oneIn(2)) disturb(dice, workload, faults, disturbances);
  if (dice.oneIn(12)) {
    const nth = 1 + dice.below(2);
    faults.push(siteFault("producer.create", "fail-after", { nth }));
  }
  if (dice.oneIn(12)) faults.push({ at: dice.below(SAFETY_MS), closeUnopened: true });
  let ackTimeout: number = dice.from(ACK_TIMEOUTS_MS);
  const strictPersistence = dice.oneIn(2);
  const maxSubscriberQueue = dice.oneIn(6) ? QUEUE_MAX_SMALL : QUEUE_MAX_DEFAULT;
  if (dice.oneIn(16) && outlast(dice, workload, faults)) ackTimeout = Math.max(...ACK_TIMEOUTS_MS);
  // Drawn last, so that the rest of a seed's scenario stays as it was before there were these, and
  // only where there is no other fault that it could hide.
  if (faults.length === 0 && dice.oneIn(2)) strikeCallee(dice, faults);
  const spec = brokerSpecOf(broker);
  const phases = { safety: SAFETY_MS, liveness: LIVENESS_MS };
  // Drawn last as well. Brokers without such leases draw nothing here.
  const leaseMs = renewableMsOf(spec);
  if (leaseMs > 0 && leaseMs <= KEPT_LEASE_MS_MAX && dice.oneIn(12)) {
    const heldUntil = keep(dice, workload, Math.ceil(KEPT_LEASES * leaseMs));
    ackTimeout = Math.max(ackTimeout, KEPT_ACK_LEASES * leaseMs);
    phases.safety = Math.max(SAFETY_MS, heldUntil + AWAY_BEFORE_MS);
    // What is held when the faults end may still have to time out.
    phases.liveness = LIVENESS_MS + ackTimeout;
  }
  if (faults.length === 0 && dice.oneIn(4)) {
    faults.push(drawOverload(dice, { host: "broker", from: dice.below(SAFETY_MS) }));
  }
  if (faults.length === 0 && dice.oneIn(4)) {
    const site = dice.from(["broker.fetch", "broker.fetch", "broker.settle"] as const);
    const nth = 1 + dice.below(6);
    faults.push(siteFault(site, "corrupt-reply", { nth, times: 1 + dice.below(3) }));
  }
  strikeNowAndThen(dice, faults, broker, all);
  // Drawn last, again: what strikes when the fate of a record is decided.
  strikeAmid(dice, workload, faults, { ackTimeoutMs: ackTimeout, all });
  refuse(dice, faults, all);
  const isPoisonable = !limitsDeliveries(spec);
  const poisonedMs = strikeLast(dice, { workload, faults, phases }, { isPoisonable, all });
  if (broker.carriesText === true) garble(dice, workload);
  lieInWait(dice, workload, faults, all);
  const patienceMs = poisonedMs === 0 ? holdForLong(dice, workload, faults, phases) : 0;
  ackTimeout = Math.max(ackTimeout, patienceMs);
  if (poisonedMs === 0 && patienceMs === 0) goAway(dice, workload, faults, phases);
  return {
    story: "Drawn from a seed.",
    world: "producer",
    broker: spec,
    decide: "airflow",
    profile: "faultlane",
    strictPersistence: strictPersistence || poisonedMs > 0,
    manager: { maxSubscriberQueue, ackTimeout, cohortGracePeriod: 0 },
    ...workload,
    faults,
    phases,
    expect: EXPECT_ALL,
  };
}

/** The parts of a scenario to which more is added. */
interface Drawn {
  readonly workload: Workload;
  readonly faults: Faults;
  readonly phases: { safety: number; liveness: number };
}

/** What was thought of last; returns for how long a poisoned run has to go on, or 0. */
function strikeLast(
  dice: Dice,
  { workload, faults, phases }: Drawn,
  { isPoisonable, all }: { readonly isPoisonable: boolean; readonly all: readonly Disturbance[] },
): number {
  const isSteppedBack = dice.oneIn(12);
  if (isSteppedBack) {
    const step = drawClockStep(dice);
    faults.push(step);
    phases.safety = Math.max(phases.safety, step.at + step.for);
  }
  const poisonedMs = isPoisonable ? poison(dice, workload, faults) : 0;
  phases.liveness = Math.max(phases.liveness, poisonedMs);
  if (!isSteppedBack && dice.oneIn(16)) faults.push(drawClockAhead(dice));
  if (poisonedMs === 0) overtake(dice, workload, faults, all);
  return poisonedMs;
}

/** Starts a throw-away broker to read the names of its disturbances. */
export function disturbancesOf(broker: BrokerModel<unknown>): readonly string[] {
  return disturbancesIn(broker).map(({ name }) => name);
}

/** Starts a throw-away broker for its disturbances. */
export function disturbancesIn(broker: BrokerModel<unknown>): readonly Disturbance[] {
  const world = new World(new SeededChoices(0, { record: false }), { keepTrace: false });
  return broker.start(world, "broker").disturbances;
}

/** Bursts of records, one burst at the start: then an offset of 0 and a cold start meet. */
function drawRecords(dice: Dice): RecordSpec[] {
  const isFlood = dice.oneIn(12);
  const count = isFlood
    ? FLOOD_RECORDS_MIN + dice.below(FLOOD_RECORDS_MAX - FLOOD_RECORDS_MIN + 1)
    : 2 + dice.below(RECORDS_MAX - 1);
  const keys = KEYS.slice(0, 1 + dice.below(KEYS.length));
  const records: RecordSpec[] = [];
  let at = dice.below(2_000);
  for (let n = 1; n <= count; n += 1) {
    records.push({ at, publish: refOf(n), key: dice.from(keys) });
    if (!isFlood && dice.oneIn(3)) at = Math.min(SAFETY_MS - 5_000, at + 200 + dice.below(8_000));
    else at += dice.below(30);
  }
  return records;
}

function drawSubscribers(dice: Dice): SubscriberSpec[] {
  const count = 1 + dice.below(SUBSCRIBERS_MAX);
  const subscribers: SubscriberSpec[] = [];
  for (let subscriber = 1; subscriber <= count; subscriber += 1) {
    const joinAt = dice.oneIn(3) ? dice.below(SAFETY_MS / 2) : 0;
    const leaveAt = dice.oneIn(5) ? joinAt + dice.below(SAFETY_MS / 2) : undefined;
    subscribers.push({ subscriber, joinAt, leaveAt });
  }
  return subscribers;
}

function misbehave(dice: Dice, { records, subscribers, behaviours }: Workload): void {
  const count = dice.below(6);
  for (let n = 0; n < count; n += 1) {
    const does = dice.from(BAD_BEHAVIOURS);
    const behaviour = {
      subscriber: dice.from(subscribers).subscriber,
      on: dice.from(records).publish,
      does,
      for: lengthOf(does, dice),
      times: timesOf(does, dice),
    };
    behaviours.push(behaviour);
    // Siblings that disagree about one record: the mixed outcomes.
    if (subscribers.length > 1 && dice.oneIn(3)) {
      const other = dice.from(["stall", "reject", "lose"] as const);
      const { subscriber } = dice.from(subscribers);
      const times = timesOf(other, dice);
      behaviours.push({
        ...behaviour,
        subscriber,
        does: other,
        for: lengthOf(other, dice),
        times,
      });
    }
  }
}

/** A failed event with a rejected one behind it in the same lane: what producers mix up most. */
function disagree(dice: Dice, { records, subscribers, behaviours }: Workload): void {
  const first = dice.from(records);
  const behind = records.filter(({ key, at }) => key === first.key && at > first.at);
  if (behind.length === 0) return;
  const failing = dice.from(["lose", "stall", "late"] as const);
  const both = [
    { on: first.publish, does: failing },
    { on: dice.from(behind).publish, does: "reject" },
  ] as const;
  for (const { on, does } of both) {
    const ms = does === "late" ? LATE_MS : lengthOf(does, dice);
    const times = does === "reject" ? undefined : 1;
    behaviours.push({ subscriber: dice.from(subscribers).subscriber, on, does, for: ms, times });
  }
}

/**
 * The broker is away while one record is outstanding, and later another is outstanding for long:
 * whoever gives up renewing at the first error shows it then. Returns whether there was room.
 */
function outlast(
  dice: Dice,
  { records, subscribers, behaviours }: Workload,
  faults: Faults,
): boolean {
  const first = records[0];
  const last = records.at(-1);
  if (first === undefined || last === undefined || last.at < first.at + AWAY_BEFORE_MS)
    return false;
  const { subscriber } = dice.from(subscribers);
  const stall = { subscriber, does: "stall", for: LATE_MS, times: 1 } as const;
  behaviours.push({ ...stall, on: first.publish }, { ...stall, on: last.publish });
  faults.push({ at: last.at - AWAY_BEFORE_MS, crash: "broker", restartAfter: AWAY_MS });
  return true;
}

/** A record is confirmed so late that its lease has to be renewed; returns when that is. */
function keep(dice: Dice, { records, subscribers, behaviours }: Workload, ms: number): number {
  const { publish: on, at } = dice.from(records);
  const { subscriber, joinAt } = dice.from(subscribers);
  behaviours.unshift({ subscriber, on, does: "late", for: ms, times: 1 });
  return Math.max(at, joinAt) + ms;
}

/** A filter that rejects a record does so each time; other troubles pass, as a rule. */
function timesOf(does: Behaviour, dice: Dice): number | undefined {
  return does === "reject" || dice.oneIn(6) ? undefined : 1 + dice.below(2);
}

function lengthOf(does: Behaviour, dice: Dice): number {
  switch (does) {
    case "slow":
      return 500 + dice.below(5_000);
    case "late":
      return 3_000 + dice.below(15_000);
    case "stall":
      return 22_000 + dice.below(20_000);
    case "leave":
      return 500 + dice.below(10_000);
    default:
      return 0;
  }
}

function strikeNetwork(dice: Dice, faults: Faults): void {
  const count = 1 + dice.below(3);
  for (let n = 0; n < count; n += 1) {
    const site = dice.from(NETWORK_SITES);
    const delayMs = 500 + dice.below(6_000);
    const verdict = dice.from([
      "fail-before",
      "fail-after",
      "drop-request",
      "drop-reply",
      "delay",
      "duplicate",
    ] as const);
    // Long enough, now and then, that the client library gives up and its user has to act.
    const times = dice.oneIn(3) ? 4 + dice.below(8) : 1;
    const nth = 1 + dice.below(8);
    const delayed = verdict === "delay" ? { for: delayMs } : {};
    faults.push(siteFault(site, verdict, { nth, times, ...delayed }));
  }
}

function strikeCrash(dice: Dice, faults: Faults): void {
  const site = dice.from(CRASH_SITES);
  const verdict = dice.from(["crash-before", "crash-after"] as const);
  const restartAfter = 1_000 + dice.below(4_000);
  faults.push(siteFault(site, verdict, { nth: 1 + dice.below(6), restartAfter }));
}

/** The broker crashes while it serves a call, or without a word, or its reply is late. */
function strikeCallee(dice: Dice, faults: Faults): void {
  const site = dice.from(NETWORK_SITES);
  const nth = 1 + dice.below(8);
  const ms = 1_000 + dice.below(8_000);
  const verdict = dice.from(["crash-callee-after", "crash-callee-before", "delay-reply"] as const);
  if (dice.oneIn(3)) {
    const at = dice.below(SAFETY_MS);
    faults.push({ at, crash: "broker", restartAfter: 2 * ms, halfOpen: true });
  } else {
    faults.push(siteFault(site, verdict, { nth, for: ms, restartAfter: ms }));
  }
}

function breakHosts(dice: Dice, faults: Faults): void {
  const at = dice.below(SAFETY_MS);
  const link = ["triggerer", "broker"] as const;
  switch (dice.below(5)) {
    case 0:
      faults.push({ at, crash: "triggerer", restartAfter: 1_000 + dice.below(5_000) });
      break;
    case 1:
      faults.push({ at, crash: "broker", restartAfter: 1_000 + dice.below(20_000) });
      break;
    case 2: {
      const length = dice.oneIn(2) ? 35_000 : 2_000 + dice.below(10_000);
      faults.push({ at, pause: "triggerer", for: length });
      break;
    }
    case 3:
      faults.push({ at, cut: link, oneWay: false, for: 1_000 + dice.below(30_000) });
      break;
    default:
      faults.push({ at, hold: link, bothWays: true, for: 1_000 + dice.below(20_000) });
  }
}

/** Half of them strike while a badly treated record is in flight, the others at any time. */
function disturb(
  dice: Dice,
  { records, behaviours }: Workload,
  faults: Faults,
  names: readonly string[],
): void {
  const bad = new Set(behaviours.map(({ on }) => on));
  const times = records.flatMap(({ publish, at }) => (bad.has(publish) ? [at] : []));
  const count = 1 + dice.below(3);
  for (let n = 0; n < count; n += 1) {
    const isClose = times.length > 0 && dice.oneIn(2);
    const at = isClose ? dice.from(times) + dice.below(1_000) : 500 + dice.below(SAFETY_MS - 500);
    faults.push({ at, disturb: dice.from(names) });
  }
}
