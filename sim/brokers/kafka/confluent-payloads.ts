import type { ConfluentError } from "./confluent-errors.ts";
import { argumentError } from "./confluent-errors.ts";
import type { StoredRecord } from "./kafka-log.ts";
import { batchFrom, type KafkaBatch, type KafkaMessage, messageFrom } from "./kafka-message.ts";

/** A record as a consumer gets it: with its size, and the epoch of the partition's leader. */
export interface ConfluentMessage extends KafkaMessage {
  readonly size: number;
  readonly leaderEpoch: number;
}

/** The records of one partition that a handler gets at once. */
export interface ConfluentBatch extends Omit<KafkaBatch, "messages"> {
  readonly messages: ConfluentMessage[];
}

export interface ConfluentEachMessagePayload {
  readonly topic: string;
  readonly partition: number;
  readonly message: ConfluentMessage;
  heartbeat(): Promise<void>;
  pause(): () => void;
}

export interface ConfluentEachBatchPayload {
  readonly batch: ConfluentBatch;
  resolveOffset(offset: string, leaderEpoch?: number): void;
  heartbeat(): Promise<void>;
  pause(): () => void;
  commitOffsetsIfNecessary(): Promise<void>;
  isRunning(): boolean;
  isStale(): boolean;
  uncommittedOffsets(): never;
}

/** Declared as methods, so that handlers typed with the library's own payloads are assignable. */
export interface ConfluentRunConfig {
  readonly eachBatchAutoResolve?: boolean;
  readonly partitionsConsumedConcurrently?: number;
  eachBatch?(payload: ConfluentEachBatchPayload): Promise<void>;
  eachMessage?(payload: ConfluentEachMessagePayload): Promise<void>;
}

/** Options of kafkajs that the library wants in the consumer's configuration. */
const MISPLACED = ["autoCommit", "autoCommitInterval"];

/** Returns the error with which `run` refuses a configuration, if it does. */
export function runRefusal(config: ConfluentRunConfig): ConfluentError | undefined {
  // A caller without types may give a text.
  const misplaced = MISPLACED.find((name) => Object.hasOwn(config, name));
  if (misplaced === undefined) return undefined;
  return argumentError(
    `'${misplaced}' is not supported as a property to 'run', but must be passed to the consumer during creation.`,
  );
}

export function confluentMessage(record: StoredRecord): ConfluentMessage {
  const message = messageFrom(record);
  const headers = message.headers ?? {};
  // The library leaves the headers out where there are none.
  const shown = Object.keys(headers).length === 0 ? undefined : headers;
  const size = message.value?.length ?? 0;
  return { ...message, headers: shown, size, leaderEpoch: 0 } as ConfluentMessage;
}

/** `end` is the offset after the partition's last record. */
export function confluentBatch(
  records: readonly [StoredRecord, ...StoredRecord[]],
  end: number,
): ConfluentBatch {
  const batch = batchFrom(records, end);
  const { topic, partition, highWatermark } = batch;
  return {
    topic,
    partition,
    highWatermark,
    messages: records.map(confluentMessage),
    isEmpty: () => batch.isEmpty(),
    firstOffset: () => batch.firstOffset(),
    lastOffset: () => batch.lastOffset(),
    offsetLag: () => batch.offsetLag(),
    offsetLagLow: () => batch.offsetLagLow(),
  };
}
