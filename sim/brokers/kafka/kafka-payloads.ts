import type { OffsetCommit } from "./kafka-groups.ts";
import type { KafkaBatch, KafkaMessage } from "./kafka-message.ts";

/** Offsets by topic, in the library's format. */
export interface TopicOffsets {
  readonly topic: string;
  readonly partitions: { readonly partition: number; readonly offset: string }[];
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

export function topicOffsets(offsets: readonly OffsetCommit[]): TopicOffsets[] {
  const topics = new Map<string, TopicOffsets>();
  for (const { topic, partition, offset } of offsets) {
    const entry = topics.get(topic) ?? { topic, partitions: [] };
    entry.partitions.push({ partition, offset: String(offset) });
    topics.set(topic, entry);
  }
  return [...topics.values()];
}

export function commitsFrom(topics: readonly TopicOffsets[]): readonly OffsetCommit[] {
  return topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })),
  );
}
