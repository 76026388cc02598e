import type { ChoiceKind } from "../../choices/choices.ts";
import type { PinnedChoice } from "../../choices/pinned-choices.ts";
import { fewer, lower } from "./shrink.ts";

/** The kinds in the order in which their pins are removed: those that explain least first. */
const KINDS: readonly ChoiceKind[] = ["time", "data", "fault", "sched", "workload"];

type PinWalk = Generator<readonly PinnedChoice[], readonly PinnedChoice[], boolean>;

/** Sorts pins by kind, those that explain most first, independent of their order in the run. */
export function pinsInOrder(pins: readonly PinnedChoice[]): readonly PinnedChoice[] {
  return pins.toSorted(byKind);
}

/** Removes pins; `pins` are in order. */
export function* fewerPins(pins: readonly PinnedChoice[]): PinWalk {
  return yield* fewer(yield* fewerQuestions(pins));
}

/** Lowers the values of pins, then their positions; `pins` are in order. */
export function* calmerPins(pins: readonly PinnedChoice[]): PinWalk {
  return yield* earlier(yield* smaller(pins));
}

/** Removes all pins of a part and label at once: no latency at all, no stall anywhere. */
function* fewerQuestions(pins: readonly PinnedChoice[]): PinWalk {
  const walk = fewer(questionsIn(pins));
  let step = walk.next();
  while (step.done !== true) step = walk.next(yield step.value.flat());
  return step.value.flat();
}

function* smaller(pins: readonly PinnedChoice[]): PinWalk {
  let kept = pins;
  for (const [at, pin] of pins.entries()) {
    const walk = lower(pin.take, 1);
    const taking = (take: number): readonly PinnedChoice[] => kept.with(at, { ...pin, take });
    let step = walk.next();
    while (step.done !== true) step = walk.next(yield taking(step.value));
    kept = taking(step.value);
  }
  return kept;
}

/** Moves the pins of one part and label to the earliest positions. */
function* earlier(pins: readonly PinnedChoice[]): PinWalk {
  let kept = pins;
  for (const [at, { nth }] of pins.entries()) {
    const { kind, part, label } = pins[at] as PinnedChoice;
    const before = kept.findLast((one, other) => other < at && isOf(one, kind, part, label));
    const least = (before?.nth ?? 0) + 1;
    const now = kept[at]?.nth ?? nth;
    const moved = (to: number): readonly PinnedChoice[] =>
      kept.map((one, other) =>
        other >= at && isOf(one, kind, part, label) ? { ...one, nth: one.nth - now + to } : one,
      );
    const walk = lower(now, least);
    let step = walk.next();
    while (step.done !== true) step = walk.next(yield moved(step.value));
    kept = moved(step.value);
  }
  return kept;
}

/**
 * Merges two neighbouring preemptions of a schedule into one: the later decision at the earlier
 * position, or the earlier decision at the later position.
 */
export function* mergedPins(pins: readonly PinnedChoice[]): PinWalk {
  let kept = pins;
  for (let at = 0; at + 1 < kept.length;) {
    const [one, other] = [kept[at], kept[at + 1]] as [PinnedChoice, PinnedChoice];
    const isPair = one.kind === "sched" && isOf(other, one.kind, one.part, one.label);
    const later = kept.toSpliced(at, 2, { ...one, take: other.take });
    const earlierOnly = kept.toSpliced(at, 2, { ...other, take: one.take });
    if (isPair && (yield later)) kept = later;
    else if (isPair && (yield earlierOnly)) kept = earlierOnly;
    else at += 1;
  }
  return kept;
}

function questionsIn(pins: readonly PinnedChoice[]): readonly (readonly PinnedChoice[])[] {
  const questions = new Map<string, PinnedChoice[]>();
  for (const pin of pins) {
    const name = `${pin.kind}/${pin.part}/${pin.label}`;
    const known = questions.get(name);
    if (known === undefined) questions.set(name, [pin]);
    else known.push(pin);
  }
  return [...questions.values()];
}

function isOf(pin: PinnedChoice, kind: ChoiceKind, part: string, label: string): boolean {
  return pin.kind === kind && pin.part === part && pin.label === label;
}

function byKind(one: PinnedChoice, other: PinnedChoice): number {
  const kinds = KINDS.indexOf(other.kind) - KINDS.indexOf(one.kind);
  if (kinds !== 0) return kinds;
  if (one.part !== other.part) return one.part < other.part ? -1 : 1;
  if (one.label !== other.label) return one.label < other.label ? -1 : 1;
  return one.nth - other.nth;
}
