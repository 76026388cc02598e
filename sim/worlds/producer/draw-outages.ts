import type { Dice } from "../../choices/dice.ts";
import { refOf, type Workload } from "./draw-amid.ts";
import type { ProducerScenario } from "./producer-scenario.ts";

type Faults = ProducerScenario["faults"][number][];

/** Longer than the library of a client tries by itself, so that its user hears of it. */
const AWAY_MS = 12_000;
const FIRST_AT_MS = 5_000;
/**
 * From the start of each outage to that of the next. A pause that doubles with each failure, from
 * a second or less, is sixteen seconds long after the first outage, and doubles with each other.
 */
const GAPS_MS = [24_000, 22_000, 38_000, 70_000, 134_000, 262_000] as const;
/** More than five minutes, and less than a pause that has doubled so often. */
const OUTAGES_LIVENESS_MS = 420_000;

/**
 * Now and then the broker is away for a moment, again and again, each time after longer, and
 * nothing else is wrong: a pause that grows with each failure, and is not short again after a
 * success, is too long then for what is published at last.
 */
export function goAway(
  dice: Dice,
  { records, behaviours }: Workload,
  faults: Faults,
  phases: { safety: number; liveness: number },
): void {
  if (!dice.oneIn(48)) return;
  faults.length = 0;
  behaviours.length = 0;
  let at = FIRST_AT_MS;
  for (const gapMs of [0, ...GAPS_MS]) {
    at += gapMs;
    faults.push({ at, crash: "broker", restartAfter: AWAY_MS });
  }
  at += 2 * AWAY_MS;
  records.push({ at, publish: refOf(records.length + 1), key: dice.from(records).key });
  phases.safety = Math.max(phases.safety, at + 1);
  phases.liveness = Math.max(phases.liveness, OUTAGES_LIVENESS_MS);
}
