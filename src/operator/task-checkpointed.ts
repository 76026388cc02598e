import { checkedJson } from "./json-value.ts";

/** The method that a resume calls unless the checkpoint names another. */
export const RESUME_METHOD_DEFAULT = "resumeJob";

export interface Checkpoint {
  /** The remote job's name: any JSON value but null. */
  readonly remoteJobId: unknown;
  /** The operator's method that goes on with the job: `method(ctx, remoteJobId, kwargs)`. */
  readonly methodName?: string;
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

/**
 * Says that the attempt ends here and its remote job goes on.
 *
 * A control-flow signal and no `Error`, like `TaskDeferred`. It cannot be made without a job: a
 * checkpoint of null would resume nothing and hide that the job was lost.
 *
 * Source: AIP-96, "New Exception"; one name, `methodName`, where the draft has two (Q11)
 */
export class TaskCheckpointed {
  readonly name = "TaskCheckpointed";
  readonly remoteJobId: unknown;
  readonly methodName: string;
  readonly kwargs: Readonly<Record<string, unknown>>;

  /** @throws {TypeError} when there is no job id or method name, or JSON cannot say them */
  constructor({ remoteJobId, methodName = RESUME_METHOD_DEFAULT, kwargs = {} }: Checkpoint) {
    if (remoteJobId === null || remoteJobId === undefined) {
      throw new TypeError(`Cannot checkpoint without a remote job: its id is ${remoteJobId}`);
    }
    if (typeof methodName !== "string" || methodName === "") {
      throw new TypeError("Cannot checkpoint without a method to go on with: name one");
    }
    this.remoteJobId = checkedJson(remoteJobId, "the remote job id of a checkpoint");
    this.methodName = methodName;
    this.kwargs = checkedJson(kwargs, "the kwargs of a checkpoint");
  }
}
