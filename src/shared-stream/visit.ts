import type { EventWindow } from "./shared-stream.ts";

export type Visitor<Raw> = (raw: Raw, window: EventWindow) => void;

/** One visit of a stream: a function that is called with each event, and the end of it. */
export class Visit<Raw> {
  /** Resolves when the visit ends, rejects when it fails. */
  readonly ended: Promise<void>;
  readonly #visitor: Visitor<Raw>;
  readonly #window: EventWindow;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;

  constructor(visitor: Visitor<Raw>, window: EventWindow) {
    this.#visitor = visitor;
    this.#window = window;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Calls the visitor; returns false when it threw, which has failed the visit. */
  show(raw: Raw): boolean {
    try {
      this.#visitor(raw, this.#window);
      return true;
    } catch (error) {
      this.#reject(error);
      return false;
    }
  }

  end(): void {
    this.#resolve();
  }

  fail(error: unknown): void {
    this.#reject(error);
  }
}
