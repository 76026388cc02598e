import type { Ledger } from "./ledger/ledger.ts";
import type { Batch } from "./ledger/ledger-results.ts";
import type { SharedStreamProducer } from "./producer.ts";

/** Called when an advance threw, with its batch, which this group does not settle any more. */
export type OnAdvanceFailed = (error: unknown, batch: Batch<unknown>) => void;

/**
 * Passes resolved batches to the producer, one at a time.
 *
 * Holds:
 * - at most one advance is in flight at any time (I6);
 * - `wake` never calls the producer itself, it only schedules the call (C-063);
 * - no wake is lost: what becomes ready during an await is served before the pump rests (I21);
 * - after one advance threw, whatever it threw, there is no other (I24, E-01).
 */
export class Pump {
  readonly #ledger: Ledger<unknown>;
  readonly #producer: Pick<SharedStreamProducer<unknown>, "advance">;
  readonly #onFailed: OnAdvanceFailed;
  #running: Promise<void> | undefined;
  /** Whether it was drained or an advance threw: nothing is passed on any more. */
  #isOver = false;

  constructor(
    ledger: Ledger<unknown>,
    producer: Pick<SharedStreamProducer<unknown>, "advance">,
    onFailed: OnAdvanceFailed,
  ) {
    this.#ledger = ledger;
    this.#producer = producer;
    this.#onFailed = onFailed;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  wake(): void {
    if (this.#running !== undefined || this.#isOver || !this.#ledger.hasReady) return;
    this.#running = this.#run();
  }

  /** Passes on what is ready, and what becomes ready meanwhile; then nothing ever again. */
  async drain(): Promise<void> {
    this.wake();
    while (this.#running !== undefined) await this.#running;
    this.#isOver = true;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (!this.#isOver) {
      const batch = this.#ledger.harvest();
      if (batch === undefined) break;
      try {
        await this.#producer.advance(batch.items);
      } catch (error) {
        this.#isOver = true;
        this.#onFailed(error, batch);
      }
    }
    this.#running = undefined;
  }
}
