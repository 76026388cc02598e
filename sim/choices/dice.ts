import type { ChoiceStream } from "./choices.ts";

/** Draws plain values from a stream of choices; 0, the first and false are always the calm draw. */
export class Dice {
  readonly #stream: ChoiceStream;
  readonly #label: string;

  constructor(stream: ChoiceStream, label: string) {
    this.#stream = stream;
    this.#label = label;
  }

  /** Returns a whole number from 0 to `n - 1`. */
  below(n: number): number {
    return this.#stream.choose(n, this.#label);
  }

  /** Returns true in one of `n` draws. */
  oneIn(n: number): boolean {
    return this.below(n) === n - 1;
  }

  /** Returns an item of the list; the first is the calm one. */
  from<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Returns the items that a draw each keeps, with a chance of one in `n`. */
  some<T>(list: readonly T[], n: number): readonly T[] {
    return list.filter(() => this.oneIn(n));
  }
}
