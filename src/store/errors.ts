/**
 * The backend did not do what it was asked; `cause` is its own error. Whether a write landed is
 * unknown.
 */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/**
 * Something is stored under the key and it cannot be read back as the value that was written.
 *
 * Never turned into "nothing is stored": a task that takes it for absence would submit a second
 * job.
 */
export class UnreadableValue extends Error {
  override readonly name = "UnreadableValue";
  readonly key: string;

  constructor(key: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.key = key;
  }
}
