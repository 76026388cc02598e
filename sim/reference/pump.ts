import type { AdvanceItem } from "../../src/shared-stream/mod.ts";
import { isCancelled } from "./cancelled-error.ts";
import type { Resolution } from "./resolution.ts";

type Advance = (batch: readonly AdvanceItem[]) => Promise<void>;
type AdvanceFailed = (error: unknown, lane: string, batchSize: number) => void;

/**
 * The one task that awaits `advance`. It waits for a flag and then passes over all lanes until a
 * pass finds nothing, which costs O(lanes) per wakeup (E-12). Nothing limits how long an advance
 * takes (E-15) or how large a batch is (E-16).
 */
export class Pump {
  readonly #resolution: Resolution;
  readonly #advance: Advance;
  readonly #failed: AdvanceFailed;
  readonly #task: Promise<void>;
  #isWoken = false;
  #isStopping = false;
  #unpark: (() => void) | undefined;

  constructor(resolution: Resolution, advance: Advance, failed: AdvanceFailed) {
    this.#resolution = resolution;
    this.#advance = advance;
    this.#failed = failed;
    this.#task = this.#run();
  }

  wake(): void {
    this.#isWoken = true;
    this.#unpark?.();
  }

  /** Passes on what is resolved, and what becomes resolved meanwhile; then ends. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    this.#unpark?.();
    await this.#task;
  }

  async #run(): Promise<void> {
    for (;;) {
      while (!this.#isWoken && !this.#isStopping) await this.#park();
      this.#isWoken = false;
      let pass = await this.#passOverLanes();
      while (pass === "progress") pass = await this.#passOverLanes();
      if (pass === "dead" || this.#isStopping) return;
    }
  }

  /** Passes on at most one batch per lane, over a snapshot of the lanes. */
  async #passOverLanes(): Promise<"progress" | "quiet" | "dead"> {
    let hasProgress = false;
    for (const lane of this.#resolution.laneTexts()) {
      const batch = this.#resolution.harvest(lane);
      if (batch.length === 0) continue;
      hasProgress = true;
      try {
        await this.#advance(batch);
      } catch (error) {
        // `except Exception` does not catch a cancellation, which ends the pump silently (E-01).
        if (!isCancelled(error)) this.#failed(error, lane, batch.length);
        return "dead";
      }
    }
    return hasProgress ? "progress" : "quiet";
  }

  #park(): Promise<void> {
    return new Promise((resolve) => {
      this.#unpark = resolve;
    });
  }
}
