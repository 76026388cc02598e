import { NotModelled } from "../not-modelled.ts";
import { argumentError } from "./confluent-errors.ts";
import type { OffsetCommit } from "./kafka-groups.ts";

/** A list of topics as `pause` and `resume` take it. */
export type Topics = Iterable<{ readonly topic: string; readonly partitions?: Iterable<number> }>;

export interface ConfluentTopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly leaderEpoch?: number | null;
}

export interface ConfluentOffset extends ConfluentTopicPartition {
  readonly offset: string;
  readonly metadata?: string | null;
}

/** Returns the partitions that are named, or all of a topic that are assigned. */
export function partitionsFrom(
  topics: Topics,
  assignment: readonly ConfluentTopicPartition[],
): readonly { readonly topic: string; readonly partition: number }[] {
  // The library counts them first.
  if ((topics as unknown) === null || topics === undefined) throw new TypeError("No topics");
  return [...topics].flatMap((given) => {
    const { topic, partitions } = given;
    if (typeof topic !== "string") throw argumentError("Topic must be a string.");
    const all = assignment.filter((one) => one.topic === topic).map(({ partition }) => partition);
    return [...(partitions || all)].map((partition) => {
      if (typeof partition === "number") return { topic, partition };
      throw new NotModelled("a partition that is no number", "brokers.confluentKafka");
    });
  });
}

/** Whether librdkafka takes a list of topics: one at least, each with a name and named once. */
export function isSubscription(topics: readonly string[]): boolean {
  return topics.length > 0 && !topics.includes("") && new Set(topics).size === topics.length;
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

/** A caller without types may give anything; what is no offset is the first one. */
export function commitFrom(given: ConfluentOffset): OffsetCommit[] {
  const { topic, partition, offset, leaderEpoch = null } = given;
  const metadata = typeof given.metadata === "string" ? given.metadata : null;
  if (typeof topic !== "string" || typeof partition !== "number") {
    throw new NotModelled("a commit without a topic or a partition", "brokers.confluentKafka");
  }
  // What is no number is the beginning, too.
  const number = Math.trunc(Number(offset || 0)) || 0;
  // One below it is not committed, and no error says so.
  if (number < 0) return [];
  if (!Number.isSafeInteger(number)) {
    throw new NotModelled("a commit of an offset that no log has", "brokers.confluentKafka");
  }
  return [{ topic, partition, offset: number, metadata, leaderEpoch }];
}
