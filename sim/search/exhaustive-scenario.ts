import type { RunReport } from "../scenario/run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { simulate, type SimulateOptions } from "../scenario/simulate.ts";
import { type Certificate, walkAll } from "./exhaustive.ts";
import { ExhaustiveChoices, WalkedAlready } from "./exhaustive-choices.ts";

/**
 * How large the world is, and how often a run may leave the calm way: faults of the scenario that
 * have a rate, preemptions (another host goes first), delays, data, workload.
 */
export interface ScenarioBounds {
  readonly hosts: number;
  readonly operations: number;
  /** How long the safety phase is. */
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

export interface ExhaustScenarioOptions {
  readonly bounds?: Partial<ScenarioBounds>;
  readonly runsMax?: number;
  readonly parts?: Pick<SimulateOptions, "createManager" | "taskParts">;
  readonly onRun?: (runs: number, states: number) => void;
}

/** What a walk through a scenario found. */
export interface ExhaustedScenario {
  /** The scenario within its bounds. */
  readonly scenario: Scenario;
  readonly certificate: Certificate;
  /** Questions that were tried at both ends only; 0 where every answer was. */
  readonly narrowed: number;
  /** Runs that broke a promise; each has its choices. */
  readonly broken: readonly RunReport[];
}

/**
 * Walks every run of a scenario within bounds.
 *
 * Holds: runs that differ by the order of independent steps alone are walked once.
 *
 * @throws {RangeError} when the scenario has a storm: its times are too many to be walked
 */
export async function exhaustScenario(
  scenario: Scenario,
  options: ExhaustScenarioOptions = {},
): Promise<ExhaustedScenario> {
  const bounds = { ...SCENARIO_BOUNDS, ...options.bounds };
  const bounded = within(scenario, bounds);
  let narrowed = 0;
  const { certificate, failures } = await walkAll<RunReport>({
    bounds: { ...bounds },
    ...(options.runsMax === undefined ? {} : { runsMax: options.runsMax }),
    ...(options.onRun === undefined ? {} : { onRun: options.onRun }),
    async run(path) {
      const choices = new ExhaustiveChoices(path);
      try {
        const report = await simulate(bounded, {
          ...options.parts,
          choices,
          trace: false,
          listen: (event) => choices.hear(event),
        });
        choices.end();
        return report.verdict === "broken" ? report : undefined;
      } catch (error) {
        if (error instanceof WalkedAlready) return undefined;
        throw error;
      } finally {
        narrowed = Math.max(narrowed, choices.narrowed);
      }
    },
  });
  return { scenario: bounded, certificate, narrowed, broken: failures };
}

function within(scenario: Scenario, { hosts, operations, seconds }: ScenarioBounds): Scenario {
  const safety = Math.min(scenario.phases.safety, seconds * 1_000);
  const phases = { ...scenario.phases, safety };
  if (scenario.choices !== undefined) {
    throw new RangeError("Cannot walk a scenario that pins its choices");
  }
  if (scenario.world === "manager") {
    return { ...scenario, phases, operations: Math.min(scenario.operations, operations) };
  }
  if (scenario.storm !== undefined) {
    throw new RangeError("Cannot walk a storm: list its faults, each with a rate or a time");
  }
  const listed = { phases, operations: scenario.operations.slice(0, operations) };
  return scenario.world === "triggerer"
    ? ({ ...scenario, ...listed, triggerers: Math.min(scenario.triggerers, hosts) } as Scenario)
    : ({ ...scenario, ...listed, workers: Math.min(scenario.workers, hosts) } as Scenario);
}
