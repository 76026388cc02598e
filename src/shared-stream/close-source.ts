/** How many microtask turns a source gets to finish before its producer is closed. */
const CLOSING_TURNS = 32;

/**
 * Closes a source before its producer is closed (E-11). An idle source is awaited. One that has a
 * `next()` pending may never finish, so it gets a few turns and is then left behind.
 */
export async function closeSource(
  iterator: AsyncIterator<unknown> | undefined,
  isPulling: boolean,
  onFailed: (error: unknown) => void,
): Promise<void> {
  if (iterator?.return === undefined) return;
  const progress = { isClosed: false };
  const closed = (async () => {
    try {
      await iterator.return?.();
    } catch (error) {
      onFailed(error);
    }
    progress.isClosed = true;
  })();
  if (!isPulling) return await closed;
  for (let turn = 0; turn < CLOSING_TURNS && !progress.isClosed; turn += 1) {
    await Promise.resolve();
  }
}
