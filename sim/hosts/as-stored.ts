/**
 * Returns what a trigger, or the payload of a trigger event, becomes in the database, through which
 * it comes to another process: JSON, so that a date arrives as text, and no live object arrives.
 *
 * @throws {TypeError} when it cannot be written as JSON
 */
export function asStored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null") as unknown;
}

/** What an attempt leaves for the processes that go on with its task. */
interface LeftBehind {
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly trigger?: unknown;
  readonly remoteJobId?: unknown;
}

/**
 * Returns what a deferral or a checkpoint leaves, as the process reads it that goes on with it.
 *
 * @throws {TypeError} when one of them cannot be written as JSON
 */
export function storedArguments<T extends LeftBehind>(
  left: T,
): Pick<T, keyof LeftBehind & keyof T> {
  const kwargs = asStored(left.kwargs);
  const trigger = "trigger" in left ? { trigger: asStored(left.trigger) } : {};
  const id = "remoteJobId" in left ? { remoteJobId: asStored(left.remoteJobId) } : {};
  return { kwargs, ...trigger, ...id } as Pick<T, keyof LeftBehind & keyof T>;
}
