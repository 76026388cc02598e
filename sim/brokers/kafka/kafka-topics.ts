import { KafkaJSProtocolError } from "./kafka-errors.ts";
import type { KafkaGroups } from "./kafka-groups.ts";
import type { KafkaLog } from "./kafka-log.ts";
import { isTopicName } from "./kafka-topic-name.ts";

interface Cluster {
  readonly log: KafkaLog;
  readonly groups: KafkaGroups;
}

/** The one node of the cluster. */
export const NODE_ID = 1;
export const KAFKA_PORT = 9_092;
/** Where the server keeps what groups commit: it makes the topic with the first group, by default so. */
export const COMMITS_TOPIC = "__consumer_offsets";
const COMMITS_PARTITIONS = 50;

/** The topics that there are, the server's own among them. */
export function topicsListed({ log, groups }: Cluster): string[] {
  return groups.names().length > 0 ? [...log.topics(), COMMITS_TOPIC] : [...log.topics()];
}

export interface TopicDescription {
  readonly name: string;
  readonly partitions: {
    readonly partitionErrorCode: number;
    readonly partitionId: number;
    readonly leader: number;
    readonly replicas: number[];
    readonly isr: number[];
    readonly offlineReplicas: number[];
  }[];
}

/** Returns what the server says of a topic that is not there, or cannot be there by its name. */
export function missingTopicError(topic: string): KafkaJSProtocolError {
  const type = isTopicName(topic) ? "UNKNOWN_TOPIC_OR_PARTITION" : "INVALID_TOPIC_EXCEPTION";
  return new KafkaJSProtocolError(type);
}

/**
 * The numbers of a topic's partitions.
 *
 * @throws {KafkaJSProtocolError} when there is no such topic
 */
export function partitionsListed(cluster: Cluster, topic: string): number[] {
  if (!topicsListed(cluster).includes(topic)) {
    throw missingTopicError(topic);
  }
  if (topic === COMMITS_TOPIC) return [...Array(COMMITS_PARTITIONS).keys()];
  return cluster.log.partitionsOf(topic).map(({ number }) => number);
}

/**
 * Describes topics in this order.
 *
 * @throws {KafkaJSProtocolError} when there is no such topic; of several the server tells of any
 */
export function topicsDescribed(cluster: Cluster, names: readonly string[]): TopicDescription[] {
  const wrong = names.find((name) => !isTopicName(name));
  if (wrong !== undefined) throw missingTopicError(wrong);
  return names.map((name) => ({
    name,
    partitions: partitionsListed(cluster, name).map((partitionId) => ({
      ...{ partitionErrorCode: 0, partitionId, leader: NODE_ID },
      ...{ replicas: [NODE_ID], isr: [NODE_ID], offlineReplicas: [] },
    })),
  }));
}
