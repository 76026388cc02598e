import type { AdvanceItem, Lane, SharedStreamProducer } from "../../src/shared-stream/mod.ts";
import { type Clock, sleep } from "../../src/time/mod.ts";
import type { LogConsumer } from "../brokers/log-consumer.ts";
import type { LogRecord } from "../brokers/partition-log.ts";

/** What the producer needs to settle an event. */
export interface LogPayload {
  readonly record: LogRecord;
  readonly generation: number;
  /** Counts the re-reads of the partition: a copy of an older epoch is stale. */
  readonly epoch: number;
}

/** Writes a rejected record to the dead-letter topic; resolves when it is durable. */
export type DeadLetter = (record: LogRecord) => Promise<void>;

const BACKOFF_MS = 1_000;
const COMMIT_ATTEMPTS_MAX = 3;

/**
 * A shared-stream producer on a partition log, written as for production.
 *
 * Holds:
 * - a commit never passes a record that failed or had no subscriber: after a pause, the partition
 *   is read again from that record on, and copies of the earlier read are ignored;
 * - a rejected record is durable in the dead-letter topic before its offset is committed;
 * - records of an older generation are neither committed nor dead-lettered;
 * - with a limit, it fetches nothing new while as many records are broadcast and not advanced yet,
 *   and its membership does not lapse meanwhile;
 * - a fenced member joins again; only a broker that stays unreachable ends the group.
 */
export class LogStreamProducer implements SharedStreamProducer<unknown, LogPayload> {
  readonly #clock: Clock;
  readonly #consumer: LogConsumer;
  readonly #deadLetter: DeadLetter;
  readonly #epochs = new Map<number, number>();
  readonly #inFlightMax: number;
  #inFlight = 0;
  #generation = -1;
  #closed = new AbortController();

  constructor(
    clock: Clock,
    consumer: LogConsumer,
    deadLetter: DeadLetter,
    inFlightMax: number = Number.POSITIVE_INFINITY,
  ) {
    this.#clock = clock;
    this.#consumer = consumer;
    this.#deadLetter = deadLetter;
    this.#inFlightMax = inFlightMax;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, LogPayload]> {
    await this.#consumer.join();
    while (!signal.aborted) {
      // Stamped before the first yield: a re-read may begin while they are being yielded.
      const payloads = (await this.#read(signal)).map((record) => this.#stamp(record));
      for (const payload of payloads) {
        const isHeldUp = this.#inFlight >= this.#inFlightMax;
        while (this.#inFlight >= this.#inFlightMax && !signal.aborted) await this.#wait(signal);
        // What was read again meanwhile is fetched again as well.
        if (isHeldUp && !this.#isCurrent(payload)) continue;
        this.#inFlight += 1;
        yield [payload.record.value, payload];
      }
    }
  }

  getAdvanceLane({ record }: LogPayload): Lane {
    return [record.topic, record.partition];
  }

  async advance(batch: readonly AdvanceItem<LogPayload>[]): Promise<void> {
    this.#inFlight -= batch.length;
    const first = batch[0]?.brokerPayload;
    if (first === undefined) return;
    const { partition } = first.record;
    // Not the generation at the end: during a dead letter the partition may go to somebody else.
    const generation = this.#generation;
    let upTo: number | undefined;
    for (const { brokerPayload, outcome } of batch) {
      if (!this.#isCurrent(brokerPayload)) continue;
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) {
        await this.#commit(partition, generation, upTo);
        this.#readAgain(partition, brokerPayload.record.offset);
        return;
      }
      if (outcome.rejected > 0) await this.#deadLetter(brokerPayload.record);
      upTo = brokerPayload.record.offset + 1;
    }
    await this.#commit(partition, generation, upTo);
  }

  async aclose(): Promise<void> {
    this.#closed.abort();
    await this.#consumer.close();
  }

  #isCurrent({ record, generation, epoch }: LogPayload): boolean {
    return generation === this.#generation && epoch === (this.#epochs.get(record.partition) ?? 0);
  }

  #stamp(record: LogRecord): LogPayload {
    const epoch = this.#epochs.get(record.partition) ?? 0;
    return { record, generation: this.#generation, epoch };
  }

  /** Waits for advances, and stays a member of its group. */
  async #wait(signal: AbortSignal): Promise<void> {
    await sleep(this.#clock, BACKOFF_MS, signal);
    await this.#consumer.stay().catch(() => undefined);
  }

  async #read(signal: AbortSignal): Promise<readonly LogRecord[]> {
    try {
      const { assignment, records } = await this.#consumer.fetch(signal);
      this.#generation = assignment.generation;
      return records;
    } catch (error) {
      await sleep(this.#clock, BACKOFF_MS, signal);
      if (isFenced(error)) await this.#consumer.join();
      return [];
    }
  }

  async #commit(partition: number, generation: number, offset: number | undefined): Promise<void> {
    if (offset === undefined) return;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#consumer.commit(generation, partition, offset);
        return;
      } catch (error) {
        if (isFenced(error)) return;
        if (attempt === COMMIT_ATTEMPTS_MAX) throw error;
        await sleep(this.#clock, BACKOFF_MS);
      }
    }
  }

  /** Re-reads a partition after a pause, so that a lasting failure does not become a hot loop. */
  #readAgain(partition: number, offset: number): void {
    this.#epochs.set(partition, (this.#epochs.get(partition) ?? 0) + 1);
    this.#consumer.hold(partition);
    const epoch = this.#epochs.get(partition);
    this.#clock.setTimer(BACKOFF_MS, () => {
      if (this.#epochs.get(partition) === epoch) this.#consumer.seek(partition, offset);
    });
  }
}

function isFenced(error: unknown): boolean {
  return error instanceof Error && error.name === "FencedMember";
}
