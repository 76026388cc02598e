import type { RunReport } from "../../run/run-report.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { worldKindOf } from "../../scenario/world-kinds.ts";
import { simulate } from "../../run/simulate.ts";
import {
  type ListedPart,
  listedPartsOf,
  partWords,
  type Vacuity,
  vacuityOf,
} from "../../run/vacuity.ts";
import type { WorldParts } from "../../worlds/world-parts.ts";
import { assertPossible, withoutImpossibleActs } from "../possible.ts";
import { type Certificate, exploreAll } from "./exhaustive.ts";
import { ExhaustiveChoices, AlreadyExplored } from "./exhaustive-choices.ts";

/**
 * How large the world is, and how often a run may deviate from the calm choice: by a fault that has
 * a rate, a preemption (another host goes first), a delay, data, workload.
 */
export interface ScenarioBounds {
  readonly hosts: number;
  readonly operations: number;
  /** How long the safety phase is, in virtual seconds. */
  readonly seconds: number;
  readonly faults: number;
  readonly preemptions: number;
  readonly delays: number;
  readonly data: number;
  readonly workload: number;
}

export const SCENARIO_BOUNDS: ScenarioBounds = Object.freeze({
  hosts: 1,
  operations: 10,
  seconds: 10,
  faults: 1,
  preemptions: 1,
  delays: 0,
  data: 0,
  workload: 0,
});

/** How a scenario is explored. */
export interface ExhaustScenarioOptions {
  readonly bounds?: Partial<ScenarioBounds>;
  readonly runsMax?: number;
  readonly parts?: WorldParts;
  readonly onRun?: (runs: number, states: number) => void;
  /** Called with each run that breaks a promise, when it ends, and the scenario within its bounds. */
  readonly onBroken?: (report: RunReport, scenario: Scenario) => void;
  /** Ends the exploration, which then is not complete, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What the exploration of a scenario found. */
export interface ExhaustedScenario {
  /** The scenario within its bounds. */
  readonly scenario: Scenario;
  readonly certificate: Certificate;
  /** How many choices were tried at their first and last option only. */
  readonly narrowed: number;
  /** How many faults struck, without which a certificate says little. */
  readonly faults: FaultsStruck;
  /** What came to nothing in every run. */
  readonly vacuous: readonly Vacuity[];
  /** Runs that broke a promise; each has its choices. */
  readonly broken: readonly RunReport[];
}

/** The faults of an exploration. A run that ends in a state known from another one counts as well. */
export interface FaultsStruck {
  /** How often any listed fault struck. */
  readonly struck: number;
  /** In how many runs one struck. */
  readonly runs: number;
  /** In how many runs each listed fault struck, in the order of the scenario. */
  readonly listed: readonly {
    readonly path: string;
    readonly what: string;
    readonly runs: number;
  }[];
}

/** Counts what takes effect in the runs of an exploration. */
class Effects {
  readonly #faults: readonly ListedPart[];
  readonly #runsOf = new Map<object, number>();
  readonly #marks = new Set<string>();
  #struck = 0;
  #runs = 0;

  constructor(scenario: Scenario) {
    this.#faults = listedPartsOf(scenario).filter(({ kind }) => kind === "fault-never-struck");
  }

  /** Adds a run in which these parts took effect, each as often as it is named. */
  add(parts: readonly object[]): void {
    const faults = new Set<object>(this.#faults.map(({ part }) => part));
    const struck = parts.filter((part) => faults.has(part)).length;
    this.#struck += struck;
    if (struck > 0) this.#runs += 1;
    for (const part of new Set(parts)) this.#runsOf.set(part, this.#timesOf(part) + 1);
  }

  reach(mark: string): void {
    this.#marks.add(mark);
  }

  faults(): FaultsStruck {
    const listed = this.#faults.map(({ path, part }) => {
      return { path, what: partWords(part), runs: this.#timesOf(part) };
    });
    return { struck: this.#struck, runs: this.#runs, listed };
  }

  vacuous(scenario: Scenario): readonly Vacuity[] {
    return vacuityOf(scenario, {
      effectsOf: (part) => this.#timesOf(part),
      marksReached: this.#marks,
    });
  }

  #timesOf(part: object): number {
    return this.#runsOf.get(part) ?? 0;
  }
}

/**
 * Explores every run of a scenario within bounds.
 *
 * Holds: runs that differ only in the order of independent steps are explored once.
 *
 * @throws {RangeError} when the scenario has a storm, which has too many possible times to explore,
 *   or when a fault cannot strike within the bounds
 */
export async function exhaustScenario(
  scenario: Scenario,
  options: ExhaustScenarioOptions = {},
): Promise<ExhaustedScenario> {
  const bounds = { ...SCENARIO_BOUNDS, ...options.bounds };
  const bounded = withoutImpossibleActs(within(scenario, bounds));
  assertPossible(bounded, "explore", " within these bounds");
  let narrowed = 0;
  const effects = new Effects(bounded);
  const { certificate, failures } = await exploreAll<RunReport>({
    bounds: { ...bounds },
    ...(options.runsMax === undefined ? {} : { runsMax: options.runsMax }),
    ...(options.onRun === undefined ? {} : { onRun: options.onRun }),
    onFailure: (report) => options.onBroken?.(report, bounded),
    signal: options.signal,
    async run(path) {
      const choices = new ExhaustiveChoices(path);
      const parts: object[] = [];
      try {
        const report = await simulate(bounded, {
          ...options.parts,
          choices,
          trace: false,
          listen: (event) => choices.observe(event),
          onEffect: (part) => parts.push(part),
        });
        for (const [mark, times] of report.stats.marks) if (times > 0) effects.reach(mark);
        choices.end();
        return report.verdict === "broken" ? report : undefined;
      } catch (error) {
        if (error instanceof AlreadyExplored) return undefined;
        throw error;
      } finally {
        effects.add(parts);
        narrowed = Math.max(narrowed, choices.narrowed);
      }
    },
  });
  return {
    scenario: bounded,
    certificate,
    narrowed,
    faults: effects.faults(),
    vacuous: effects.vacuous(bounded),
    broken: failures,
  };
}

function within(scenario: Scenario, { hosts, operations, seconds }: ScenarioBounds): Scenario {
  const safety = Math.min(scenario.phases.safety, seconds * 1_000);
  const phases = { ...scenario.phases, safety };
  if (scenario.choices !== undefined) {
    throw new RangeError("Cannot explore a scenario that pins its choices");
  }
  const { makeup } = worldKindOf(scenario);
  if (makeup.hasStorm(scenario)) {
    throw new RangeError("Cannot explore a storm: list its faults, each with a rate or a time");
  }
  const bounded = makeup.withHosts({ ...scenario, phases }, hosts);
  if (makeup.operations.count(bounded) <= operations) return bounded;
  return makeup.operations.keep(
    bounded,
    Array.from({ length: operations }, (_, at) => at),
  );
}
