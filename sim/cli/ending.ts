import type { Interruption } from "./interruption.ts";

const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 86_400_000;

/** When a search ends before all of its runs are made: on a signal, at its time, on a problem. */
export class Ending implements Disposable {
  /** What makes it impossible to go on. */
  problem: unknown;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ signal }: Interruption, minutes: number | undefined) {
    signal.addEventListener("abort", () => this.#controller.abort());
    if (minutes !== undefined) this.#endAt(performance.now() + minutes * MS_PER_MINUTE);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly fail = (problem: unknown): void => {
    this.problem ??= problem;
    this.#controller.abort();
  };

  /** A timer holds 24 days. */
  #endAt(at: number): void {
    const left = at - performance.now();
    if (left <= 0) this.#controller.abort();
    else this.#timer = setTimeout(() => this.#endAt(at), Math.min(left, MS_PER_DAY));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
