import { assertModelled, NotModelled, refusing } from "../not-modelled.ts";
import type { RedisArgument, RedisCallback } from "./arguments.ts";
import { delayByDefault, type Reconnecting } from "./call-server.ts";
import { RedisCommands } from "./redis-commands.ts";
import { RedisConnection, type RedisParts } from "./redis-connection.ts";
import { RedisPipeline } from "./redis-pipeline.ts";
import { EMITTER_CALLS, refusedNames } from "./refused-commands.ts";

const SEE = "brokers.redis";
/** How often a command is tried again that says it in `retryStrategy` alone. */
const RETRIES_MAX = 20;
/** Options of a duplicate. Those of the second line change nothing in the model. */
/** What the library keeps of its commands and its connection, where anybody can look. */
const REFUSED_FIELDS = ["autoPipelineQueueSize", "commandQueue", "condition", "offlineQueue"];
const DUPLICATE_OPTIONS = [
  ...["lazyConnect", "maxRetriesPerRequest", "retryStrategy"],
  ...["connectionName", "enableReadyCheck", "connectTimeout", "keepAlive", "noDelay"],
];

/**
 * A connection to a Redis server, with the interface of `Redis` of ioredis.
 *
 * It has the commands of streams and groups, of strings, hashes, lists, sets and sorted sets,
 * `call`, and pipelines and transactions of all these, with the arguments of ioredis 6. Entries
 * that are added to another stream than the workload's, or to a list, are dead letters.
 *
 * What else the library publishes is refused by name. The connection's events are `connect`,
 * `ready`, `close` and `end`, and `reconnecting` after `disconnect(true)`.
 *
 * Holds: it connects with its first command; commands are executed in the order in which they were
 * sent, so a blocking read delays all later ones (`duplicate()` returns a separate connection); a
 * command whose reply is lost is sent again, and may be executed twice.
 *
 * @example A producer gets it from `checkProducer`
 * ```ts
 * import type { RedisClient } from "faultlane/check";
 *
 * function read(client: RedisClient) {
 *   const group = ["GROUP", "triggerer", "consumer-1"];
 *   return client.xreadgroup(...group, "COUNT", 10, "BLOCK", 5_000, "STREAMS", "orders", ">");
 * }
 * console.log(read.length); // => 1
 * ```
 *
 * Source: ioredis 6, Redis; redis.io, "Pipelining" and "Blocking commands"
 */
export class RedisClient extends RedisCommands {
  readonly #parts: RedisParts;
  readonly #start: "at-once" | "lazily";
  readonly #connection: RedisConnection;

  static {
    for (const name of refusedNames()) {
      const value = refusing(`Redis.${name}()`, SEE);
      Object.defineProperty(this.prototype, name, { value });
    }
    for (const name of REFUSED_FIELDS) {
      Object.defineProperty(this.prototype, name, { get: refusing(`Redis.${name}`, SEE) });
    }
    for (const name of EMITTER_CALLS) {
      const value = function (this: RedisClient, ...args: unknown[]): unknown {
        const { events } = this.#connection;
        const call = events[name] as (...given: unknown[]) => unknown;
        const result = call.apply(events, args);
        return result === events ? this : result;
      };
      Object.defineProperty(this.prototype, name, { value });
    }
  }

  /** The client of one server, which is no cluster. */
  readonly isCluster: boolean = false;
  /** It has no subscriptions. */
  readonly mode: string = "normal";

  /** @internal */
  constructor(parts: RedisParts, start: "at-once" | "lazily" = "at-once") {
    const connection = new RedisConnection(parts, start);
    super(connection);
    this.#parts = parts;
    this.#start = start;
    this.#connection = connection;
    const { reconnecting, crashes, port } = parts;
    if (reconnecting === undefined) return;
    // An idle connection is lost, too, and so is a read that waits.
    const lose = (): void => {
      if (connection.status !== "ready" || typeof reconnecting.delayMs(1) === "number") return;
      connection.disconnect();
    };
    crashes.add(() => void port.after(1, lose));
  }

