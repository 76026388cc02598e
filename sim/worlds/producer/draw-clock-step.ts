import type { Dice } from "../../choices/dice.ts";
import type { HostFault } from "../../codecs/scenario-parts.ts";
import { SAFETY_MS } from "./producer-schema.ts";

/** Longer than most leases, and as long as a wrong time zone. */
const CLOCK_STEP_MS_MIN = 60_000;
const CLOCK_STEP_MS_MAX = 3_600_000;
/** Wrong by seconds, as where nothing sets it, up to a wrong time zone. */
const CLOCK_AHEAD_MS_MIN = 5_000;
/** As often as the time services of most systems look, at first. */
const CLOCK_WRONG_MS_MIN = 32_000;
const CLOCK_WRONG_MS_MAX = 64_000;

type ClockStep = Extract<HostFault, { readonly clockStep: unknown }> & { readonly for: number };

/**
 * The wall clock of the triggerer jumps back, until the time service sets it right: who asks it
 * whether a renewal is due renews nothing for longer than the lease of what it holds.
 *
 * Why so: never ahead for a while. A moment that was noted while it was ahead lies as far ahead
 * when it is set right; whoever waits a second by the wall clock would be accused of a wait of an
 * hour.
 */
export function drawClockStep(dice: Dice): ClockStep {
  const ms = CLOCK_STEP_MS_MIN + dice.below(CLOCK_STEP_MS_MAX - CLOCK_STEP_MS_MIN + 1);
  const wrongMs = CLOCK_WRONG_MS_MIN + dice.below(CLOCK_WRONG_MS_MAX - CLOCK_WRONG_MS_MIN + 1);
  return { at: dice.below(SAFETY_MS), clockStep: "triggerer", by: -ms, for: wrongMs };
}

/**
 * The wall clock of the triggerer is ahead of the broker's for the whole run: who asks it whether a
 * lease still holds, or how old a record is, believes that everything is over.
 */
export function drawClockAhead(dice: Dice): HostFault {
  const ms = CLOCK_AHEAD_MS_MIN + dice.below(CLOCK_STEP_MS_MAX - CLOCK_AHEAD_MS_MIN + 1);
  return { at: 0, clockStep: "triggerer", by: ms };
}
