/** After how many microtasks the observers are called again. */
const FOLLOWED_MICROTASKS = 32;

/** Observers that are called while code under test runs. */
export class CodeObservers {
  readonly #observers: (() => void)[] = [];

  add(observer: () => void): void {
    this.#observers.push(observer);
  }

  /** Calls the observers now and after the next microtasks: code under test has begun to run. */
  codeBegan(): void {
    if (this.#observers.length > 0) void this.#follow();
  }

  async #follow(): Promise<void> {
    for (let at = 0; at < FOLLOWED_MICROTASKS; at += 1) {
      for (const observer of this.#observers) observer();
      await Promise.resolve();
    }
  }
}
