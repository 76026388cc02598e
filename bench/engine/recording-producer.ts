import { invariant } from "../../src/invariant.ts";
import type {
  AdvanceItem,
  AdvanceOutcome,
  Lane,
  SharedStreamProducer,
} from "../../src/shared-stream/mod.ts";
import { laneOf, type Work } from "./work.ts";

/** Called by the source between two fetches, with the number of events yielded so far. */
export type Settle = (yielded: number) => Promise<void>;

/**
 * The broker's half of a run: an always-ready source, and an `advance` that writes down what came.
 *
 * The raw event and its payload are the event's number, so that nothing is measured but the kit.
 */
export class RecordingProducer implements SharedStreamProducer<number, number> {
  /** Events handed to `advance` so far. */
  advanced = 0;
  /** What the source waits for before it yields its first event; nothing by default. */
  begin: Promise<void> | undefined;
  readonly #work: Work;
  readonly #settle: Settle;
  readonly #isExpected: (outcome: AdvanceOutcome, id: number) => boolean;
  readonly #order: Int32Array;
  #unexpected = 0;

  constructor(
    work: Work,
    settle: Settle,
    isExpected: (outcome: AdvanceOutcome, id: number) => boolean,
  ) {
    this.#work = work;
    this.#settle = settle;
    this.#isExpected = isExpected;
    this.#order = new Int32Array(work.events);
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [number, number]> {
    const { events, outstanding } = this.#work;
    if (this.begin !== undefined) await this.begin;
    for (let first = 0; first < events; first += outstanding) {
      const end = Math.min(events, first + outstanding);
      for (let id = first; id < end; id += 1) yield [id, id];
      await this.#settle(end);
    }
    await aborted(signal);
  }

  async advance(batch: readonly AdvanceItem<number>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      this.#order[this.advanced] = brokerPayload;
      this.advanced += 1;
      if (!this.#isExpected(outcome, brokerPayload)) this.#unexpected += 1;
    }
  }

  getAdvanceLane(id: number): Lane {
    return laneOf(id, this.#work.lanes);
  }

  /** Every event advanced once, in order within its lane, resolved as it should be. */
  verify(who: string): void {
    const { events, lanes } = this.#work;
    invariant(this.advanced === events, `${who} advanced ${this.advanced} of ${events} events`);
    const newest = new Int32Array(lanes).fill(-1);
    const seen = new Uint8Array(events);
    for (const id of this.#order) {
      invariant(seen[id] === 0, `${who} advanced event ${id} twice`);
      seen[id] = 1;
      const lane = laneOf(id, lanes);
      invariant(id > (newest[lane] ?? 0), `${who} advanced event ${id} out of order in its lane`);
      newest[lane] = id;
    }
    invariant(this.#unexpected === 0, `${who} resolved ${this.#unexpected} events wrongly`);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
