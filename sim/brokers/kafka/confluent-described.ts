import { argumentError } from "./confluent-errors.ts";
import { KafkaJSProtocolError } from "./kafka-errors.ts";
import {
  COMMITS_TOPIC,
  KAFKA_PORT,
  NODE_ID,
  partitionsListed,
  topicsListed,
} from "./kafka-topics.ts";
import { isTopicName } from "./kafka-topic-name.ts";
import type { ClientParts } from "./kafka-consumer.ts";

interface Node {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** A topic as the library's admin client describes it. */
export interface ConfluentTopicDescription {
  readonly name: string;
  readonly topicId: {
    readonly mostSignificantBits: bigint;
    readonly leastSignificantBits: bigint;
    readonly base64: string;
  };
  readonly isInternal: boolean;
  readonly partitions: {
    readonly partitionErrorCode: number;
    readonly partitionId: number;
    readonly leader: number;
    readonly leaderNode: Node;
    readonly replicas: number[];
    readonly replicaNodes: Node[];
    readonly isr: number[];
    readonly isrNodes: Node[];
  }[];
  /** What who asks may do, if it asked for that too. */
  readonly authorizedOperations: number[] | undefined;
}

const INVALID = "Local: Invalid argument or configuration";
/** All that there is to do with a topic, as `AclOperationTypes` has it. */
const OPERATIONS = [3, 4, 5, 6, 7, 8, 10, 11];

/**
 * The texts by which librdkafka asks for these topics.
 *
 * @throws {Error} for what is no list of topics
 */
export function namesOf(topics: unknown): readonly string[] {
  if (!Array.isArray(topics)) throw new Error("Must provide an array of 'topicNames'");
  if (topics.length === 0) throw new Error("'topicNames' cannot be empty");
  const names = topics.map(String);
  if (names.includes("") || new Set(names).size < names.length) throw argumentError(INVALID);
  return names;
}

/**
 * Describes topics in the order of their names here.
 *
 * @throws {KafkaJSProtocolError} when there is no such topic
 */
export function topicsDescribed(
  parts: ClientParts,
  names: readonly string[],
  showsOperations: boolean,
): ConfluentTopicDescription[] {
  const node = { id: NODE_ID, host: parts.host, port: KAFKA_PORT };
  const listed = topicsListed(parts);
  return names.map((name) => {
    if (!isTopicName(name)) throw new KafkaJSProtocolError("INVALID_TOPIC_EXCEPTION");
    const partitions = partitionsListed(parts, name).map((partitionId) => ({
      ...{ partitionErrorCode: 0, partitionId, leader: NODE_ID, leaderNode: { ...node } },
      ...{ replicas: [NODE_ID], replicaNodes: [{ ...node }] },
      ...{ isr: [NODE_ID], isrNodes: [{ ...node }] },
    }));
    return {
      ...{ name, topicId: topicIdFrom(listed.indexOf(name) + 1) },
      ...{ isInternal: name === COMMITS_TOPIC, partitions },
      authorizedOperations: showsOperations ? [...OPERATIONS] : undefined,
    };
  });
}

/** Ids of topics count from 1, so that a run is the same each time. */
function topicIdFrom(count: number): ConfluentTopicDescription["topicId"] {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(12, count);
  const base64 = btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
  return { mostSignificantBits: 0n, leastSignificantBits: BigInt(count), base64 };
}
