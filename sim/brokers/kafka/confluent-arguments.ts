import { argumentError } from "./confluent-errors.ts";
import type { OffsetCommit } from "./kafka-groups.ts";

export interface ConfluentTopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly leaderEpoch?: number | null;
}

export interface ConfluentOffset extends ConfluentTopicPartition {
  readonly offset: string;
  readonly metadata?: string | null;
}

/** Returns a topic's name, or a pattern that begins with "^", as librdkafka takes it. */
export function patternFrom(topic: unknown): string {
  if (typeof topic === "string") return topic;
  if (!(topic instanceof RegExp)) {
    throw argumentError(`Invalid topic ${String(topic)}, it has to be a String or a RegExp`);
  }
  if (topic.flags !== "") throw argumentError("No flags are allowed in a RegExp.");
  if (!topic.source.startsWith("^")) throw argumentError("The pattern must start with a '^'.");
  return topic.source;
}

export function commitFrom({
  topic,
  partition,
  offset,
  metadata = null,
  leaderEpoch = null,
}: ConfluentOffset): OffsetCommit[] {
  const number = Number(offset);
  // An offset that is none is not committed, and no error says so.
  if (Number.isNaN(number) || number < 0) return [];
  return [{ topic, partition, offset: number, metadata, leaderEpoch }];
}
