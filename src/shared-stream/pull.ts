import type { AmbientWindow } from "./ambient.ts";

type Resolve<Raw> = (result: IteratorResult<Raw>) => void;
type Reject = (error: unknown) => void;

interface Pull<Raw> {
  readonly resolve: Resolve<Raw>;
  readonly reject: Reject;
  readonly window: AmbientWindow | undefined;
}

/** The pulls of one stream that wait for an event; served in order. */
export class PendingPulls<Raw> {
  /** The first pull, as three fields: one object per pull would be one per event. */
  #resolve: Resolve<Raw> | undefined;
  #reject: Reject | undefined;
  #window: AmbientWindow | undefined;
  /** The pulls behind the first one; rarely any. */
  readonly #later: Pull<Raw>[] = [];

  get isEmpty(): boolean {
    return this.#resolve === undefined;
  }

  /** The ambient window of the first pull. */
  get window(): AmbientWindow | undefined {
    return this.#window;
  }

  /** Adds a pull; the promise is what it returns. */
  add(window: AmbientWindow | undefined): Promise<IteratorResult<Raw>> {
    return new Promise((resolve, reject) => {
      if (this.#resolve !== undefined) {
        this.#later.push({ resolve, reject, window });
        return;
      }
      this.#resolve = resolve;
      this.#reject = reject;
      this.#window = window;
    });
  }

  /** Resolves the first pull with an event. */
  fulfil(value: Raw): void {
    const resolve = this.#resolve;
    this.#removeFirst();
    resolve?.({ done: false, value });
  }

  /** Rejects the first pull; returns whether there was one. */
  fail(error: unknown): boolean {
    const reject = this.#reject;
    if (reject === undefined) return false;
    this.#removeFirst();
    reject(error);
    return true;
  }

  /** Resolves all pulls with the end of the stream. */
  end(): void {
    for (; this.#resolve !== undefined; this.#removeFirst()) this.#resolve(endOf<Raw>());
  }

  #removeFirst(): void {
    const next = this.#later.length > 0 ? this.#later.shift() : undefined;
    this.#resolve = next?.resolve;
    this.#reject = next?.reject;
    this.#window = next?.window;
  }
}

export function endOf<Raw>(): IteratorResult<Raw> {
  return { done: true, value: undefined };
}
