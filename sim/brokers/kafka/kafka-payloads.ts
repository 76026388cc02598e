import type { OffsetCommit } from "./kafka-groups.ts";
import { longFrom } from "./kafka-long.ts";
import type { KafkaBatch, KafkaMessage } from "./kafka-message.ts";

/** Offsets by topic, in the library's format. */
export interface TopicOffsets {
  readonly topic: string;
  readonly partitions: { readonly partition: number; readonly offset: string }[];
}

/** Offsets to commit by topic, as a caller has given them: an offset need not be text. */
export interface TopicCommits {
  readonly topic: string;
  readonly partitions: {
    readonly partition: number;
    readonly offset: unknown;
    readonly metadata?: string | null;
  }[];
}

export interface EachMessagePayload {
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
  heartbeat(): Promise<void>;
  pause(): () => void;
}

export interface EachBatchPayload {
  readonly batch: KafkaBatch;
  resolveOffset(offset: string): void;
  heartbeat(): Promise<void>;
  pause(): () => void;
  commitOffsetsIfNecessary(offsets?: { readonly topics: TopicOffsets[] }): Promise<void>;
  uncommittedOffsets(): { topics: TopicOffsets[] };
  isRunning(): boolean;
  isStale(): boolean;
}

/** Declared as methods, so that handlers typed with the library's own payloads are assignable. */
export interface RunConfig {
  readonly autoCommit?: boolean;
  readonly autoCommitInterval?: number | null;
  readonly autoCommitThreshold?: number | null;
  readonly eachBatchAutoResolve?: boolean;
  readonly partitionsConsumedConcurrently?: number;
  eachBatch?(payload: EachBatchPayload): Promise<void>;
  eachMessage?(payload: EachMessagePayload): Promise<void>;
}

/**
 * Returns offsets as the library gives them: the partition is text, against the library's own
 * types.
 *
 * Source: kafkajs 2.2.4, src/consumer/offsetManager/index.js, uncommittedOffsets
 */
export function topicOffsets(offsets: readonly OffsetCommit[]): TopicOffsets[] {
  const topics = new Map<string, TopicOffsets>();
  for (const { topic, partition, offset } of offsets) {
    const entry = topics.get(topic) ?? { topic, partitions: [] };
    entry.partitions.push({
      partition: String(partition) as unknown as number,
      offset: String(offset),
    });
    topics.set(topic, entry);
  }
  return [...topics.values()];
}

/** Returns a partition's number, which the library gives as text in some places; or NaN. */
function partitionNumber(partition: number | string): number {
  return Number(partition);
}

export function commitsFrom(topics: readonly TopicCommits[]): readonly OffsetCommit[] {
  return topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset, metadata = null }) => ({
      ...{ topic, partition: partitionNumber(partition), offset: Number(longFrom(offset)) },
      ...(metadata === null ? {} : { metadata }),
    })),
  );
}
