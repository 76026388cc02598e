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
import { REDELIVERY_MARKS, STREAM_MARKS, StreamMarks } from "../checkers/stream-marks.ts";
import { TASK_MARKS, TaskMarks } from "../checkers/task-marks.ts";
import type { TraceEvent } from "../trace.ts";
import { CLIENT_MARKS, WATCHER_MARKS } from "../workloads/marks.ts";
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

/** What should happen now and then in a scenario's world. */
export function marksOf({ world }: Scenario): readonly string[] {
  if (world === "tasks") return TASK_MARKS;
  if (world === "manager") return [...STREAM_MARKS, ...CLIENT_MARKS];
  return [...STREAM_MARKS, ...REDELIVERY_MARKS, ...WATCHER_MARKS];
}

/**
 * The checkers that a scenario's world is judged by, less those that it does not want. `sometimes`
 * is told of each mark that the trace reaches.
 */
export function judgeOf(scenario: Scenario, sometimes: (mark: string) => void): RunJudge {
  if (scenario.world === "tasks") {
    const marks = new TaskMarks(sometimes);
    const judge = new Judge(wantedOf(scenario, createTaskCheckers()), new TaskFacts(), (event) =>
      marks.hear(event),
    );
    return { judge, crashPoints: () => new Map() };
  }
  const counter = new CrashPointCounter();
  const marks = new StreamMarks(sometimes);
  const witness = (event: TraceEvent, facts: StreamFacts): void => {
    counter.hear(event, facts);
    marks.hear(event, facts);
  };
  const judge = new Judge(wantedOf(scenario, createCheckers()), new StreamFacts(), witness);
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
