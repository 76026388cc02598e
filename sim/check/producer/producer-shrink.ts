import {
  fewerActs,
  smallerCounts,
  wholeSeconds,
  withoutPair,
} from "../../search/shrink/shrink-acts.ts";
import { shrink, type ShrinkPass, type ShrinkStage, within } from "../../search/shrink/shrink.ts";
import type { CounterexampleSize } from "./producer-violation.ts";
import { type ProducerAct, type ProducerPlan, QUEUE_MAX_DEFAULT } from "./producer-plan.ts";

/** In how many different worlds a smaller plan is tried: latencies and races differ in each. */
const WORLDS = 3;
/** What subscribers and the outside world do of their own accord; all else is a fault. */
const OPERATIONS: ReadonlySet<ProducerAct["kind"]> = new Set(["publish", "conduct"]);
const COUNTS: ReadonlySet<string> = new Set(["nth", "times"]);
const TIMES: ReadonlySet<string> = new Set("at ms downMs restartAfterMs joinAt leaveAt".split(" "));

type Acts = readonly ProducerAct[];

/** The smallest plan that still breaks the same promise. */
export async function shrinkPlan(
  plan: ProducerPlan,
  breaks: (plan: ProducerPlan) => Promise<boolean>,
): Promise<ProducerPlan> {
  const { subject } = await shrink(plan, { stages: STAGES, stillFails: breaks });
  return subject;
}

const STAGES: readonly ShrinkStage<ProducerPlan>[] = [
  [
    ["faults", fewerOf((kind) => kind !== "subscriber" && !OPERATIONS.has(kind))],
    ["operations", fewerOf((kind) => OPERATIONS.has(kind))],
    ["subscribers", fewerOf((kind) => kind === "subscriber")],
  ],
  [["two acts at once", inAnyWorld(withoutPair)]],
  [
    ["settings", settings],
    ["counts", inThisWorld((acts) => smallerCounts(acts, COUNTS))],
    ["times", inThisWorld((acts) => wholeSeconds(acts, TIMES))],
  ],
];

/** Everything that is not as it is by default. */
function* settings(plan: ProducerPlan): Generator<ProducerPlan, void, boolean> {
  const plainer = { ...plan, subscriberQueueMax: QUEUE_MAX_DEFAULT };
  const kept = (yield plainer) ? plainer : plan;
  yield { ...kept, strictPersistence: false };
}

function fewerOf(isOf: (kind: ProducerAct["kind"]) => boolean): ShrinkPass<ProducerPlan> {
  return inAnyWorld((acts) => fewerActs(acts, ({ kind }) => isOf(kind)));
}

function inAnyWorld(
  walkOf: (acts: Acts) => Generator<Acts, Acts, boolean>,
): ShrinkPass<ProducerPlan> {
  return function* worlds(plan) {
    let { salt } = plan;
    const walk = walkOf(plan.acts);
    let step = walk.next();
    while (step.done !== true) {
      const acts = step.value;
      // With nobody there, no stream opens, and all that was published stays: that shows nothing.
      const worlds = acts.some(({ kind }) => kind === "subscriber") ? WORLDS : 0;
      const first = salt;
      let isTaken = false;
      for (let turn = 0; turn < worlds && !isTaken; turn += 1) {
        salt = (first + turn) % WORLDS;
        isTaken = yield { ...plan, acts, salt };
      }
      if (!isTaken) salt = first;
      step = walk.next(isTaken);
    }
  };
}

function inThisWorld(
  walkOf: (acts: Acts) => Generator<Acts, Acts, boolean>,
): ShrinkPass<ProducerPlan> {
  return (plan) => within(walkOf(plan.acts), (acts) => ({ ...plan, acts }));
}

export function sizeOf({ acts }: ProducerPlan): CounterexampleSize {
  const of = (kinds: readonly ProducerAct["kind"][]): number =>
    acts.filter(({ kind }) => kinds.includes(kind)).length;
  const events = of(["publish"]);
  const subscribers = of(["subscriber"]);
  const conducts = of(["conduct"]);
  return { events, subscribers, conducts, faults: acts.length - events - subscribers - conducts };
}
