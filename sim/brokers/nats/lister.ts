/** What a listing resolves with, page by page or one by one. */
export interface Lister<T> extends AsyncIterable<T> {
  /** Resolves with the next page; empty after the last. */
  next(): Promise<T[]>;
}

/** Lists everything on one page, which is read at the first call. */
export function listerOf<T>(read: () => Promise<T[]>): Lister<T> {
  let isRead = false;
  const next = (): Promise<T[]> => {
    if (isRead) return Promise.resolve([]);
    isRead = true;
    return read();
  };
  return {
    next,
    async *[Symbol.asyncIterator]() {
      yield* await next();
    },
  };
}
