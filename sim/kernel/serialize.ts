import { createAsyncContext } from "../../src/platform/mod.ts";

/** The right to replace the globals of this realm; `serialize` alone grants it. */
export class Turn {
  readonly #outer: Turn | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(outer?: Turn) {
    this.#outer = outer;
  }

  /** This turn, or the closest one around it that still lasts. */
  get open(): Turn {
    return this.#isOver && this.#outer !== undefined ? this.#outer.open : this;
  }

  /** Runs `run` after all that was enqueued before, whether or not that failed. */
  enqueue<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#last.then(run);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Waits for every turn inside of this one, also for those that join meanwhile. */
  async end(): Promise<void> {
    let awaited: Promise<unknown> | undefined;
    while (awaited !== this.#last) {
      awaited = this.#last;
      await awaited;
    }
    this.#isOver = true;
  }
}

const queue = new Turn();
const turnOfCaller = createAsyncContext<Turn>();

/**
 * The one queue of all that replaces globals: runs `run` when its turn comes.
 *
 * Holds:
 * - a run that rejects lets the next one begin;
 * - a run that is started from inside another one (code under test that calls `simulate`) has its
 *   turn inside of the outer one, which may be waiting for it, and which ends after it.
 *
 * Without an async context (a browser) inside and outside cannot be distinguished: such a run
 * begins when the outer one is over.
 */
export function serialize<T>(run: (turn: Turn) => Promise<T>): Promise<T> {
  const outer = (turnOfCaller?.get() ?? queue).open;
  return outer.enqueue(async () => {
    const turn = new Turn(outer);
    turnOfCaller?.enter(turn);
    try {
      return await run(turn);
    } finally {
      await turn.end();
    }
  });
}
