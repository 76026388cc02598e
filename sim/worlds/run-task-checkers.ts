import { type Checker, CheckerRunner, OrphanedJobs, TaskFacts } from "../checkers/mod.ts";
import type { TraceEvent } from "../trace/trace.ts";
import type { CheckerRun } from "./world-kind.ts";

/** Notes which marks of its world a run reached. */
interface Marks {
  observe(event: TraceEvent): void;
}

/** Runs checkers of tasks, and keeps the list of the jobs that tasks have left running. */
export function runTaskCheckers(checkers: readonly Checker<TaskFacts>[], marks: Marks): CheckerRun {
  const facts = new TaskFacts();
  const orphaned = new OrphanedJobs();
  const runner = new CheckerRunner(checkers, facts, (event) => {
    marks.observe(event);
    orphaned.observe(event, facts);
  });
  return {
    violations: runner.violations,
    observe: (event) => runner.observe(event),
    end: () => void runner.end(),
    crashPoints: () => new Map(),
    orphans: () => orphaned.list(facts),
  };
}
