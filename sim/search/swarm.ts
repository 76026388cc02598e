import type { ChoiceKind, ChoiceStream } from "../choices/choices.ts";
import { FAULT_DETAILS } from "../faults/fault-details.ts";
import type { Ratio } from "../faults/rule.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { type Chance, chanceOf } from "./strategy/chance.ts";
import type { ChoiceSource } from "./strategy/strategy.ts";

/** One run in this many is run exactly as the scenario says. */
const PLAIN_RUNS = 4;
/**
 * Rates to draw from, log-uniform. A table of integers, because `Math.log` differs between engines.
 */
const RATES = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024] as const;
/** The chance that a fault is active in a run; each run draws one of these. */
const ACTIVE: readonly Ratio[] = [
  { numerator: 1, denominator: 4 },
  { numerator: 3, denominator: 8 },
  { numerator: 1, denominator: 2 },
];
/** An active fault strikes once in this many opportunities. */
const FIRING = 4;
/** A choice with more options than this is an amount, not a kind of action. */
const KINDS_MAX = 32;
const DETAILS: ReadonlySet<string> = new Set(Object.values(FAULT_DETAILS));
/** The chance that a fault or operation listed by the scenario is kept in a run. */
const LISTED: Ratio = { numerator: 3, denominator: 4 };

/**
 * How the choices with one label are drawn in a run: `plain`: as without a swarm; `off`: always
 * choice 0; `rate`: the last option once in `oneIn` draws; `some`: only these options.
 */
type Habit =
  | { readonly kind: "plain" }
  | { readonly kind: "off" }
  | { readonly kind: "rate"; readonly oneIn: number }
  | { readonly kind: "some"; readonly values: readonly number[] };

const PLAIN: Habit = Object.freeze({ kind: "plain" });
const OFF: Habit = Object.freeze({ kind: "off" });

/** Identifies the choices of one kind and label among `n` options. */
interface Question {
  readonly kind: ChoiceKind;
  readonly label: string;
  readonly n: number;
}

/** A scenario without some of its faults and operations, and what was left out, in words. */
export interface SwarmScenario {
  readonly scenario: Scenario;
  readonly without: readonly string[];
}

/**
 * Swarm configuration of one run: draws which actions and faults are possible in it at all, and how
 * often they happen.
 *
 * Holds: choice 0, the calm one, always remains possible; scheduling is not touched.
 *
 * A run in which everything is possible does a little of everything, while most bugs need a lot of
 * one action and the absence of another.
 *
 * Source: Groce, Zhang, Eide, Chen, Regehr, "Swarm testing", ISSTA 2012
 */
export class Swarm {
  readonly #seed: number;
  readonly #habits = new Map<string, readonly [Question, Habit]>();
  readonly #active: Ratio;
  readonly #isPlain: boolean;

  constructor(seed: number) {
    this.#seed = seed;
    const chance = chanceOf(seed, "swarm");
    this.#isPlain = chance(PLAIN_RUNS) === 0;
    this.#active = ACTIVE[chance(ACTIVE.length)] as Ratio;
  }

  /** Returns the scenario with some of its listed faults and operations left out. */
  scenario(scenario: Scenario): SwarmScenario {
    if (this.#isPlain) return { scenario, without: [] };
    const { makeup } = worldKindOf(scenario);
    const { operations } = makeup;
    const listed = makeup.faults(scenario);
    const faults = this.#some("fault", listed.length, () => true);
    const done = this.#some("operation", operations.count(scenario), (place) =>
      operations.isOptional(scenario, place),
    );
    let left = scenario;
    if (faults.without.length > 0) {
      left = makeup.withFaults(
        left,
        listed.filter((_, place) => faults.places.includes(place)),
      );
    }
    if (done.without.length > 0) left = operations.keep(left, done.places);
    return { scenario: left, without: [...faults.without, ...done.without] };
  }

