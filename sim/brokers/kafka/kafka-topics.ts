import { KafkaJSProtocolError } from "./kafka-errors.ts";
import type { KafkaGroups } from "./kafka-groups.ts";
import type { KafkaLog } from "./kafka-log.ts";

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

/**
 * The numbers of a topic's partitions.
 *
 * @throws {KafkaJSProtocolError} when there is no such topic
 */
export function partitionsListed(cluster: Cluster, topic: string): number[] {
  if (!topicsListed(cluster).includes(topic)) {
    throw new KafkaJSProtocolError("UNKNOWN_TOPIC_OR_PARTITION");
  }
  if (topic === COMMITS_TOPIC) return [...Array(COMMITS_PARTITIONS).keys()];
  return cluster.log.partitionsOf(topic).map(({ number }) => number);
}
