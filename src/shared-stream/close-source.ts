/** Turns that a source gets to come to its end before its producer is closed. */
const CLOSING_TURNS = 32;

/**
 * Ends a source before its producer is closed (spec E-11), without waiting for one that never
 * answers: an idle source is waited for, one that is being pulled gets a few turns.
 */
export async function closeSource(
  iterator: AsyncIterator<unknown> | undefined,
  isPulling: boolean,
  failed: (error: unknown) => void,
): Promise<void> {
  if (iterator?.return === undefined) return;
  const progress = { isClosed: false };
  const closed = (async () => {
    try {
      await iterator.return?.();
    } catch (error) {
      failed(error);
    }
    progress.isClosed = true;
  })();
  if (!isPulling) return await closed;
  for (let turn = 0; turn < CLOSING_TURNS && !progress.isClosed; turn += 1) {
    await Promise.resolve();
  }
}
