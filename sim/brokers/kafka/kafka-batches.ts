import type { Instrumentation } from "./kafka-events.ts";
import { CONSUMER_EVENTS } from "./kafka-events.ts";
import type { KafkaMembership } from "./kafka-membership.ts";
import type { KafkaBatch } from "./kafka-message.ts";
import {
  type EachBatchPayload,
  type RunConfig,
  type TopicCommits,
  type TopicOffsets,
  topicOffsets,
} from "./kafka-payloads.ts";
import { longFrom } from "./kafka-long.ts";
import type { KafkaSubscriptions } from "./kafka-subscriptions.ts";

/** Seeks and paused partitions, which the consumer changes while the runner reads. */
export interface ReadingState {
  readonly seeks: Map<
    string,
    { readonly topic: string; readonly partition: number; readonly offset: number }
  >;
  readonly paused: KafkaSubscriptions;
}

/** What handing out batches needs of the runner. */
export interface BatchParts {
  readonly config: RunConfig;
  readonly state: ReadingState;
  readonly membership: KafkaMembership;
  readonly events: Instrumentation;
  readonly now: () => number;
  readonly isRunning: () => boolean;
  readonly heartbeat: () => Promise<void>;
  /** Commits these offsets; without any, those that are resolved and not committed. */
  readonly commit: (topics?: readonly TopicCommits[]) => Promise<void>;
  /** Commits what is resolved if an interval or a number of records says so. */
  readonly commitIfNecessary: () => Promise<void>;
}

/** The library reads the stack of what a handler throws, also where that is nothing. */
const NOTHING_THROWN = "Cannot read the stack of what was thrown: it is nothing";

/**
 * Calls the user's handler with batches.
 *
 * Source: kafkajs 2.2.4, src/consumer/runner.js and workerQueue.js
 */
export class KafkaBatches {
  readonly #parts: BatchParts;

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  /**
   * Hands out the batches, as many at once as `partitionsConsumedConcurrently` says. Throws the
   * first batch's error, after all the others have been handled, as the library does.
   */
  async work(batches: readonly KafkaBatch[]): Promise<void> {
    const { partitionsConsumedConcurrently: workers = 1 } = this.#parts.config;
    const failures: { readonly at: number; readonly error: unknown }[] = [];
    const queue = [...batches.entries()];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [at, batch] = next;
        try {
          await this.#handle(batch);
        } catch (error) {
          failures.push({ at, error });
        }
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, workers) }, work));
    const [first] = failures.toSorted((a, b) => a.at - b.at);
    if (first !== undefined) throw first.error;
  }

  async #handle(batch: KafkaBatch): Promise<void> {
    const { config, membership, events, isRunning, now } = this.#parts;
    if (!isRunning()) return;
    const startedAt = now();
    const payload = factsOf(batch);
    events.emit(CONSUMER_EVENTS.START_BATCH_PROCESS, payload);
    const { topic, partition } = batch;
    if (config.eachMessage) {
      await this.#eachMessage(batch);
    } else if (config.eachBatch) {
      await this.#handing(() => config.eachBatch?.(this.#payloadOf(batch)));
      if (config.eachBatchAutoResolve !== false) {
        membership.resolve(topic, partition, Number(batch.lastOffset()) + 1);
      }
    }
    const duration = now() - startedAt;
    events.emit(CONSUMER_EVENTS.END_BATCH_PROCESS, { ...payload, duration });
    await this.#autoCommit();
    await this.#parts.heartbeat();
  }

  /** Calls a handler; what was handled is committed if it fails, and not if a heartbeat does. */
  async #handing(call: () => unknown): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (error === undefined || error === null) {
        // oxlint-disable-next-line eslint/preserve-caught-error -- the library's has none
        throw new TypeError(NOTHING_THROWN);
      }
      await this.#autoCommit();
      throw error;
    }
  }

  async #autoCommit(): Promise<void> {
    if (this.#parts.config.autoCommit !== false) await this.#parts.commit();
  }

  async #eachMessage({ topic, partition, messages }: KafkaBatch): Promise<void> {
    const { config, membership, state, isRunning, heartbeat } = this.#parts;
    const place = `${topic}/${partition}`;
    for (const message of messages) {
      if (!isRunning() || state.seeks.has(place)) return;
      const pause = (): (() => void) => this.#pause(topic, partition);
      const payload = { topic, partition, message, heartbeat, pause };
      await this.#handing(() => config.eachMessage?.(payload));
      membership.resolve(topic, partition, Number(message.offset) + 1);
      await heartbeat();
      if (config.autoCommit !== false) await this.#parts.commitIfNecessary();
      if (state.paused.isPaused(topic, partition)) return;
    }
  }

  #pause(topic: string, partition: number): () => void {
    const { state } = this.#parts;
    const places = [{ topic, partitions: [partition] }];
    state.paused.pause(places);
    return () => state.paused.resume(places);
  }

  #payloadOf(batch: KafkaBatch): EachBatchPayload {
    const { membership, state, heartbeat, isRunning, commit, commitIfNecessary } = this.#parts;
    const { topic, partition } = batch;
    const place = `${topic}/${partition}`;
    return {
      batch,
      resolveOffset: (offset) => membership.resolve(topic, partition, Number(longFrom(offset)) + 1),
      heartbeat,
      pause: () => this.#pause(topic, partition),
      commitOffsetsIfNecessary: (offsets?: { readonly topics?: TopicOffsets[] }) =>
        offsets ? commit(offsets.topics) : commitIfNecessary(),
      uncommittedOffsets: () => ({ topics: topicOffsets(membership.uncommitted()) }),
      isRunning,
      isStale: () => state.seeks.has(place),
    };
  }
}

function factsOf(batch: KafkaBatch): object {
  const { topic, partition, highWatermark, messages } = batch;
  return {
    ...{ topic, partition, highWatermark, batchSize: messages.length },
    ...{ offsetLag: batch.offsetLag(), offsetLagLow: batch.offsetLagLow() },
    ...{ firstOffset: batch.firstOffset(), lastOffset: batch.lastOffset() },
  };
}
