import { recogniseAnyCopy } from "../any-copy.ts";

/**
 * A remote job ended without success; `pollUntilComplete` rejects with it.
 *
 * @example
 * ```ts
 * import { JobFailed } from "faultlane";
 *
 * console.log(new JobFailed("app-17", "KILLED").message);
 * // => Cannot complete job app-17: its status is "KILLED"
 * ```
 */
export class JobFailed extends Error {
  static {
    recogniseAnyCopy(this, "JobFailed");
  }

  /** Always `"JobFailed"`. */
  override readonly name = "JobFailed";
  /** The id of the job in the external system. */
  readonly externalId: unknown;
  /** The status in which it ended, as the external system calls it. */
  readonly status: string;

  /** Puts id and status into the message. */
  constructor(externalId: unknown, status: string, options?: ErrorOptions) {
    super(`Cannot complete job ${textFromId(externalId)}: its status is "${status}"`, options);
    this.externalId = externalId;
    this.status = status;
  }
}

/** Returns an external id as text: a string as it is, anything else as JSON. */
export function textFromId(externalId: unknown): string {
  if (typeof externalId === "string") return externalId;
  return JSON.stringify(externalId) ?? String(externalId);
}
