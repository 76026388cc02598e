import type { Violation } from "../checkers/mod.ts";
import type { Choices } from "../choices.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { simulate, type SimulateOptions } from "../scenario/simulate.ts";
import type { TraceListener } from "../trace.ts";
import type { Swarm } from "./swarm.ts";

/** One run that a search asks for. */
export interface SubjectRun {
  readonly seed: number;
  readonly choices: Choices;
  /** Undefined: everything is as it is written. */
  readonly swarm: Swarm | undefined;
  readonly listen: TraceListener;
}

/** What a run showed. */
export interface Shown {
  /** What broke that should not; empty when the run is good. */
  readonly violations: readonly Violation[];
  /** Equal for equal runs; how a search sees that a run can be had again. */
  readonly digest: string;
  readonly marks: readonly (readonly [mark: string, times: number])[];
  /** How many faults struck. */
  readonly faults: number;
}

/** What a search looks for failures in: a scenario, or any little world. */
export interface Subject {
  readonly name: string;
  /** Whether its promises are owed also by hosts that stall for up to a minute. */
  readonly mayStall: boolean;
  run(run: SubjectRun): Promise<Shown>;
}

/** Retention may be shorter than a stall, so that a world of tasks must ask for pauses itself. */
export function mayStall(scenario: Scenario): boolean {
  return scenario.world !== "tasks" || (scenario.storm?.pauses.numerator ?? 0) > 0;
}

/** A scenario as the subject of a search. */
export function subjectFrom(
  scenario: Scenario,
  options: Pick<SimulateOptions, "createManager" | "taskParts"> = {},
): Subject {
  return {
    name: scenario.name,
    mayStall: mayStall(scenario),
    async run({ seed, choices, swarm, listen }) {
      const drawn = swarm?.scenario(scenario).scenario ?? scenario;
      const report = await simulate(drawn, { ...options, seed, choices, listen, trace: false });
      const { verdict, violations, digest, stats } = report;
      return {
        violations: verdict === "broken" ? violations : [],
        digest,
        marks: stats.marks,
        faults: stats.faults.reduce((all, [, times]) => all + times, 0),
      };
    },
  };
}
