import { recogniseAnyCopy } from "../any-copy.ts";
import { checkedOptions } from "../checked-options.ts";
import { checkedJson } from "../json-value.ts";

/** The method that a resume calls unless the checkpoint names another. */
const RESUME_METHOD_DEFAULT = "resumeJob";

/** What {@linkcode BaseOperator.checkpoint} takes. */
export interface Checkpoint {
  /** The id of the remote job: any JSON value but null. */
  readonly remoteJobId: unknown;
  /**
   * The operator's method that resumes, called as `method(ctx, remoteJobId, kwargs)`. By default
   * `resumeJob`.
   */
  readonly methodName?: string;
  /** Further arguments, as JSON values. */
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

/**
 * The signal that ends an attempt while its remote job continues; `BaseOperator.checkpoint` throws
 * it.
 *
 * Not an `Error`, like `TaskDeferred`. It always has a job id: a checkpoint of null would resume
 * nothing and hide that the job was lost.
 *
 * @example
 * ```ts
 * import { TaskCheckpointed } from "faultlane";
 *
 * const signal = new TaskCheckpointed({ remoteJobId: "app-17" });
 * console.log(signal.methodName); // => resumeJob
 * ```
 *
 * Source: AIP-96, "New Exception"
 */
export class TaskCheckpointed {
  static {
    recogniseAnyCopy(this, "TaskCheckpointed");
  }

  /** Always `"TaskCheckpointed"`. */
  readonly name = "TaskCheckpointed";
  /** The id of the remote job. */
  readonly remoteJobId: unknown;
  /** The operator's method that resumes. */
  readonly methodName: string;
  /** Further arguments of the method. */
  readonly kwargs: Readonly<Record<string, unknown>>;

  /**
   * Checks the checkpoint.
   *
   * @throws {TypeError} when there is no job id or method name, or another option, or JSON cannot
   *   represent the id or the arguments
   */
  constructor(checkpoint: Checkpoint) {
    checkedOptions(checkpoint, ["remoteJobId", "methodName", "kwargs"], "checkpoint");
    const { remoteJobId, methodName = RESUME_METHOD_DEFAULT, kwargs = {} } = checkpoint;
    if (remoteJobId === null || remoteJobId === undefined) {
      throw new TypeError(`Cannot checkpoint without a remote job: its id is ${remoteJobId}`);
    }
    if (typeof methodName !== "string" || methodName === "") {
      throw new TypeError("Cannot checkpoint without a method that resumes: give its name");
    }
    this.remoteJobId = checkedJson(remoteJobId, "the remote job id of a checkpoint");
    this.methodName = methodName;
    this.kwargs = checkedJson(kwargs, "the kwargs of a checkpoint");
  }
}
