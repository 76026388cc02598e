import type { Dice } from "../../choices/dice.ts";
import type { Workload } from "./draw-amid.ts";
import type { ProducerScenario } from "./producer-scenario.ts";

type Faults = ProducerScenario["faults"][number][];

/** A pause that doubles is more than a quarter of an hour by then, where it has no upper bound. */
const FAILURES = 10;
/** Longer than a producer lets what failed wait, and shorter than a pause that grows for ever. */
const POISON_LIVENESS_MS = 900_000;

/**
 * Now and then one record fails ten times in a row, also when all is calm, and nothing else is
 * wrong: a pause that grows each time, without an upper bound, gets too long then. Returns for how
 * many virtual milliseconds the liveness phase has to go on; 0 in most runs. Not for a broker that
 * gives up what it has often delivered: other records that are in hand at each failure would be
 * given up with this one.
 */
export function poison(
  dice: Dice,
  { records, subscribers, behaviours }: Workload,
  faults: Faults,
): number {
  if (!dice.oneIn(48)) return 0;
  faults.length = 0;
  behaviours.length = 0;
  const { publish: on } = dice.from(records);
  for (const { subscriber } of dice.oneIn(2) ? subscribers : [dice.from(subscribers)]) {
    behaviours.push({ subscriber, on, does: "fail", for: 0, times: FAILURES });
  }
  return POISON_LIVENESS_MS;
}
