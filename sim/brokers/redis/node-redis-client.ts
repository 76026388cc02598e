import { NotModelled, refusing } from "../not-modelled.ts";
import { NodeRedisConnection } from "./node-redis-connection.ts";
import { NodeRedisGroups } from "./node-redis-groups.ts";
import { NodeRedisMulti, namesOnServer } from "./node-redis-multi.ts";
import { REFUSED_FIELDS, refusedByNodeRedis } from "./node-redis-refused.ts";
import type { RedisParts } from "./redis-connection.ts";
import { EMITTER_CALLS } from "./refused-commands.ts";

const SEE = "brokers.nodeRedis";

/**
 * A connection to a Redis server, with the interface of a client of node-redis 6 (`redis`,
 * `@redis/client`), connected by its own `connect()`.
 *
 * It has the same streams, groups, strings and collections as the client for ioredis, and the same
 * commands by the names of node-redis, also in transactions; what else the library publishes is
 * refused by name.
 *
 * Holds: a command before `connect()` or after `close()` rejects; commands are executed in the order
 * in which they were sent, so a blocking read delays all later ones (`duplicate()` returns a client
 * that is not connected yet); while the server cannot be reached commands wait; one whose reply is
 * lost rejects and is not sent again, and `error` is emitted, which ends a process in which nobody
 * listens; `close()` waits for all replies, also that of a blocking read, and `destroy()` for none.
 *
 * @example A producer gets it from `checkProducer`
 * ```ts
 * import type { NodeRedisClient } from "faultlane/check";
 *
 * function read(client: NodeRedisClient) {
 *   const stream = { key: "orders", id: ">" };
 *   return client.xReadGroup("triggerer", "consumer-1", stream, { COUNT: 10, BLOCK: 5_000 });
 * }
 * console.log(read.length); // => 1
 * ```
 *
 * Source: \@redis/client 6.3; redis.io, "Pipelining" and "Blocking commands"
 */
export class NodeRedisClient extends NodeRedisGroups {
  readonly #life: NodeRedisConnection;

  static {
    for (const name of refusedByNodeRedis()) {
      Object.defineProperty(this.prototype, name, {
        value: refusing(`RedisClient.${name}()`, SEE),
      });
    }
    for (const name of REFUSED_FIELDS) {
      const get = refusing(`RedisClient.${name}`, SEE);
      Object.defineProperty(this.prototype, name, { get });
    }
    for (const [name, other] of namesOnServer()) {
      const method = Reflect.get(this.prototype, name) as (...args: unknown[]) => unknown;
      // What a caller without types gives is looked at behind the call, which then rejects.
      const value = async function (this: NodeRedisClient, ...args: unknown[]): Promise<unknown> {
        return await method.apply(this, args);
      };
      Object.defineProperty(this.prototype, name, { value });
      Object.defineProperty(this.prototype, other, { value });
    }
    const value: unknown = Reflect.get(this.prototype, "quit");
    Object.defineProperty(this.prototype, "QUIT", { value });
    for (const name of EMITTER_CALLS) {
      const value = function (this: NodeRedisClient, ...args: unknown[]): unknown {
        const { events } = this.#life;
        const result = (events[name] as (...given: unknown[]) => unknown).apply(events, args);
        return result === events ? this : result;
      };
      Object.defineProperty(this.prototype, name, { value });
    }
  }

  /** It has no subscriptions. */
  readonly isPubSubActive: boolean = false;
  /** It watches no keys. */
  readonly isWatching: boolean = false;
  /** It watches no keys. */
  readonly isDirtyWatch: boolean = false;

  /** @internal */
  constructor(parts: RedisParts) {
    const life = new NodeRedisConnection(parts);
    super(life);
    this.#life = life;
  }

  /** Whether it was connected and not closed; also while it connects anew. */
  get isOpen(): boolean {
    return this.#life.isOpen;
  }

  /** Whether it has a connection, until all replies have come. */
  get isReady(): boolean {
    return this.#life.isReady;
  }

  /** Returns a separate client of the same server, which is not connected and has no listeners. */
  duplicate(options?: object): NodeRedisClient {
    if (options !== undefined) throw new NotModelled("RedisClient.duplicate() with options", SEE);
    return new NodeRedisClient(this.#life.parts);
  }

  /**
   * Connects.
   *
   * @throws {Error} when it is connected already
   */
  async connect(): Promise<this> {
    await this.#life.connect();
    return this;
  }

  /**
   * Closes when all replies have come.
   *
   * @throws {Error} `ClientClosedError` when it is closed already
   */
  close(): Promise<void> {
    return this.#life.close();
  }

  /** Closes at once: what waits for a reply rejects with `DisconnectsClientError`. */
  destroy(): void {
    this.#life.destroy();
  }

  /** As `destroy`, by its older name. */
  disconnect(): Promise<void> {
    this.#life.destroy();
    return Promise.resolve();
  }

  /** As `close`, by its older name. */
  async quit(): Promise<string> {
    await this.#life.close();
    return "OK";
  }

  /** Adds a listener for `connect`, `ready`, `error`, `reconnecting` or `end`. */
  on(event: string, listener: (...args: never[]) => void): this {
    this.#life.events.on(event, listener);
    return this;
  }

  /** Adds a listener for one event. */
  once(event: string, listener: (...args: never[]) => void): this {
    this.#life.events.once(event, listener);
    return this;
  }

  /** Removes a listener. */
  off(event: string, listener: (...args: never[]) => void): this {
    this.#life.events.off(event, listener);
    return this;
  }

  /** Removes a listener. */
  removeListener(event: string, listener: (...args: never[]) => void): this {
    return this.off(event, listener);
  }

  /**
   * Returns a transaction: its commands are executed by `exec()`, without any other between them.
   *
   * @internal
   */
  multi(): NodeRedisMulti {
    return new NodeRedisMulti(this.#life);
  }

  /**
   * As `multi`, by the server's name.
   *
   * @internal
   */
  MULTI(): NodeRedisMulti {
    return this.multi();
  }
}
