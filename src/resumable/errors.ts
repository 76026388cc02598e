/** A remote job ended without success: what `pollUntilComplete` rejects with. */
export class JobFailed extends Error {
  override readonly name = "JobFailed";
  readonly externalId: unknown;
  readonly status: string;

  constructor(externalId: unknown, status: string, options?: ErrorOptions) {
    super(`Cannot complete job ${textFromId(externalId)}: its status is "${status}"`, options);
    this.externalId = externalId;
    this.status = status;
  }
}

/** An external id in words; a string as it is, anything else as JSON. */
export function textFromId(externalId: unknown): string {
  if (typeof externalId === "string") return externalId;
  return JSON.stringify(externalId) ?? String(externalId);
}
