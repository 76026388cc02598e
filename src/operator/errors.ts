import { recogniseAnyCopy } from "../any-copy.ts";

/**
 * A catch block of the operator swallowed a deferral or a checkpoint; `cause` is what was thrown
 * instead, if anything.
 *
 * @example
 * ```ts
 * import { BaseOperator, runTask, SignalSwallowed, silentLogger } from "faultlane";
 *
 * class Careless extends BaseOperator {
 *   override execute(): void {
 *     try {
 *       this.checkpoint({ remoteJobId: "app-17" });
 *     } catch {
 *       // Catches everything, and so the checkpoint.
 *     }
 *   }
 * }
 * const task = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1, tryNumber: 1 };
 * const { signal } = new AbortController();
 * const outcome = await runTask(new Careless(), { ...task, signal, logger: silentLogger });
 * console.log(outcome.kind === "failed" && outcome.error instanceof SignalSwallowed); // => true
 * ```
 */
export class SignalSwallowed extends Error {
  static {
    recogniseAnyCopy(this, "SignalSwallowed");
  }

  /** Always `"SignalSwallowed"`. */
  override readonly name = "SignalSwallowed";
  /** Which signal was swallowed. */
  readonly signalName: "TaskDeferred" | "TaskCheckpointed" | "TaskRescheduled";
  /** The class and method that swallowed it. */
  readonly where: string;

  /** Names the signal and the method. */
  constructor(
    signalName: "TaskDeferred" | "TaskCheckpointed" | "TaskRescheduled",
    where: string,
    options?: ErrorOptions,
  ) {
    super(
      `Cannot finish ${where} after it raised ${signalName}: a catch block swallowed the signal, rethrow it`,
      options,
    );
    this.signalName = signalName;
    this.where = where;
  }
}

/**
 * The operator has no method of the name that a deferral or a checkpoint stored.
 *
 * @example
 * ```ts
 * import { BaseOperator, runTask, silentLogger, UnknownResumeMethod } from "faultlane";
 *
 * const task = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1, tryNumber: 1 };
 * const { signal } = new AbortController();
 * const outcome = await runTask(
 *   new BaseOperator(),
 *   { ...task, signal, logger: silentLogger },
 *   { kind: "resume", step: 1, methodName: "renamed", remoteJobId: "app-17", kwargs: {} },
 * );
 * const error = outcome.kind === "failed" ? outcome.error : undefined;
 * console.log(error instanceof UnknownResumeMethod && error.methodName); // => renamed
 * ```
 */
export class UnknownResumeMethod extends Error {
  static {
    recogniseAnyCopy(this, "UnknownResumeMethod");
  }

  /** Always `"UnknownResumeMethod"`. */
  override readonly name = "UnknownResumeMethod";
  /** The class of the operator. */
  readonly operator: string;
  /** The method that it lacks. */
  readonly methodName: string;

  /** Names the operator's class and the method. */
  constructor(operator: string, methodName: string) {
    super(
      `Cannot resume ${operator}: it has no method "${methodName}", deploy it again or clear the task`,
    );
    this.operator = operator;
    this.methodName = methodName;
  }
}
