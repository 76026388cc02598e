import type { CounterexampleSize } from "./producer-violation.ts";
import { type ProducerAct, type ProducerPlan, QUEUE_MAX_DEFAULT } from "./producer-plan.ts";

/** How many runs the shrinking of one counterexample may take. */
const TRIES_MAX = 500;
/** Plans with more acts than this are not tried without each pair of them. */
const PAIRS_OF_MAX = 16;
/** In how many different worlds a smaller plan is tried: latencies and races differ in each. */
const WORLDS = 3;

/**
 * The smallest plan that still breaks the same promise: acts are taken away, in halves, quarters,
 * one by one and two by two, as long as it does.
 *
 * Holds: deterministic; the result breaks it.
 */
export async function shrinkPlan(
  plan: ProducerPlan,
  breaks: (plan: ProducerPlan) => Promise<boolean>,
): Promise<ProducerPlan> {
  let best = plan;
  let tries = 0;
  async function attempt(acts: readonly ProducerAct[]): Promise<boolean> {
    if (acts.length === best.acts.length) return false;
    // With nobody there, no stream opens, and all that was published stays: that shows nothing.
    if (!acts.some(({ kind }) => kind === "subscriber")) return false;
    for (let turn = 0; turn < WORLDS && tries < TRIES_MAX; turn += 1) {
      tries += 1;
      const smaller = { ...best, acts, salt: (best.salt + turn) % WORLDS };
      if (!(await breaks(smaller))) continue;
      best = smaller;
      return true;
    }
    return false;
  }
  async function withoutChunks(): Promise<void> {
    let chunk = Math.ceil(best.acts.length / 2);
    while (chunk >= 1 && tries < TRIES_MAX) {
      let isSmaller = false;
      for (let from = best.acts.length - chunk; from > -chunk; from -= chunk) {
        const start = Math.max(0, from);
        const left = best.acts.filter((_, at) => at < start || at >= start + chunk);
        isSmaller = (await attempt(left)) || isSmaller;
      }
      if (chunk === 1 && !isSmaller) break;
      chunk = chunk === 1 ? 1 : Math.ceil(chunk / 2);
    }
  }
  /** Two acts that only make sense together: a fault, and what makes up for it. */
  async function withoutPair(): Promise<boolean> {
    const { acts } = best;
    if (acts.length > PAIRS_OF_MAX) return false;
    for (let first = acts.length - 1; first > 0; first -= 1) {
      for (let second = first - 1; second >= 0; second -= 1) {
        if (await attempt(acts.filter((_, at) => at !== first && at !== second))) return true;
      }
    }
    return false;
  }
  async function withDefaults(): Promise<void> {
    for (const settings of [
      { subscriberQueueMax: QUEUE_MAX_DEFAULT },
      { strictPersistence: false },
    ]) {
      const plainer = { ...best, ...settings };
      if (await breaks(plainer)) best = plainer;
    }
  }
  do await withoutChunks();
  while (await withoutPair());
  await withDefaults();
  return best;
}

export function sizeOf({ acts }: ProducerPlan): CounterexampleSize {
  const of = (kinds: readonly ProducerAct["kind"][]): number =>
    acts.filter(({ kind }) => kinds.includes(kind)).length;
  const events = of(["publish"]);
  const subscribers = of(["subscriber"]);
  const conducts = of(["conduct"]);
  return { events, subscribers, conducts, faults: acts.length - events - subscribers - conducts };
}