  /** Draws which of `count` parts are kept in this run, and names those left out. */
  #some(
    name: string,
    count: number,
    isOptional: (place: number) => boolean,
  ): { readonly places: readonly number[]; readonly without: readonly string[] } {
    const chance = chanceOf(this.#seed, `swarm/${name}`);
    const places: number[] = [];
    const without: string[] = [];
    for (let place = 0; place < count; place += 1) {
      if (!isOptional(place) || chance(LISTED.denominator) < LISTED.numerator) places.push(place);
      else without.push(`${name} ${place + 1} of the scenario is left out`);
    }
    return { places, without };
  }

  readonly around = (source: ChoiceSource): ChoiceSource => {
    if (this.#isPlain) return source;
    return {
      scheduler: source.scheduler,
      stream: (kind, part) => {
        const inner = source.stream(kind, part);
        return kind === "sched" ? inner : this.#habitual(kind, part, inner);
      },
    };
  };

  /** Describes what was drawn so far, a sentence for each kind of choice that it affects. */
  changes(): readonly string[] {
    return [...this.#habits.values()].flatMap(([question, habit]) => wordsFrom(question, habit));
  }

  #habitual(kind: ChoiceKind, part: string, inner: ChoiceStream): ChoiceStream {
    const chance = chanceOf(this.#seed, `swarm/${kind}/${part}`);
    return {
      choose: (n, label) => {
        if (n === 1) return 0;
        const habit = this.#habitOf(kind, n, label);
        switch (habit.kind) {
          case "plain":
            return inner.choose(n, label);
          case "off":
            return 0;
          case "rate":
            return chance(habit.oneIn) === 0 ? n - 1 : inner.choose(n, label) % (n - 1);
          case "some":
            return habit.values[inner.choose(n, label) % habit.values.length] as number;
          default:
            return habit satisfies never;
        }
      },
    };
  }

  #habitOf(kind: ChoiceKind, n: number, label: string): Habit {
    const name = `${kind} "${label}" of ${n}`;
    const known = this.#habits.get(name);
    if (known !== undefined) return known[1];
    const habit = this.#draw(kind, n, label, chanceOf(this.#seed, `swarm/habit/${name}`));
    this.#habits.set(name, [{ kind, label, n }, habit]);
    return habit;
  }

  #draw(kind: ChoiceKind, n: number, label: string, chance: Chance): Habit {
    if (kind === "fault") {
      if (DETAILS.has(label)) return PLAIN;
      if (chance(this.#active.denominator) >= this.#active.numerator) return OFF;
      return { kind: "rate", oneIn: FIRING };
    }
    switch (chance(4)) {
      case 0:
        return { kind: "rate", oneIn: RATES[chance(RATES.length)] as number };
      case 1:
        return n <= KINDS_MAX ? { kind: "some", values: someOf(n, chance) } : PLAIN;
      default:
        return PLAIN;
    }
  }
}

/** Draws about half of the options; 0 is always among them. */
function someOf(n: number, chance: Chance): readonly number[] {
  const values = [0];
  for (let value = 1; value < n; value += 1) if (chance(2) === 0) values.push(value);
  return values;
}

function wordsFrom({ kind, label, n }: Question, habit: Habit): readonly string[] {
  const what = kind === "fault" ? `fault "${label}"` : `${kind} choice "${label}"`;
  switch (habit.kind) {
    case "plain":
      return [];
    case "off":
      return [`${what} never strikes`];
    case "rate":
      return [
        kind === "fault"
          ? `${what} strikes once in ${habit.oneIn} opportunities`
          : `${what} takes the last of its ${n} options once in ${habit.oneIn} draws`,
      ];
    case "some":
      return [`${what} takes only ${optionsText(habit.values)}, out of 0 to ${n - 1}`];
    default:
      return habit satisfies never;
  }
}

function optionsText(values: readonly number[]): string {
  return values.length === 1 ? `option ${values[0]}` : `options ${values.join(", ")}`;
}
