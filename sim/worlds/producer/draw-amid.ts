import type { Disturbance } from "../../brokers/broker.ts";
import type { Dice } from "../../choices/dice.ts";
import type { SiteName } from "../../faults/site.ts";
import { RESTART_DEFAULT_MS, siteFault } from "./draw-site-fault.ts";
import { SAFETY_MS } from "./producer-schema.ts";
import type {
  BehaviourSpec,
  ProducerScenario,
  RecordSpec,
  SubscriberSpec,
} from "./producer-scenario.ts";

type Faults = ProducerScenario["faults"][number][];

/** What is published, who takes it, and how badly. */
export interface Workload {
  readonly records: RecordSpec[];
  readonly subscribers: SubscriberSpec[];
  readonly behaviours: BehaviourSpec[];
}

/** Twice the site at which most of what was decided takes effect. */
const SETTLING_SITES: readonly SiteName[] = ["broker.settle", "broker.settle", "broker.produce"];
/** Libraries try a request three to six times: some outlast one request, and not the next. */
const FAILURES_MIN = 3;
const FAILURES_MAX = 8;
/** A record that is held comes again within so long: a pause of the producer's, and a fetch. */
const WAITING_MS = 6_000;
/** So long a client may be at work on a settlement that fails. */
const AT_WORK_MS = 3_000;
/** They come for as long as a library and its user try again. */
const TRICKLE_RECORDS = 10;
const TRICKLE_MS_MIN = 400;
const TRICKLE_MS_MAX = 1_400;
/** Two disturbances of one moment: a client is put out, and a rival is there already. */
const SAME_MOMENT_MS = 300;
/** More than producers and libraries read at a time; most read 10 to 100. */
const BACKLOG_RECORDS_MIN = 40;
const BACKLOG_RECORDS_MAX = 140;
/** They are published, handed out, and their triggerer dies within so long. */
const BACKLOG_MS = 10_000;

/** More than one request of SQS takes, which is ten. */
const RUSH_RECORDS_MIN = 14;
const RUSH_RECORDS_MAX = 40;
const RUSH_SLOW_MS = 2_000;
/** A group that ends so soon may end before its stream is open. */
const FLYING_BY_MS = 60;
const AFTER_FLYING_BY_MS = 4_000;

/** Adds, now and then, what goes wrong at the moment in which the fate of a record is decided. */
export function strikeAmid(
  dice: Dice,
  workload: Workload,
  faults: Faults,
  { ackTimeoutMs, all }: { readonly ackTimeoutMs: number; readonly all: readonly Disturbance[] },
): void {
  if (faults.some(isHalfOpen)) return;
  const usual = all.filter(isUsual);
  const takeover = all.filter(({ takesOver }) => takesOver === true).map(({ name }) => name);
  const upsets = { ackTimeoutMs, disturbances: usual.map(({ name }) => name), takeover };
  if (dice.oneIn(4)) strikeAmidSettling(dice, workload, faults, upsets);
  if (usual.length > 0 && dice.oneIn(4)) disturbAmidWaiting(dice, workload, faults, upsets);
  if (dice.oneIn(40)) restartOverBacklog(dice, workload, faults);
  if (dice.oneIn(16)) flyBy(dice, workload, faults);
  if (dice.oneIn(32)) rush(dice, workload, faults);
}

/** Whether the other end is gone unnoticed: other trouble would wake who waits on it. */
export function isHalfOpen(fault: Faults[number]): boolean {
  return "crash" in fault && fault.halfOpen === true;
}

/** Whether a disturbance is drawn like any other fault. */
export function isUsual({ isRare, isFatal, overtakes, waits }: Disturbance): boolean {
  return isRare !== true && isFatal !== true && overtakes !== true && waits !== true;
}

/** What may strike, and when a record times out. */
interface Upsets {
  readonly ackTimeoutMs: number;
  /** The usual ones. */
  readonly disturbances: readonly string[];
  /** Those of them with which another client takes over. */
  readonly takeover: readonly string[];
}

