import type { AdvisoryCall } from "./sql-statement.ts";

interface Taken {
  readonly name: AdvisoryCall;
  readonly key: number;
  readonly result: boolean;
}

/**
 * The locks that one statement has taken for its connection, or given back, before it had to wait:
 * when it is executed again it does not do so a second time. Those for its transaction may be taken
 * as often as it likes.
 */
export class AdvisoryTurns {
  #taken: Taken[] = [];
  #at = 0;

  /** A statement is executed, or executed again. */
  begin(): void {
    this.#at = 0;
  }

  /** It waits no longer. */
  end(): void {
    this.#taken = [];
  }

  call(name: AdvisoryCall, key: number, act: () => boolean): boolean {
    if (name.includes("_xact_")) return act();
    const known = this.#taken[this.#at];
    if (known?.name !== name || known.key !== key) {
      this.#taken.splice(this.#at, Infinity, { name, key, result: act() });
    }
    const { result = false } = this.#taken[this.#at] ?? {};
    this.#at += 1;
    return result;
  }
}
