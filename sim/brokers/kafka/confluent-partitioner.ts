import type { ProducedMessage } from "./kafka-message.ts";
import { murmur2 } from "./kafka-partitioner.ts";

const POSITIVE = 0x7fffffff;

/**
 * Chooses partitions as librdkafka does: the message's own, that of its key's hash, or, for all
 * messages without a key that are sent at once, one that is drawn.
 *
 * @param isMurmur - whether keys are hashed as Kafka's own clients do, `murmur2_random`; otherwise
 *   librdkafka's own way, `consistent_random`
 */
export function confluentPartitioner(
  isMurmur: boolean,
  count: number,
  draw: () => number,
): (message: ProducedMessage) => number {
  let drawn: number | undefined;
  return ({ partition, key }) => {
    if (partition !== undefined && partition >= 0) return partition;
    const hasKey = key !== undefined && key !== null && (isMurmur || key.length > 0);
    if (!hasKey) {
      drawn ??= draw();
      return drawn;
    }
    return isMurmur ? (murmur2(key) & POSITIVE) % count : crc32(key) % count;
  };
}

const POLYNOMIAL = 0xedb88320;
const BITS = 8;

/** The checksum of zip files, as a whole number from 0. */
function crc32(key: Uint8Array | string): number {
  const bytes = key instanceof Uint8Array ? key : new TextEncoder().encode(key);
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < BITS; bit += 1) sum = (sum >>> 1) ^ (POLYNOMIAL & -(sum & 1));
  }
  return ~sum >>> 0;
}
