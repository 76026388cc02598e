import type { BrokerModel, Disturbance } from "../../brokers/broker.ts";
import type { Dice } from "../../choices/dice.ts";
import type { SiteFault } from "../../codecs/scenario-parts.ts";
import { isHalfOpen, type Workload } from "./draw-amid.ts";
import { siteFault } from "./draw-site-fault.ts";
import { SAFETY_MS } from "./producer-schema.ts";
import type { ProducerScenario } from "./producer-scenario.ts";

type Faults = ProducerScenario["faults"][number][];

/** How often another client gets further, at most. */
const OVERTAKEN_MAX = 2;
/** For how long a record is worked on, or waits for the next one. */
const AT_WORK_MS = 8_000;

/** What few brokers do, or few runs need. */
export function strikeNowAndThen(
  dice: Dice,
  faults: Faults,
  { transport, misnames }: BrokerModel<unknown>,
  all: readonly Disturbance[],
): void {
  const rare = all.filter(({ isRare }) => isRare === true);
  if (rare.length > 0 && dice.oneIn(16)) {
    faults.push({ at: dice.below(SAFETY_MS), disturb: dice.from(rare).name });
  }
  if (transport === "http" && dice.oneIn(faults.length === 0 ? 4 : 16)) {
    faults.push(lateCopy(dice));
  }
  if (misnames === true && dice.oneIn(faults.length === 0 ? 4 : 16)) {
    const [nth, times] = [1 + dice.below(6), 1 + dice.below(3)];
    faults.push(siteFault("broker.fetch", "answer-other", { nth, times }));
  }
}

/** The broker refuses the client itself: drawn behind all else, so that no other draw moves. */
export function refuse(dice: Dice, faults: Faults, all: readonly Disturbance[]): void {
  const fatal = all.filter(({ isFatal }) => isFatal === true);
  if (fatal.length === 0 || faults.some(isHalfOpen) || !dice.oneIn(16)) return;
  faults.push({ at: dice.below(SAFETY_MS), disturb: dice.from(fatal).name });
}

/** Another client gets further while some record is worked on: drawn behind all else, again. */
export function overtake(
  dice: Dice,
  { records }: Workload,
  faults: Faults,
  all: readonly Disturbance[],
): void {
  const overtaking = all.filter(({ overtakes }) => overtakes === true);
  if (overtaking.length === 0 || faults.some(isHalfOpen) || !dice.oneIn(8)) return;
  for (let left = 1 + dice.below(OVERTAKEN_MAX); left > 0; left -= 1) {
    const at = dice.from(records).at + dice.below(AT_WORK_MS);
    if (at < SAFETY_MS) faults.push({ at, disturb: dice.from(overtaking).name });
  }
}

/** Something waits for what clients do next, mostly with what is rejected. */
export function lieInWait(
  dice: Dice,
  { records, behaviours }: Workload,
  faults: Faults,
  all: readonly Disturbance[],
): void {
  const waiting = all.filter(({ waits }) => waits === true);
  if (waiting.length === 0 || faults.some(isHalfOpen) || !dice.oneIn(8)) return;
  const rejecting = behaviours.filter(({ does }) => does === "reject").map(({ on }) => on);
  const rejected = records.filter(({ publish }) => rejecting.includes(publish));
  const { at } = dice.from(rejected.length > 0 ? rejected : records);
  if (at < SAFETY_MS) faults.push({ at, disturb: dice.from(waiting).name });
}

/** Copies of requests arrive after later ones of the same producer, or of the one that follows. */
function lateCopy(dice: Dice): SiteFault {
  const site = dice.from(["broker.settle", "broker.settle", "broker.session"] as const);
  const [nth, times] = [1 + dice.below(6), 1 + dice.below(3)];
  return siteFault(site, "duplicate-late", { nth, times, for: 1_000 + dice.below(20_000) });
}
