/** For how many microtasks code that has begun to run is followed. */
const FOLLOWED_MICROTASKS = 32;

/** Who wants to look in on code under test while it runs. */
export class CodeObservers {
  readonly #observers: (() => void)[] = [];

  add(observer: () => void): void {
    this.#observers.push(observer);
  }

  /** Code under test has just begun to run: observers look in now, and after its next microtasks. */
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
