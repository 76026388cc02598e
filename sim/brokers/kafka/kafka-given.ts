import { KafkaJSNonRetriableError } from "./kafka-errors.ts";
import { assertKinds, either, isText, isWhole } from "./kafka-kinds.ts";
import { KafkaLong, longFrom } from "./kafka-long.ts";

/** The lowest offset that a seek may name. */
const EARLIEST = -2n;

/** A place in a partition, as a caller may give it. */
export interface GivenPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly metadata?: string | null;
}

/** A place whose offset is one. */
export interface Placed {
  readonly topic: string;
  readonly partition: number;
  readonly offset: KafkaLong;
  readonly metadata: string | null;
}

/**
 * Reads what `commitOffsets` was given.
 *
 * @throws {KafkaJSNonRetriableError} for a place that is none
 */
export function commitFrom({ topic, partition, offset, metadata = null }: GivenPlace): Placed {
  const value = offsetOf({ topic, partition, offset });
  if (value < 0n) throw new KafkaJSNonRetriableError("Offset must not be a negative number");
  if (metadata !== null && typeof metadata !== "string") {
    const words = "Invalid offset metadata, expected string or null, received";
    throw new KafkaJSNonRetriableError(`${words} ${wordFor(metadata)}`);
  }
  return { topic, partition, offset: new KafkaLong(value), metadata };
}

/**
 * Reads what `seek` was given.
 *
 * @throws {KafkaJSNonRetriableError} for a place that is none
 */
export function seekFrom({ topic, partition, offset }: GivenPlace): Placed {
  const value = offsetOf({ topic, partition, offset });
  if (value < EARLIEST) {
    throw new KafkaJSNonRetriableError("Offset must not be a negative number");
  }
  return { topic, partition, offset: new KafkaLong(value), metadata: null };
}

function offsetOf({ topic, partition, offset }: GivenPlace): bigint {
  if (!topic) throw new KafkaJSNonRetriableError(`Invalid topic ${topic}`);
  const number: unknown = partition;
  if (Number.isNaN(Number(number))) {
    const words = "Invalid partition, expected a number received";
    throw new KafkaJSNonRetriableError(`${words} ${wordFor(partition)}`);
  }
  try {
    return longFrom(offset);
  } catch {
    const words = "Invalid offset, expected a long received";
    throw new KafkaJSNonRetriableError(`${words} ${wordFor(offset)}`);
  }
}

const isNumeral = (value: unknown): boolean => typeof value === "string" && /^\d+$/.test(value);

/** @throws {NotModelled} for a topic or a partition that the library's types do not allow */
export function assertPlaces(call: string, places: readonly object[]): void {
  for (const place of places) {
    assertKinds(call, place, { topic: isText, partition: either(isWhole, isNumeral) });
  }
}

/** Partitions of a topic, or all of them. */
export interface GivenPartitions {
  readonly topic: string;
  readonly partitions?: number[];
}

/**
 * Checks what `pause` and `resume` were given.
 *
 * @throws {KafkaJSNonRetriableError} for what names no topic, and for partitions that are no list
 */
export function assertPausable(call: "pause" | "resume", topics: readonly GivenPartitions[]): void {
  for (const given of topics as readonly (GivenPartitions | null | undefined)[]) {
    if (!given?.topic) throw new KafkaJSNonRetriableError(`Invalid topic ${wordFor(given)}`);
    const partitions: unknown = given.partitions;
    if (partitions === undefined) continue;
    if (Array.isArray(partitions) && !partitions.some((one) => Number.isNaN(Number(one)))) continue;
    const words = `Array of valid partitions required to ${call} specific partitions`;
    throw new KafkaJSNonRetriableError(`${words} instead of ${wordFor(partitions)}`);
  }
}

/** What a subscription asks for, each of which is a name or a pattern. */
type Asked = readonly (string | RegExp)[];

/**
 * Reads what `subscribe` was given.
 *
 * @throws {KafkaJSNonRetriableError} for topics that are none
 */
export function askedFrom(topic: unknown, topics: unknown): Asked {
  if (!topic && !topics) throw new KafkaJSNonRetriableError('Missing required argument "topics"');
  if (topics !== undefined && topics !== null && !Array.isArray(topics)) {
    throw new KafkaJSNonRetriableError('Argument "topics" must be an array');
  }
  const asked = (topics ?? [topic]) as readonly unknown[];
  for (const one of asked) {
    if (typeof one === "string" || one instanceof RegExp) continue;
    throw new KafkaJSNonRetriableError(
      `Invalid topic ${wordFor(one)} (${typeof one}), the topic name has to be a String or a RegExp`,
    );
  }
  return asked as Asked;
}

/** @throws {KafkaJSNonRetriableError} for a topic that is none, as a caller without types may give */
export function assertTopic(topic: unknown): void {
  if (topic === "" || typeof topic !== "string") {
    throw new KafkaJSNonRetriableError(`Invalid topic ${String(topic)}`);
  }
}

/** As the library writes it into its messages. */
function wordFor(value: unknown): string {
  // oxlint-disable-next-line typescript/no-base-to-string -- an object shows as "[object Object]"
  return String(value);
}