/**
 * Requests fail in a row just when a badly treated record is settled or dead-lettered, so often
 * that the client library may give up and its user has to act. Others of its key may come
 * meanwhile, whose settlement can overtake the one that is tried again; and another client may take
 * over.
 */
function strikeAmidSettling(
  dice: Dice,
  workload: Workload,
  faults: Faults,
  { ackTimeoutMs, takeover }: Upsets,
): void {
  const { behaviours } = workload;
  // What is rejected is written in two places, so that more can go wrong between them.
  const rejecting = behaviours.filter(({ does }) => does === "reject");
  const wanted = { ...workload, behaviours: mostly(dice, rejecting, behaviours) };
  const from = momentOf(dice, wanted, ackTimeoutMs);
  if (from >= SAFETY_MS) return;
  const site = dice.from(SETTLING_SITES);
  const verdict = dice.from(["fail-before", "fail-before", "fail-after", "drop-request"] as const);
  const times = FAILURES_MIN + dice.below(FAILURES_MAX - FAILURES_MIN + 1);
  faults.push(siteFault(site, verdict, { nth: 1, times, from }));
  if (!dice.oneIn(3)) trickle(dice, workload, from);
  if (takeover.length > 0 && dice.oneIn(3)) {
    strikeTogether(dice, faults, from + dice.below(AT_WORK_MS), takeover);
  }
}

/** Publishes a few more records of one key, one after the other, from this time on. */
function trickle(dice: Dice, { records }: Workload, from: number): void {
  const { key } = records.findLast(({ at }) => at <= from) ?? dice.from(records);
  let at = Math.max(from, records.at(-1)?.at ?? 0);
  for (let left = TRICKLE_RECORDS; left > 0; left -= 1) {
    at += TRICKLE_MS_MIN + dice.below(TRICKLE_MS_MAX - TRICKLE_MS_MIN);
    if (at >= SAFETY_MS) return;
    records.push({ at, publish: refOf(records.length + 1), key });
  }
}

/** These disturbances strike at one moment, if there are faults still. */
function strikeTogether(dice: Dice, faults: Faults, from: number, names: Iterable<string>): void {
  let at = from;
  for (const disturb of names) {
    if (at < SAFETY_MS) faults.push({ at, disturb });
    at += dice.below(SAME_MOMENT_MS);
  }
}

/** What a client relies on is upset while a badly treated record waits to come again. */
function disturbAmidWaiting(
  dice: Dice,
  workload: Workload,
  faults: Faults,
  { ackTimeoutMs, disturbances, takeover }: Upsets,
): void {
  const { records, behaviours } = workload;
  // Behind it are others, which somebody else may settle meanwhile.
  const holding = behaviours.filter(
    ({ does, on }) => does !== "reject" && hasOthersBehind(on, records),
  );
  const wanted = { ...workload, behaviours: mostly(dice, holding, behaviours) };
  const at = momentOf(dice, wanted, ackTimeoutMs) + dice.below(WAITING_MS);
  const isTakenOver = takeover.length > 0 && dice.oneIn(2);
  const names = isTakenOver ? takeover : [dice.from(disturbances), dice.from(disturbances)];
  strikeTogether(dice, faults, at, new Set(names));
}

function hasOthersBehind(ref: string, records: readonly RecordSpec[]): boolean {
  const at = records.findIndex(({ publish }) => publish === ref);
  return records.slice(at + 1).some(({ key }) => key === records[at]?.key);
}

/** Returns these, mostly, if there are any, and all of them otherwise. */
function mostly<T>(dice: Dice, these: T[], all: T[]): T[] {
  return these.length > 0 && !dice.oneIn(3) ? these : all;
}

/**
 * When the outcome of a badly treated record is known, if it is handed out at once. It mostly is
 * the first one: what follows may have to wait behind it.
 */
