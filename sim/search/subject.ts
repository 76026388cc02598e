import type { Violation } from "../checkers/mod.ts";
import type { Choices } from "../choices/choices.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { simulate } from "../run/simulate.ts";
import { listedPartsOf } from "../run/vacuity.ts";
import type { TraceListener } from "../trace/trace.ts";
import type { Swarm } from "./swarm.ts";

/** One run requested by a search. */
export interface SubjectRun {
  readonly seed: number;
  readonly choices: Choices;
  /** Undefined: the scenario runs as written. */
  readonly swarm: Swarm | undefined;
  readonly listen: TraceListener;
}

/** What a search gets to know about a run. */
export interface Shown {
  /** Unexpected violations; empty when the run ended as expected. */
  readonly violations: readonly Violation[];
  /** Equal for equal runs; a search confirms with it that a run is reproducible. */
  readonly digest: string;
  readonly marks: readonly (readonly [mark: string, times: number])[];
  /** How many faults struck. */
  readonly faults: number;
  /** Which of the parts that the subject lists took effect, by their places; default: none. */
  readonly effects?: readonly number[];
}

/** What a search looks for failures in: a scenario, or any small model. */
export interface Subject {
  readonly name: string;
  /** Whether its promises must hold even if hosts stall for up to a minute. */
  readonly mayStall: boolean;
  run(run: SubjectRun): Promise<Shown>;
}

/** Returns a scenario as the subject of a search. */
export function subjectFrom(scenario: Scenario, parts: WorldParts = {}): Subject {
  const places = new Map(listedPartsOf(scenario).map(({ part }, at) => [part, at]));
  return {
    name: scenario.name,
    mayStall: worldKindOf(scenario).mayStall(scenario),
    async run({ seed, choices, swarm, listen }) {
      const drawn = swarm?.scenario(scenario).scenario ?? scenario;
      const effects = new Set<number>();
      const onEffect = (part: object): void => {
        const place = places.get(part);
        if (place !== undefined) effects.add(place);
      };
      const report = await simulate(drawn, {
        ...parts,
        seed,
        choices,
        listen,
        onEffect,
        trace: false,
      });
      const { verdict, violations, digest, stats } = report;
      return {
        violations: verdict === "broken" ? violations : [],
        digest,
        marks: stats.marks,
        faults: stats.faults.reduce((all, [, times]) => all + times, 0),
        effects: [...effects],
      };
    },
  };
}
