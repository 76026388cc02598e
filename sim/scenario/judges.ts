import {
  type Checker,
  CrashPointCounter,
  createCheckers,
  createTaskCheckers,
  Judge,
  StreamFacts,
  TaskFacts,
  type Violation,
} from "../checkers/mod.ts";
import type { TraceEvent } from "../trace.ts";
import type { Scenario } from "./scenario.ts";

/** Who watches over one run. */
export interface RunJudge {
  readonly judge: {
    readonly violations: readonly Violation[];
    hear(event: TraceEvent): void;
    end(): readonly Violation[];
  };
  /** How often each crash point of the triggerer's flow was hit; of other worlds none. */
  crashPoints(): ReadonlyMap<string, number>;
}

/** The checkers that a scenario's world is judged by, less those that it does not want. */
export function judgeOf(scenario: Scenario): RunJudge {
  if (scenario.world === "tasks") {
    const judge = new Judge(wantedOf(scenario, createTaskCheckers()), new TaskFacts());
    return { judge, crashPoints: () => new Map() };
  }
  const counter = new CrashPointCounter();
  const judge = new Judge(wantedOf(scenario, createCheckers()), new StreamFacts(), (event, facts) =>
    counter.hear(event, facts),
  );
  return { judge, crashPoints: () => counter.hits() };
}

function wantedOf<F>(scenario: Scenario, checkers: readonly Checker<F>[]): readonly Checker<F>[] {
  return checkers.filter(({ id }) => isWanted(scenario, id));
}

function isWanted(scenario: Scenario, id: string): boolean {
  const { checkers } = scenario.expect;
  if (checkers !== "all") return checkers.includes(id);
  if (scenario.world === "tasks") return true;
  if (id === "I23") return scenario.strictPersistence;
  return scenario.world === "triggerer" || (id !== "settled" && id !== "at-least-once");
}
