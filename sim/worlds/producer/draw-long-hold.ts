import type { Dice } from "../../choices/dice.ts";
import type { Workload } from "./draw-amid.ts";
import type { ProducerScenario } from "./producer-scenario.ts";
import { LIVENESS_MS } from "./producer-schema.ts";

type Faults = ProducerScenario["faults"][number][];

/** Longer than five minutes, after which some client libraries stop renewing by default. */
const HELD_MS = 330_000;
const ACK_TIMEOUT_MS = 360_000;
const AFTERWARDS_MS = 10_000;

/**
 * Now and then one record is confirmed only after minutes, and nothing is wrong: whoever renews a
 * lease a certain number of times, or for a certain time, has given up by then. Returns the timeout
 * that allows it, in milliseconds; 0 in most runs.
 */
export function holdForLong(
  dice: Dice,
  { records, subscribers, behaviours }: Workload,
  faults: Faults,
  phases: { safety: number; liveness: number },
): number {
  if (!dice.oneIn(48)) return 0;
  faults.length = 0;
  behaviours.length = 0;
  const { publish: on, at } = dice.from(records);
  const { subscriber, joinAt } = dice.from(subscribers);
  behaviours.push({ subscriber, on, does: "late", for: HELD_MS, times: 1 });
  phases.safety = Math.max(phases.safety, Math.max(at, joinAt) + HELD_MS + AFTERWARDS_MS);
  phases.liveness = Math.max(phases.liveness, LIVENESS_MS + ACK_TIMEOUT_MS);
  return ACK_TIMEOUT_MS;
}