  /**
   * Returns a separate connection to the same server, which connects with its first command; with
   * `lazyConnect` not because somebody listens to it. What it is not told is as it is here.
   *
   * Shape: `maxRetriesPerRequest` says after how many retries a command is given up, with null after
   * none; `retryStrategy` returns how many milliseconds to wait before the next one, or nothing for
   * the end of the connection. The others change nothing.
   */
  duplicate(
    options?: {
      readonly lazyConnect?: boolean;
      readonly maxRetriesPerRequest?: number | null;
      readonly retryStrategy?: (times: number) => number | null | void;
      readonly connectTimeout?: number;
      readonly connectionName?: string;
      readonly enableReadyCheck?: boolean;
      readonly keepAlive?: number;
      readonly noDelay?: boolean;
    } | null,
  ): RedisClient {
    const given = options ?? {};
    assertModelled("Redis.duplicate()", given, DUPLICATE_OPTIONS, SEE);
    const { lazyConnect = this.#start === "lazily" } = given;
    const parts = { ...this.#parts, ...toldBy(given, this.#parts.reconnecting) };
    return new RedisClient(parts, lazyConnect ? "lazily" : "at-once");
  }

  /** What the connection does: "connect" is between "connecting" and "ready". */
  get status(): "wait" | "connecting" | "connect" | "ready" | "reconnecting" | "end" {
    return this.#connection.status;
  }

  /**
   * Connects.
   *
   * @throws {Error} when it is connected already
   */
  connect(callback?: (error?: Error | null) => void): Promise<void> {
    return this.#connection.connect(callback);
  }

  /**
   * Returns a pipeline, whose commands are sent together by `exec()`.
   *
   * @internal
   */
  pipeline(commands?: readonly (readonly RedisArgument[])[]): RedisPipeline {
    return new RedisPipeline(this.#connection, "pipeline", listOf(commands));
  }

  /**
   * Returns a transaction, whose commands are executed without any other between them.
   *
   * @internal
   */
  multi(commands?: readonly (readonly RedisArgument[])[] | object | null): RedisPipeline {
    if ((commands as { readonly pipeline?: unknown } | null | undefined)?.pipeline === false) {
      throw new NotModelled("Redis.multi() without a pipeline", SEE);
    }
    return new RedisPipeline(this.#connection, "transaction", listOf(commands));
  }

  /**
   * Adds a listener for `connecting`, `connect`, `ready`, `close`, `end` or `reconnecting`; the model
   * reconnects silently unless `disconnect(true)` has asked for it.
   */
  on(event: string, listener: (...args: never[]) => void): this {
    this.#connection.events.on(event, listener);
    return this;
  }

  /** Adds a listener for one event. */
  once(event: string, listener: (...args: never[]) => void): this {
    this.#connection.events.once(event, listener);
    return this;
  }

  /** Removes a listener. */
  off(event: string, listener: (...args: never[]) => void): this {
    this.#connection.events.off(event, listener);
    return this;
  }

  /** Removes a listener. */
  removeListener(event: string, listener: (...args: never[]) => void): this {
    return this.off(event, listener);
  }

  /** @internal */
  get options(): never {
    throw new NotModelled("Redis.options", SEE);
  }

  /**
   * Closes after all commands that were sent.
   *
   * @internal
   */
  quit(callback?: RedisCallback): Promise<"OK"> {
    return this.#connection.quit(callback);
  }

  /**
   * Closes at once; pending commands reject. With `true` it connects again, and sends those that
   * have no reply anew.
   */
  disconnect(reconnect = false): void {
    if (reconnect) this.#connection.reconnect();
    else this.#connection.disconnect();
  }
}

type DuplicateOptions = NonNullable<Parameters<RedisClient["duplicate"]>[0]>;

/** What a duplicate does where it is told something of retries; else as the model's clients do. */
function toldBy(
  { maxRetriesPerRequest: most, retryStrategy }: DuplicateOptions,
  before: Reconnecting | undefined,
): { readonly reconnecting?: Reconnecting } {
  if (most === undefined && retryStrategy === undefined) return {};
  const known = before === undefined ? RETRIES_MAX : before.retriesMax;
  const retriesMax = most === undefined ? known : most;
  return {
    reconnecting: { retriesMax, delayMs: retryStrategy ?? before?.delayMs ?? delayByDefault },
  };
}

/** The library takes no notice of what is no list. */
function listOf(commands: unknown): readonly (readonly RedisArgument[])[] {
  return Array.isArray(commands) ? (commands as RedisArgument[][]) : [];
}
