import { CrashPointCounter, createCheckers, CheckerRunner, StreamFacts } from "../checkers/mod.ts";
import { StreamMarks } from "../checkers/stream/stream-marks.ts";
import type { TraceEvent } from "../trace/trace.ts";
import type { StreamScenarioBase } from "./stream-scenario.ts";
import type { CheckerRun } from "./world-kind.ts";

/** Runs the checkers of shared streams; `isDefault` says which run when a scenario asks for all. */
export function runStreamCheckers(
  { expect }: StreamScenarioBase,
  isDefault: (id: string) => boolean,
  sometimes: (mark: string) => void,
): CheckerRun {
  const counter = new CrashPointCounter();
  const marks = new StreamMarks(sometimes);
  const checkers = createCheckers().filter(({ id }) => {
    return expect.checkers === "all" ? isDefault(id) : expect.checkers.includes(id);
  });
  const runner = new CheckerRunner(
    checkers,
    new StreamFacts(),
    (event: TraceEvent, facts: StreamFacts) => {
      counter.observe(event, facts);
      marks.observe(event, facts);
    },
  );
  return {
    violations: runner.violations,
    observe: (event) => runner.observe(event),
    end: () => void runner.end(),
    crashPoints: () => counter.hits(),
  };
}
