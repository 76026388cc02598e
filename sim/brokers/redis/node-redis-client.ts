import { NotModelled, refusing } from "../not-modelled.ts";
import type { RedisClient, RedisParts } from "./client.ts";
import { NodeRedisConnection } from "./node-redis-connection.ts";
import { REFUSED_FIELDS, refusedByNodeRedis } from "./node-redis-refused.ts";
import {
  type AutoClaimed,
  claimedFrom,
  messagesFrom,
  type PendingLine,
  pendingLineFrom,
  type PendingSummary,
  pendingSummaryFrom,
  type StreamMessage,
  type StreamMessages,
} from "./node-redis-replies.ts";
import { NodeRedisStreams } from "./node-redis-streams.ts";
import { EMITTER_CALLS } from "./refused-commands.ts";
import type { ClaimReply } from "./stream-server.ts";
import {
  type ClaimOptions,
  claimWords,
  type CountOption,
  claimCount,
  listOf,
  type PendingOptions,
  pendingWords,
  type ReadOptions,
  readWords,
  type StreamKey,
  type Word,
  type Words,
} from "./node-redis-words.ts";

const SEE = "brokers.nodeRedis";

/** Commands whose other name is not the same in capitals. */
const SERVER_NAMES: Readonly<Record<string, string>> = {
  ...{ xAddNoMkStream: "XADD_NOMKSTREAM", xAutoClaimJustId: "XAUTOCLAIM_JUSTID" },
  ...{ xClaimJustId: "XCLAIM_JUSTID", xPendingRange: "XPENDING_RANGE" },
  ...{ xGroupCreate: "XGROUP_CREATE", xGroupCreateConsumer: "XGROUP_CREATECONSUMER" },
  ...{ xGroupDelConsumer: "XGROUP_DELCONSUMER", xGroupDestroy: "XGROUP_DESTROY" },
  ...{ xGroupSetId: "XGROUP_SETID" },
};
const COMMANDS = [
  ...["xAck", "xAdd", "xAutoClaim", "xClaim", "xDel", "xLen", "xPending", "xRange"],
  ...["xReadGroup", "xRevRange", "xTrim", "quit", ...Object.keys(SERVER_NAMES)],
];

/**
 * A connection to a Redis server, with the interface of a client of node-redis 6 (`redis`,
 * `@redis/client`), connected by its own `connect()`.
 *
 * It has the same streams and groups as the client for ioredis, and the same commands by the names
 * of node-redis; what else the library publishes is refused by name.
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
export class NodeRedisClient extends NodeRedisStreams {
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
    for (const name of COMMANDS) {
      const value: unknown = Reflect.get(this.prototype, name);
      Object.defineProperty(this.prototype, SERVER_NAMES[name] ?? name.toUpperCase(), { value });
    }
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
   * Sends XACK.
   *
   * @internal
   */
  xAck(key: Word, group: Word, id: Words): Promise<number> {
    return this.#send([key, group, ...listOf(id)], (to, [at, name = "", ...ids]) =>
      to.xack(at, name, ...ids),
    );
  }

  /**
   * Sends XAUTOCLAIM.
   *
   * @internal
   */
  async xAutoClaim(
    key: Word,
    group: Word,
    consumer: Word,
    minIdleTime: number,
    start: Word,
    options?: CountOption,
  ): Promise<AutoClaimed<StreamMessage | null>> {
    const words = [key, group, consumer, String(minIdleTime), start, ...claimCount(options)];
    const [nextId, messages, deleted] = await this.#autoClaim(words);
    return { nextId, messages: claimedFrom(messages), deletedMessages: [...deleted] };
  }

  /**
   * Sends XAUTOCLAIM for the ids alone, which counts no delivery.
   *
   * @internal
   */
  async xAutoClaimJustId(
    key: Word,
    group: Word,
    consumer: Word,
    minIdleTime: number,
    start: Word,
    options?: CountOption,
  ): Promise<AutoClaimed<string>> {
    const words = [key, group, consumer, String(minIdleTime), start, ...claimCount(options)];
    const [nextId, messages, deleted] = await this.#autoClaim([...words, "JUSTID"]);
    return { nextId, messages: messages as string[], deletedMessages: [...deleted] };
  }

  /**
   * Sends XCLAIM.
   *
   * @internal
   */
  async xClaim(
    key: Word,
    group: Word,
    consumer: Word,
    minIdleTime: number,
    id: Words,
    options?: ClaimOptions,
  ): Promise<(StreamMessage | null)[]> {
    const words = [
      key,
      group,
      consumer,
      String(minIdleTime),
      ...listOf(id),
      ...claimWords(options),
    ];
    const reply = await this.#send(words, (to, [at, ...rest]) => to.xclaim(at, ...rest));
    return claimedFrom(reply as ClaimReply[]);
  }

  /**
   * Sends XCLAIM for the ids alone, which counts no delivery.
   *
   * @internal
   */
  xClaimJustId(
    key: Word,
    group: Word,
    consumer: Word,
    minIdleTime: number,
    id: Words,
    options?: ClaimOptions,
  ): Promise<string[]> {
    const ids = [...listOf(id), ...claimWords(options), "JUSTID"];
    const words = [key, group, consumer, String(minIdleTime), ...ids];
    return this.#send(words, (to, [at, ...rest]) => to.xclaim(at, ...rest) as Promise<string[]>);
  }

  /**
   * Sends XPENDING in its short form.
   *
   * @internal
   */
  async xPending(key: Word, group: Word): Promise<PendingSummary> {
    const reply = await this.#send([key, group], (to, [at, name]) => to.xpending(at, name));
    return pendingSummaryFrom(reply);
  }

  /**
   * Sends XPENDING in its long form.
   *
   * @internal
   */
  async xPendingRange(
    key: Word,
    group: Word,
    start: Word,
    end: Word,
    count: number,
    options?: PendingOptions,
  ): Promise<PendingLine[]> {
    const words = [key, group, ...pendingWords(start, end, count, options)];
    const reply = await this.#send(words, (to, [at, ...rest]) => to.xpending(at, ...rest));
    return reply.map(pendingLineFrom);
  }

  /**
   * Sends XREADGROUP.
   *
   * @internal
   */
  async xReadGroup(
    group: Word,
    consumer: Word,
    streams: StreamKey | readonly StreamKey[],
    options?: ReadOptions,
  ): Promise<StreamMessages[] | null> {
    const words = readWords(group, consumer, streams, options);
    return messagesFrom(await this.#send(words, (to, all) => to.xreadgroup(...all)));
  }

  #autoClaim(words: readonly Word[]): Promise<[string, ClaimReply[], string[]]> {
    return this.#send(
      words,
      (to, [at, ...rest]) =>
        to.xautoclaim(at, ...rest) as Promise<[string, ClaimReply[], string[]]>,
    );
  }

  #send<T>(
    words: readonly Word[],
    run: (to: RedisClient, words: readonly [string, ...string[]]) => Promise<T>,
  ): Promise<T> {
    return this.#life.send(words, 1, run);
  }
}
