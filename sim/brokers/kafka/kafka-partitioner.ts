import type { ProducedMessage } from "./kafka-message.ts";
import { writtenPart } from "./kafka-written.ts";

/** What a partitioner learns of a partition. */
export interface PartitionMetadata {
  readonly partitionErrorCode: number;
  readonly partitionId: number;
  readonly leader: number;
  readonly replicas: number[];
  readonly isr: number[];
  readonly offlineReplicas?: number[];
}

/** Chooses the partition of a message. */
export type Partitioner = (message: {
  topic: string;
  partitionMetadata: PartitionMetadata[];
  message: ProducedMessage;
}) => number;

const POSITIVE = 0x7fffffff;

/**
 * The library's default: the message's own partition, or that of its key's hash; without a key, one
 * partition after the other.
 *
 * Source: kafkajs 2.2.4, src/producer/partitioners/legacy/partitioner.js
 *
 * @param start - returns where a topic's messages without a key begin
 */
export function defaultPartitioner(start: (partitions: number) => number): Partitioner {
  const counters = new Map<string, number>();
  return ({ topic, partitionMetadata, message: { key, partition } }) => {
    const count = partitionMetadata.length;
    if (partition !== undefined && partition !== null) return partition;
    if (key !== undefined && key !== null) return (murmur2(writtenPart(key)) & POSITIVE) % count;
    const next = counters.get(topic) ?? start(count);
    counters.set(topic, next + 1);
    return (next & POSITIVE) % count;
  };
}

const SEED = 0x9747b28c;
const FACTOR = 0x5bd1e995;
const SHIFT = 24;

/**
 * The hash of Kafka's own clients, as a whole number of 32 bits.
 *
 * Source: Apache Kafka, Utils.murmur2
 */
export function murmur2(key: Uint8Array | string): number {
  const bytes = key instanceof Uint8Array ? key : new TextEncoder().encode(key);
  const whole = bytes.length & ~3;
  let hash = SEED ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
    let part = Math.imul(a | (b << 8) | (c << 16) | (d << 24), FACTOR);
    part = Math.imul(part ^ (part >>> SHIFT), FACTOR);
    hash = Math.imul(hash, FACTOR) ^ part;
  }
  const rest = bytes.subarray(whole);
  if (rest.length > 0) {
    for (const [at, byte] of rest.entries()) hash ^= byte << (8 * at);
    hash = Math.imul(hash, FACTOR);
  }
  hash = Math.imul(hash ^ (hash >>> 13), FACTOR);
  return hash ^ (hash >>> 15);
}
