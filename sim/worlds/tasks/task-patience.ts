import { latencyOf } from "../job-patience.ts";
import { knobsFrom } from "../job-system-spec.ts";
import type { TaskScenario, TaskSpec } from "./task-scenario.ts";

/** So many polls a task may need to see how its job has ended. */
const POLLS = 20;

/**
 * A task instance may have to wait for all of these, one after the other: its attempt is declared
 * dead, killed or timed out, another one is due, a page or row takes its time, a job is polled.
 */
export function patienceOf(scenario: TaskScenario): number {
  const { deadAfter, heartbeat, grace, schedulerEvery, tasks, jobServer } = scenario;
  const slow = tasks.map((spec) => (spec.executionTimeout ?? 0) + spec.retryDelay + workMsOf(spec));
  const lostMs = deadAfter + 2 * heartbeat + grace + schedulerEvery;
  return 2 * (lostMs + Math.max(...slow)) + latencyOf(knobsFrom(jobServer));
}

/** How long a task may work or wait without a sign of progress. */
function workMsOf(spec: TaskSpec): number {
  if (spec.operator === "pages") return spec.pageTakes + (spec.reschedule ?? 0);
  if (spec.operator === "watermark") return spec.rowsEvery;
  if (spec.operator === "scratch") return spec.works;
  return POLLS * spec.pollEvery;
}
