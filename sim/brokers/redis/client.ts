import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { Emitter } from "../emitter.ts";
import { callAsLibrary, isTransportError } from "../library-call.ts";
import { NotModelled } from "../not-modelled.ts";
import { ArgumentReader, type RedisArgument, type RedisCallback } from "./arguments.ts";
import { readFrom, trimmingFrom } from "./requests.ts";
import { ConnectionClosed, MaxRetriesPerRequestError } from "./reply-error.ts";
import type { EntryReply, StreamServer } from "./stream-server.ts";

/** The entries that XREADGROUP returns, by stream. */
export type StreamReply = [key: string, items: EntryReply[]][];

/** A command without a reply is sent again after the library has reconnected. */
const RETRIES = { attemptsMax: 4, firstDelayMs: 100 };

/** What the connections of one client have in common. */
export interface RedisParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: StreamServer;
  /** The open connections of the client. */
  readonly connections: Set<RedisClient>;
}

/**
 * A connection to a Redis server, with the interface of `Redis` of ioredis.
 *
 * It has the stream commands `xadd`, `xreadgroup`, `xack`, `xclaim`, `xautoclaim`, `xpending`,
 * `xdel`, `xtrim`, `xlen`, `xrange`, `xrevrange` and `xgroup`, with the arguments of ioredis 6. Entries that are added to
 * another stream than the workload's are dead letters.
 *
 * An id of one's own in XADD, XREAD, XINFO and XSETID are refused by name as not modelled. The
 * connection's events are `connect`, `ready`, `close` and `end`.
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
export class RedisClient {
  readonly #parts: RedisParts;
  readonly #closing = new AbortController();
  readonly #cut = new AbortController();
  readonly #events = new Emitter();
  #status: "wait" | "connecting" | "ready" | "end" = "wait";
  #last: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(parts: RedisParts) {
    this.#parts = parts;
  }

  /** Returns a separate connection to the same server. */
  duplicate(): RedisClient {
    return new RedisClient(this.#parts);
  }

  /** What the connection does: "wait", "connecting", "ready" or "end". */
  get status(): "wait" | "connecting" | "ready" | "end" {
    return this.#status;
  }

  /**
   * Connects.
   *
   * @throws {Error} when it is connected already
   */
  async connect(): Promise<void> {
    if (this.#status === "connecting" || this.#status === "ready") {
      throw new Error("Redis is already connecting/connected");
    }
    if (this.#status === "end") throw new NotModelled("connect() after the end", "brokers.redis");
    this.#parts.connections.add(this);
    this.#beginConnecting();
    await new Promise<void>((resolve) => void this.#events.once("ready", resolve));
  }

  /** Adds a listener for `connect`, `ready`, `close` or `end`; the model reconnects silently. */
  on(event: string, listener: (...args: never[]) => void): this {
    this.#events.on(event, listener);
    this.#beginConnecting();
    return this;
  }

  /** Adds a listener for one event. */
  once(event: string, listener: (...args: never[]) => void): this {
    this.#events.once(event, listener);
    this.#beginConnecting();
    return this;
  }

  /** Removes a listener. */
  off(event: string, listener: (...args: never[]) => void): this {
    this.#events.off(event, listener);
    return this;
  }

  /** Removes a listener. */
  removeListener(event: string, listener: (...args: never[]) => void): this {
    return this.off(event, listener);
  }

  /**
   * Is not modelled.
   *
   * @internal
   */
  get options(): never {
    throw new NotModelled("Redis.options", "brokers.redis");
  }

  /**
   * Sends XRANGE.
   *
   * @internal
   */
  xrange(key: string | Uint8Array, ...args: RedisArgument[]): Promise<EntryReply[]> {
    return this.#command("broker.session", [key, ...args], (words) =>
      this.#parts.server.range(words.word(), words, 1),
    );
  }

  /**
   * Sends XREVRANGE.
   *
   * @internal
   */
  xrevrange(key: string | Uint8Array, ...args: RedisArgument[]): Promise<EntryReply[]> {
    return this.#command("broker.session", [key, ...args], (words) =>
      this.#parts.server.range(words.word(), words, -1),
    );
  }

  /**
   * Is not modelled.
   *
   * @internal
   */
  xread(..._args: RedisArgument[]): Promise<never> {
    return Promise.reject(new NotModelled("XREAD", "brokers.redis"));
  }

  /**
   * Is not modelled.
   *
   * @internal
   */
  xinfo(..._args: RedisArgument[]): Promise<never> {
    return Promise.reject(new NotModelled("XINFO", "brokers.redis"));
  }

  /**
   * Is not modelled.
   *
   * @internal
   */
  xsetid(..._args: RedisArgument[]): Promise<never> {
    return Promise.reject(new NotModelled("XSETID", "brokers.redis"));
  }

  /**
   * Sends XADD; only the id `*` is supported.
   *
   * @internal
   */
  xadd(key: string | Uint8Array, ...args: RedisArgument[]): Promise<string | null> {
    return this.#command("broker.produce", [key, ...args], (words) => {
      const stream = words.word();
      const { server } = this.#parts;
      if (words.option("NOMKSTREAM") !== undefined && !server.has(stream)) return null;
      const trimming = trimmingFrom(words);
      if (words.word() !== "*")
        throw new NotModelled("XADD with an id of one's own", "brokers.redis");
      const id = server.add(stream, words.rest());
      if (trimming.length > 0) server.trim(this.#who, stream, new ArgumentReader(trimming));
      return id;
    });
  }

  /**
   * Sends XREADGROUP.
   *
   * @internal
   */
  xreadgroup(...args: RedisArgument[]): Promise<StreamReply | null> {
    const words = new ArgumentReader(args);
    const { server, port } = this.#parts;
    return this.#send(callbackIn(args), async () => {
      const { blockMs, request } = readFrom(words);
      const until = port.world.now + (blockMs ?? 0);
      for (;;) {
        const { reply, version } = await this.#call("broker.fetch", () => ({
          reply: server.readGroup(this.#who, request),
          version: server.arrivals.version,
        }));
        const leftMs = until - port.world.now;
        if (reply !== undefined || leftMs <= 0) return reply ?? null;
        await server.arrivals.wait(port, leftMs, this.#closing.signal, version);
        if (this.#closing.signal.aborted) throw new ConnectionClosed();
      }
    });
  }

  /**
   * Sends XACK.
   *
   * @internal
   */
  xack(key: string | Uint8Array, group: string | Uint8Array, ...ids: RedisArgument[]): Reply {
    return this.#command("broker.settle", [key, group, ...ids], (words) =>
      this.#parts.server.ack(this.#who, words.word(), words.word(), words.rest()),
    );
  }

  /**
   * Sends XCLAIM.
   *
   * @internal
   */
  xclaim(key: string | Uint8Array, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#command("broker.session", [key, ...args], (words) =>
      this.#parts.server.claim(this.#who, words.word(), words),
    );
  }

  /**
   * Sends XAUTOCLAIM.
   *
   * @internal
   */
  xautoclaim(key: string | Uint8Array, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#command("broker.fetch", [key, ...args], (words) =>
      this.#parts.server.autoClaim(this.#who, words.word(), words),
    );
  }

  /**
   * Sends XPENDING.
   *
   * @internal
   */
  xpending(key: string | Uint8Array, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#command("broker.session", [key, ...args], (words) =>
      this.#parts.server.pending(words.word(), words),
    );
  }

  /**
   * Sends XDEL.
   *
   * @internal
   */
  xdel(key: string | Uint8Array, ...ids: RedisArgument[]): Reply {
    return this.#command("broker.settle", [key, ...ids], (words) =>
      this.#parts.server.remove(this.#who, words.word(), words.rest()),
    );
  }

  /**
   * Sends XTRIM.
   *
   * @internal
   */
  xtrim(key: string | Uint8Array, ...args: RedisArgument[]): Reply {
    return this.#command("broker.settle", [key, ...args], (words) =>
      this.#parts.server.trim(this.#who, words.word(), words),
    );
  }

  /**
   * Sends XLEN.
   *
   * @internal
   */
  xlen(key: string | Uint8Array, callback?: RedisCallback): Reply {
    return this.#command("broker.session", [key, callback], (words) =>
      this.#parts.server.length(words.word()),
    );
  }

  /**
   * Sends XGROUP.
   *
   * @internal
   */
  xgroup(subcommand: string, ...args: RedisArgument[]): Promise<unknown> {
    return this.#command("broker.session", [subcommand, ...args], (words) =>
      this.#parts.server.group(this.#who, words),
    );
  }

  /**
   * Closes after all commands that were sent.
   *
   * @internal
   */
  quit(_callback?: RedisCallback): Promise<"OK"> {
    this.#closing.abort();
    return this.#last.then(() => {
      this.disconnect();
      return "OK" as const;
    });
  }

  /** Closes at once; pending commands reject. */
  disconnect(): void {
    this.#cut.abort();
    this.#closing.abort();
    this.#parts.connections.delete(this);
    if (this.#status === "end") return;
    this.#status = "end";
    this.#report("close", "end");
  }

  #beginConnecting(): void {
    if (this.#status !== "wait") return;
    this.#status = "connecting";
    this.#report("connect", "ready");
  }

  /** Reports events, one after the other, a moment from now. */
  #report(...events: readonly ("connect" | "ready" | "close" | "end")[]): void {
    this.#parts.port.after(1, () => {
      for (const event of events) {
        if (event === "ready" && this.#status !== "connecting") return;
        if (event === "ready") this.#status = "ready";
        this.#events.emit(event);
      }
    });
  }

  get #who(): string {
    return this.#parts.port.name;
  }

  #command<T>(
    site: SiteName,
    args: readonly RedisArgument[],
    effect: (words: ArgumentReader) => T,
  ): Promise<T> {
    return this.#send(callbackIn(args), () =>
      this.#call(site, () => effect(new ArgumentReader(args))),
    );
  }

  async #call<T>(site: SiteName, effect: () => T): Promise<T> {
    const { port, host: to } = this.#parts;
    const request = { site, to, effect, isRepeatable: false, signal: this.#cut.signal };
    try {
      return await callAsLibrary(port, request, RETRIES);
    } catch (error) {
      if (!isTransportError(error)) throw error;
      throw new MaxRetriesPerRequestError(RETRIES.attemptsMax - 1, error);
    }
  }

  #send<T>(callback: RedisCallback | undefined, run: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) return Promise.reject(new ConnectionClosed());
    this.#parts.connections.add(this);
    if (this.#status === "wait") this.#status = "ready";
    const reply = this.#last.then(run);
    this.#last = reply.then(
      () => undefined,
      () => undefined,
    );
    if (callback === undefined) return reply;
    reply.then(
      (result) => callback(null, result as never),
      (error: unknown) => callback(error as Error),
    );
    return reply;
  }
}

type Reply = Promise<number>;

function callbackIn(args: readonly RedisArgument[]): RedisCallback | undefined {
  const last = args.at(-1);
  return typeof last === "function" ? last : undefined;
}
