import { systemClock } from "../../../src/platform/mod.ts";
import { sleep } from "../../../src/time/mod.ts";

/** A call of a backend that has not settled in the time that it had. */
export interface HungCall {
  /** The call with its arguments. */
  readonly call: string;
  /** The calls of the same check that had settled before, the last one last. */
  readonly before: readonly string[];
}

/** Into how many parts a call's time is divided. */
const PARTS = 10;
const BEFORE_MAX = 3;

interface PendingCall {
  readonly words: () => string;
  parts: number;
}

/**
 * Watches calls that work on the real machine, until one of them has not settled in `limitMs` real
 * milliseconds.
 *
 * Holds: the time is counted in ten parts, each of which lets every timer and callback that is due
 * run first. So time in which the whole process stood still, such as a blocked thread or a machine
 * asleep, counts as one part and makes no call late.
 */
export class CallWatch implements Disposable {
  readonly #limitMs: number;
  readonly #onHung: (call: HungCall) => void;
  readonly #pending = new Set<PendingCall>();
  readonly #before: (() => string)[] = [];
  readonly #end = new AbortController();

  constructor(limitMs: number, onHung: (call: HungCall) => void) {
    this.#limitMs = limitMs;
    this.#onHung = onHung;
    void this.#watch();
  }

  /** Calls `act` and watches the promise or thenable that it returns, until it settles. */
  watch<T>(words: () => string, act: () => T): T | Promise<Awaited<T>> {
    const call = { words, parts: 0 };
    this.#pending.add(call);
    const settle = (): void => {
      this.#pending.delete(call);
      this.#before.push(words);
      if (this.#before.length > BEFORE_MAX) this.#before.shift();
    };
    try {
      const result = act();
      if (!isThenable(result)) {
        settle();
        return result;
      }
      // The queries of some libraries are sent by each call of their `then`: it is called once.
      const promise = Promise.resolve(result);
      promise.then(settle, settle);
      return promise;
    } catch (error) {
      settle();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await sleep(systemClock, this.#limitMs / PARTS, signal).catch(() => undefined);
      if (signal.aborted) return;
      for (const call of this.#pending) {
        call.parts += 1;
        // The part in which the call began does not count.
        if (call.parts <= PARTS) continue;
        this.#onHung({ call: call.words(), before: this.#before.map((one) => one()) });
        return;
      }
    }
  }
}

function isThenable(value: unknown): boolean {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}
