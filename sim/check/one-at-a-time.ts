let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs checks one after the other: while one runs, the globals of this realm are its own.
 *
 * Holds: a check that rejects lets the next one begin.
 */
export function oneAtATime<T>(check: () => Promise<T>): Promise<T> {
  const mine = turn.then(check);
  turn = mine.catch(() => undefined);
  return mine;
}
