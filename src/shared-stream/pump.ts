import type { Batch, Ledger } from "./ledger.ts";
import type { SharedStreamProducer } from "./producer.ts";

/** Told of an advance that threw, with the batch that is lost to this session. */
export type AdvanceFailed = (error: unknown, batch: Batch<unknown>) => void;

/**
 * Hands resolved batches to the producer, one at a time.
 *
 * Holds:
 * - at most one advance is awaited at any time (I6);
 * - `wake` never calls the producer itself, it only makes sure that somebody will (spec C-063);
 * - no wake is lost: whatever became ready during an await is served before the pump rests (I21);
 * - after one advance threw, there is no other (I24), whatever it threw (spec E-01).
 */
export class Pump {
  readonly #ledger: Ledger<unknown>;
  readonly #producer: Pick<SharedStreamProducer<unknown>, "advance">;
  readonly #failed: AdvanceFailed;
  #running: Promise<void> | undefined;
  /** Drained for good, or broken by an advance that threw: nothing is handed out any more. */
  #isOver = false;

  constructor(
    ledger: Ledger<unknown>,
    producer: Pick<SharedStreamProducer<unknown>, "advance">,
    failed: AdvanceFailed,
  ) {
    this.#ledger = ledger;
    this.#producer = producer;
    this.#failed = failed;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  wake(): void {
    if (this.#running !== undefined || this.#isOver || !this.#ledger.hasReady) return;
    this.#running = this.#run();
  }

  /**
   * Hands out what is ready, and what becomes so meanwhile; from then on nothing, for the producer
   * is about to be closed.
   */
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
        this.#failed(error, batch);
      }
    }
    this.#running = undefined;
  }
}
