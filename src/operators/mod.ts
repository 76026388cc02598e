/**
 * Operators that run a job in another system, in five forms, to read and to extend. A subclass says
 * what the system is; the class that it extends says what an attempt does with the job.
 *
 * ```ts
 * import { runTask, silentLogger } from "faultlane";
 * import { ResumableOperator } from "faultlane/operators";
 * import { systemClock } from "faultlane/platform";
 *
 * class Batch extends ResumableOperator<string, number> {
 *   submit(): string {
 *     return "app-17";
 *   }
 *   status(_id: string): string {
 *     return "SUCCEEDED";
 *   }
 *   isJobActive(status: string): boolean {
 *     return status === "RUNNING";
 *   }
 *   isJobSucceeded(status: string): boolean {
 *     return status === "SUCCEEDED";
 *   }
 *   result(_id: string): number {
 *     return 42;
 *   }
 *   cancel(_id: string): void {}
 * }
 *
 * const task = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1, tryNumber: 1 };
 * const { signal } = new AbortController();
 * const ctx = { ...task, signal, logger: silentLogger };
 * const outcome = await runTask(new Batch(systemClock), ctx);
 * console.log(outcome.kind === "success" && outcome.result); // => 42
 * ```
 *
 * - `PlainOperator` and `CheckpointingOperator` store nothing: a worker that is lost costs a second
 *   job. `HandWrittenOperator` waits for a job that failed again and again. `ResumableOperator` and
 *   `DeferrableOperator` hold; the second one frees its worker.
 * - An infrastructure kill keeps the job in all forms but the plain one; every other kill cancels
 *   it.
 *
 * @module
 */
export { CheckpointingOperator } from "./checkpointing-operator.ts";
export { DeferrableOperator, type JobEnd } from "./deferrable-operator.ts";
export { HandWrittenOperator } from "./hand-written-operator.ts";
export { JobOperator, type JobOperatorOptions } from "./job-operator.ts";
export { PlainOperator } from "./plain-operator.ts";
export { ResumableJobOperator, ResumableOperator } from "./resumable-operator.ts";
