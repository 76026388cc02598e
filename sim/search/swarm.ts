import type { ChoiceKind, ChoiceStream } from "../choices.ts";
import type { Ratio } from "../faults/rule.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { type Chance, chanceOf } from "./chance.ts";
import type { ChoiceSource } from "./strategy.ts";

/** In one run out of so many everything is as the scenario has it. */
const PLAIN_RUNS = 4;
/** Rates, log-uniform: each as likely as any other; integers, because `Math.log` differs. */
const RATES = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024] as const;
/** A fault site is active for the run with one of these chances. */
const ACTIVE: readonly Ratio[] = [
  { numerator: 1, denominator: 4 },
  { numerator: 3, denominator: 8 },
  { numerator: 1, denominator: 2 },
];
/** How often a site that is active fires. */
const FIRING = 4;
/** Choices of more possibilities than this are amounts, not kinds of act. */
const KINDS_MAX = 32;
/** What is drawn of a fault that strikes, and does not say whether it does. */
const OF_A_FAULT: ReadonlySet<string> = new Set([
  "when in the minute",
  "down for",
  "paused for",
  "cut off from",
  "cut for",
  "which",
  "which worker",
  "retention",
]);
/** What a scenario lists exists in a run with this chance. */
const LISTED: Ratio = { numerator: 3, denominator: 4 };

/** How the choices of one label are drawn in a run. */
type Habit =
  | { readonly kind: "plain" }
  | { readonly kind: "off" }
  | { readonly kind: "rate"; readonly oneIn: number }
  | { readonly kind: "some"; readonly values: readonly number[] };

const PLAIN: Habit = Object.freeze({ kind: "plain" });
const OFF: Habit = Object.freeze({ kind: "off" });

/** What a swarm left of a scenario, and what it left out. */
export interface SwarmScenario {
  readonly scenario: Scenario;
  readonly without: readonly string[];
}

/**
 * Swarm configuration: draws for one run which acts and faults exist in it at all, and how often
 * those strike.
 *
 * Holds: choice 0, the calm one, always exists; who goes first is not touched.
 * Why so: a run that may do everything does a little of everything; most bugs need a lot of one
 * thing, and that another never happens.
 *
 * Source: Groce, Zhang, Eide, Chen, Regehr, "Swarm testing", ISSTA 2012
 */
export class Swarm {
  readonly #seed: number;
  readonly #habits = new Map<string, Habit>();
  readonly #active: Ratio;
  readonly #isPlain: boolean;

  constructor(seed: number) {
    this.#seed = seed;
    const chance = chanceOf(seed, "swarm");
    this.#isPlain = chance(PLAIN_RUNS) === 0;
    this.#active = ACTIVE[chance(ACTIVE.length)] as Ratio;
  }

  /** The scenario with some of the faults and operations that it lists. */
  scenario(scenario: Scenario): SwarmScenario {
    if (this.#isPlain || scenario.world === "manager") return { scenario, without: [] };
    const without: string[] = [];
    const some = <T extends object>(list: readonly T[], name: string): readonly T[] => {
      const chance = chanceOf(this.#seed, `swarm/${name}`);
      return list.filter((one, at) => {
        // Who takes the records in the end may hang on it.
        if ("createTrigger" in one) return true;
        const exists = chance(LISTED.denominator) < LISTED.numerator;
        if (!exists) without.push(`${name} ${at + 1}`);
        return exists;
      });
    };
    const faults = some<object>(scenario.faults, "fault");
    const operations = some<object>(scenario.operations, "operation");
    return { scenario: { ...scenario, faults, operations } as Scenario, without };
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

  /** What was drawn so far, a line per label that is not as the scenario has it. */
  drawn(): readonly string[] {
    return [...this.#habits]
      .filter(([, habit]) => habit.kind !== "plain")
      .map(([name, habit]) => `${name}: ${wordsFrom(habit)}`);
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
    if (known !== undefined) return known;
    const habit = this.#draw(kind, n, label, chanceOf(this.#seed, `swarm/habit/${name}`));
    this.#habits.set(name, habit);
    return habit;
  }

  #draw(kind: ChoiceKind, n: number, label: string, chance: Chance): Habit {
    if (kind === "fault") {
      if (OF_A_FAULT.has(label)) return PLAIN;
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

/** Half of the possibilities, by chance, and 0. */
function someOf(n: number, chance: Chance): readonly number[] {
  const values = [0];
  for (let value = 1; value < n; value += 1) if (chance(2) === 0) values.push(value);
  return values;
}

function wordsFrom(habit: Habit): string {
  switch (habit.kind) {
    case "plain":
      return "as the scenario has it";
    case "off":
      return "never";
    case "rate":
      return `the last in 1 of ${habit.oneIn}`;
    case "some":
      return `only ${habit.values.join(", ")}`;
    default:
      return habit satisfies never;
  }
}
