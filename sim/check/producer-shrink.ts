import type { CounterexampleSize } from "./producer-violation.ts";
import type { ProducerAct, ProducerPlan } from "./producer-plan.ts";

/** How many runs the shrinking of one counterexample may take. */
const TRIES_MAX = 400;
/** In how many different worlds a smaller plan is tried: latencies and races differ in each. */
const WORLDS = 3;

/**
 * The smallest plan that still breaks the same promise: acts are taken away, in halves, quarters
 * and one by one, as long as it does.
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
  let chunk = Math.ceil(plan.acts.length / 2);
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