function momentOf(dice: Dice, workload: Workload, ackTimeoutMs: number): number {
  const moments = workload.behaviours.map((one) => outcomeAt(one, workload, ackTimeoutMs));
  if (moments.length === 0) return dice.from(workload.records).at;
  return dice.oneIn(3) ? dice.from(moments) : Math.min(...moments);
}

function outcomeAt(
  { on, subscriber, does, for: ms }: BehaviourSpec,
  { records, subscribers }: Workload,
  ackTimeoutMs: number,
): number {
  const { at = 0 } = records.find(({ publish }) => publish === on) ?? {};
  const { joinAt = 0 } = subscribers.find((one) => one.subscriber === subscriber) ?? {};
  return Math.max(at, joinAt) + (does === "lose" ? ackTimeoutMs : Math.min(ms, ackTimeoutMs));
}

/**
 * The triggerer dies with more in hand than is read at a time, and finds it all pending when it is
 * back.
 */
function restartOverBacklog(
  dice: Dice,
  { records, subscribers, behaviours }: Workload,
  faults: Faults,
): void {
  const last = records.at(-1);
  const first = records.length + 1;
  if (last === undefined || last.at > SAFETY_MS - BACKLOG_MS) return;
  const count = BACKLOG_RECORDS_MIN + dice.below(BACKLOG_RECORDS_MAX - BACKLOG_RECORDS_MIN + 1);
  const at = last.at + 1_000;
  for (let n = first; n < first + count; n += 1) {
    records.push({ at, publish: refOf(n), key: last.key });
  }
  const { subscriber } = dice.from(subscribers);
  behaviours.push({ subscriber, on: refOf(first), does: "stall", for: 22_000, times: 1 });
  faults.push({
    at: at + 2_000 + dice.below(4_000),
    crash: "triggerer",
    restartAfter: RESTART_DEFAULT_MS,
  });
}

/** The first subscriber leaves as soon as it has joined: the group ends while its stream opens. */
function flyBy(dice: Dice, { subscribers }: Workload, faults: Faults): void {
  const afterwards = FLYING_BY_MS + dice.below(AFTER_FLYING_BY_MS);
  const others = subscribers.map(({ subscriber, joinAt, leaveAt }) => {
    const later = leaveAt === undefined ? undefined : leaveAt + afterwards;
    return { subscriber, joinAt: joinAt + afterwards, leaveAt: later };
  });
  const first = { subscriber: others.length + 1, joinAt: 0, leaveAt: 1 + dice.below(FLYING_BY_MS) };
  subscribers.splice(0, subscribers.length, ...others, first);
  const site = dice.from(["broker.session", "broker.session", "broker.fetch"] as const);
  const delay = { nth: 1 + dice.below(3), for: 50 + dice.below(AFTER_FLYING_BY_MS) };
  if (dice.oneIn(2)) faults.push(siteFault(site, "delay", delay));
}

/**
 * Many records that wait behind a slow one are settled at one moment, and nothing is wrong at all:
 * that would be a reason for them to come again.
 */
function rush(dice: Dice, { records, subscribers, behaviours }: Workload, faults: Faults): void {
  behaviours.length = 0;
  faults.length = 0;
  const first = records.length + 1;
  const at = 1_000 + Math.max(records.at(-1)?.at ?? 0, ...subscribers.map(({ joinAt }) => joinAt));
  const count = RUSH_RECORDS_MIN + dice.below(RUSH_RECORDS_MAX - RUSH_RECORDS_MIN + 1);
  const { key } = dice.from(records);
  for (let n = first; n < first + count; n += 1) records.push({ at, publish: refOf(n), key });
  for (const { subscriber } of subscribers) {
    const slow = { subscriber, does: "slow", for: RUSH_SLOW_MS, times: 1 } as const;
    behaviours.push({ ...slow, on: refOf(first) });
  }
}

/** The name of the nth record, from 1. */
export function refOf(n: number): string {
  return `ref-${String(n).padStart(6, "0")}`;
}
