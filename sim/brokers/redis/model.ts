import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerModel } from "../broker.ts";
import { onHostCrash } from "../host-crash.ts";
import { Permissions } from "./permissions.ts";
import { ArgumentReader } from "./arguments.ts";
import { RedisClient } from "./client.ts";
import { Keyspace } from "./keyspace.ts";
import { NodeRedisClient } from "./node-redis-client.ts";
import type { RedisConnection, RedisParts } from "./redis-connection.ts";
import { RedisSettlements } from "./redis-settlements.ts";
import { StreamServer } from "./stream-server.ts";

/** How a Redis stream is set up. */
export interface RedisOptions {
  /** The stream with the records; default "orders". Any other stream is for dead letters. */
  readonly stream?: string;
  /** The consumer group, which exists from the start; default "triggerer". */
  readonly group?: string;
  /**
   * The server's version; default 8. Before version 7, a claim of a deleted entry returns nil and
   * leaves the entry pending.
   */
  readonly majorVersion?: number;
}

const OPTIONS: readonly (keyof RedisOptions)[] = ["stream", "group", "majorVersion"];

const MAJOR_VERSION = 8;
const STRANDED_MAX = 3;

/**
 * A Redis server with one stream and one consumer group, for producers that use ioredis.
 *
 * Redis never redelivers by itself: a consumer has to claim the entries that a dead consumer of the
 * group has left pending.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.redis({ stream: "payments", group: "billing" });
 * console.log(broker.name); // => redis
 * ```
 */
export function redis(options: RedisOptions = {}): BrokerModel<RedisClient> {
  checkedOptions(options, OPTIONS, "brokers.redis");
  return redisModel("redis", options, (parts) => new RedisClient(parts));
}

/**
 * The same server and stream, for producers that use node-redis (`redis`, `@redis/client`). The
 * client is not connected: the producer calls `connect()`, and listens to `error`.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * console.log(brokers.nodeRedis().name); // => node-redis
 * ```
 */
export function nodeRedis(options: RedisOptions = {}): BrokerModel<NodeRedisClient> {
  checkedOptions(options, OPTIONS, "brokers.nodeRedis");
  return redisModel("node-redis", options, (parts) => new NodeRedisClient(parts));
}

function redisModel<Client>(
  name: "redis" | "node-redis",
  options: RedisOptions,
  createClient: (parts: RedisParts) => Client,
): BrokerModel<Client> {
  const { stream = "orders", group = "triggerer", majorVersion: major = MAJOR_VERSION } = options;
  return brokerModel({ name, spec: { [name]: options } }, (world, host) => {
    const keys = new Keyspace(() => world.wallMs);
    const settlements = new RedisSettlements(world, host, keys);
    const server = new StreamServer(world, settlements, { source: stream, major, keys });
    server.group(host, new ArgumentReader(["CREATE", stream, group, "0", "MKSTREAM"]));
    const permissions = new Permissions(world, major);
    const crashes = new Set<() => void>();
    onHostCrash(world, host, (isHalfOpen) => {
      for (const crashed of isHalfOpen ? [] : [...crashes]) crashed();
    });
    let siblings = 0;
    const strand = (): void => {
      siblings += 1;
      const consumer = `sibling-${siblings}`;
      const streams = [[stream, ">"]] as const;
      try {
        server.readGroup("rival", { group, consumer, count: STRANDED_MAX, noAck: false, streams });
      } catch (error) {
        // Where a program has deleted the group, the sibling's read is refused.
        if ((error as Error).name !== "ReplyError") throw error;
      }
    };
    const trim = (): void => {
      const owed = settlements.owed();
      const entries = [...(server.streamAt(stream)?.entries.values() ?? [])];
      const oldest = entries.find(({ ref }) => ref !== undefined && owed.includes(ref));
      server.remove(undefined, stream, oldest === undefined ? [] : [oldest.id]);
    };
    return {
      records: {
        publish(publication) {
          server.add(stream, ["ref", publication.ref, "key", publication.key]);
          settlements.published(publication);
        },
        owed: () => settlements.owed(),
      },
      disturbances: [
        { name: "a sibling reads entries and dies", strike: strand },
        { name: "the oldest entry is trimmed", strike: trim },
        server.refusal.disturbance("the memory is used up"),
        permissions.denial.disturbance("the user may not read groups for a while", {
          isFatal: true,
        }),
      ],
      connect(port) {
        const connections = new Set<RedisConnection>();
        return {
          client: createClient({
            ...{ port, host, server, settlements, keys, permissions, connections, crashes },
          }),
          open: () => [...connections].map(() => "a connection"),
        };
      },
    };
  });
}
