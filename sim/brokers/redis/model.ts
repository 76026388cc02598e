import type { World } from "../../world.ts";
import type { Broker, BrokerLink, BrokerModel, Publication, Wire } from "../broker.ts";
import { RecordBook } from "../record-book.ts";
import { ArgumentReader } from "./arguments.ts";
import { RedisClient } from "./client.ts";
import { StreamServer } from "./stream-server.ts";

export interface RedisOptions {
  /** The stream that the records are in. */
  readonly stream?: string;
  /** The consumer group, which exists from the start. */
  readonly group?: string;
  /** Within how long whoever is responsible takes over what a dead consumer left pending, in ms. */
  readonly takeOverMs?: number;
  /** Of the server: before 7 a claim answers nil for a deleted entry, and keeps it pending. */
  readonly majorVersion?: number;
}

const MAJOR_VERSION = 8;
const STRANDED_MAX = 3;

/**
 * A Redis server with one stream and one consumer group.
 *
 * Settings: `stream` "orders", `group` "triggerer"; any other stream is for dead letters;
 * `majorVersion` 8. Redis itself never delivers again: `takeOverMs` says how soon the one who has to do it must have.
 */
export function redis(options: RedisOptions = {}): BrokerModel<RedisClient> {
  const { stream = "orders", group = "triggerer", takeOverMs = 60_000 } = options;
  const { majorVersion: major = MAJOR_VERSION } = options;
  return {
    name: "redis",
    scope: "record",
    isOrdered: false,
    redeliveryMs: takeOverMs,
    start: (world, host) => new RedisBroker(world, host, { stream, group, major }),
  };
}

class RedisBroker implements Broker<RedisClient> {
  readonly disturbances: Broker<RedisClient>["disturbances"];
  readonly #host: string;
  readonly #stream: string;
  readonly #group: string;
  readonly #book: RecordBook;
  readonly #server: StreamServer;
  #rivals = 0;

  constructor(
    world: World,
    host: string,
    settings: { readonly stream: string; readonly group: string; readonly major: number },
  ) {
    const { stream, group, major } = settings;
    this.#host = host;
    this.#stream = stream;
    this.#group = group;
    this.#book = new RecordBook(world, host);
    this.#server = new StreamServer(world, this.#book, { source: stream, major });
    this.#server.group(host, new ArgumentReader(["CREATE", stream, group, "0", "MKSTREAM"]));
    this.disturbances = [
      { name: "a sibling reads entries and dies", strike: () => this.#strand() },
      { name: "the oldest entry is trimmed", strike: () => this.#trim() },
      { name: "the memory is used up", strike: () => this.#server.refusal.begin() },
    ];
  }

  connect(wire: Wire): BrokerLink<RedisClient> {
    const connections = new Set<RedisClient>();
    const parts = { wire, host: this.#host, server: this.#server, connections };
    return {
      client: new RedisClient(parts),
      open: () => [...connections].map(() => "a connection"),
    };
  }

  publish(publication: Publication): void {
    this.#book.published(publication);
    const { ref, key } = publication;
    this.#server.add(this.#stream, ["ref", ref, "key", key]);
  }

  owed(): readonly string[] {
    return this.#book.owed;
  }

  calmDown(): void {
    // A rival that died stays dead, and what it left is pending.
    this.#server.refusal.end();
  }

  #strand(): void {
    this.#rivals += 1;
    this.#server.readGroup("rival", {
      group: this.#group,
      consumer: `sibling-${this.#rivals}`,
      count: STRANDED_MAX,
      noAck: false,
      streams: [[this.#stream, ">"]],
    });
  }

  #trim(): void {
    const oldest = this.#server.oldestOf(this.#stream, this.#book.owed);
    this.#server.remove(undefined, this.#stream, oldest);
  }
}
