import type { SiteName } from "../../faults/site.ts";
import { Emitter } from "../emitter.ts";
import { NotModelled, refusing } from "../not-modelled.ts";
import {
  ArgumentReader,
  assertArity,
  type RedisArgument,
  type RedisCallback,
} from "./arguments.ts";
import { EMITTER_CALLS, refusedNames } from "./refused-commands.ts";
import { callServer, type ServerParts } from "./call-server.ts";
import { addRequestFrom, readFrom, trimmingFrom } from "./requests.ts";
import { ConnectionClosed } from "./reply-error.ts";
import type { EntryReply, StreamServer } from "./stream-server.ts";

/** The entries that XREADGROUP returns, by stream. */
export type StreamReply = [key: string, items: EntryReply[]][];

/** What the connections of one client have in common. */
export interface RedisParts extends ServerParts {
  readonly server: StreamServer;
  /** The open connections of the client. */
  readonly connections: Set<RedisClient>;
}

/**
 * A connection to a Redis server, with the interface of `Redis` of ioredis.
 *
 * It has the stream commands `xadd`, `xreadgroup`, `xack`, `xclaim`, `xautoclaim`, `xpending`,
 * `xdel`, `xtrim`, `xlen`, `xrange`, `xrevrange` and `xgroup`, with the arguments of ioredis 6.
 * Entries that are added to another stream than the workload's are dead letters.
 *
 * What else the library publishes is refused by name, and so is an id of one's own in XADD. The
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
  readonly #events = new Emitter({
    added: () => this.#beginConnecting(),
    removed: () => undefined,
  });

  static {
    for (const name of refusedNames()) {
      const value = refusing(`Redis.${name}()`, "brokers.redis");
      Object.defineProperty(this.prototype, name, { value });
    }
    for (const name of EMITTER_CALLS) {
      const value = function (this: RedisClient, ...args: unknown[]): unknown {
        const events = this.#events;
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
    return this;
  }

  /** Adds a listener for one event. */
  once(event: string, listener: (...args: never[]) => void): this {
    this.#events.once(event, listener);
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

  /** @internal */
  get options(): never {
    throw new NotModelled("Redis.options", "brokers.redis");
  }

  /**
   * Sends XRANGE.
   *
   * @internal
   */
  xrange(key: string | Uint8Array, ...args: RedisArgument[]): Promise<EntryReply[]> {
    return this.#command("broker.session", "xrange", [key, ...args], (words) =>
      range(this.#parts.server, words, 1),
    );
  }

  /**
   * Sends XREVRANGE.
   *
   * @internal
   */
  xrevrange(key: string | Uint8Array, ...args: RedisArgument[]): Promise<EntryReply[]> {
    return this.#command("broker.session", "xrevrange", [key, ...args], (words) =>
      range(this.#parts.server, words, -1),
    );
  }

  /**
   * Sends XADD; only the id `*` is supported.
   *
   * @internal
   */
  xadd(key: string | Uint8Array, ...args: RedisArgument[]): Promise<string | null> {
    return this.#command("broker.produce", "xadd", [key, ...args], (words) => {
      const stream = words.word();
      const { server } = this.#parts;
      const { trimming, createsStream, fields } = addRequestFrom(words);
      if (!createsStream && !server.has(stream)) return null;
      const id = server.add(stream, fields);
      if (trimming !== undefined) server.trim(this.#who, stream, trimming);
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
      assertArity("xreadgroup", words);
      const { blockMs, request } = readFrom(words);
      const until = port.world.now + (blockMs ?? 0);
      for (;;) {
        const { reply, version } = await this.#call("broker.fetch", () => ({
          reply: server.readGroup(this.#who, request),
          version: server.arrivals.version,
        }));
        const leftMs = until - port.world.now;
        if (reply !== undefined || leftMs <= 0) return reply ?? null;
        await server.arrivals.wait(port, leftMs, this.#cut.signal, version);
        if (this.#cut.signal.aborted) throw new ConnectionClosed();
      }
    });
  }

  /**
   * Sends XACK.
   *
   * @internal
   */
  xack(key: string | Uint8Array, group: string | Uint8Array, ...ids: RedisArgument[]): Reply {
    return this.#command("broker.settle", "xack", [key, group, ...ids], (words) =>
      this.#parts.server.ack(this.#who, words.word(), words.word(), words.rest()),
    );
  }

  /**
   * Sends XCLAIM.
   *
   * @internal
   */
  xclaim(key: string | Uint8Array, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#command("broker.session", "xclaim", [key, ...args], (words) =>
      this.#parts.server.claim(this.#who, words.word(), words),
    );
  }

  /**
   * Sends XAUTOCLAIM.
   *
   * @internal
   */
  xautoclaim(key: string | Uint8Array, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#command("broker.fetch", "xautoclaim", [key, ...args], (words) =>
      this.#parts.server.autoClaim(this.#who, words.word(), words),
    );
  }

  /**
   * Sends XPENDING.
   *
   * @internal
   */
  xpending(key: string | Uint8Array, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#command("broker.session", "xpending", [key, ...args], (words) =>
      this.#parts.server.pending(words.word(), words),
    );
  }

  /**
   * Sends XDEL.
   *
   * @internal
   */
  xdel(key: string | Uint8Array, ...ids: RedisArgument[]): Reply {
    return this.#command("broker.settle", "xdel", [key, ...ids], (words) =>
      this.#parts.server.remove(this.#who, words.word(), words.rest()),
    );
  }

  /**
   * Sends XTRIM.
   *
   * @internal
   */
  xtrim(key: string | Uint8Array, ...args: RedisArgument[]): Reply {
    return this.#command("broker.settle", "xtrim", [key, ...args], (words) =>
      this.#parts.server.trim(this.#who, words.word(), trimmingFrom(words)),
    );
  }

  /**
   * Sends XLEN.
   *
   * @internal
   */
  xlen(...args: [key: string | Uint8Array, callback?: RedisCallback]): Reply {
    return this.#command("broker.session", "xlen", args, (words) =>
      this.#parts.server.length(words.word()),
    );
  }

  /**
   * Sends XGROUP.
   *
   * @internal
   */
  xgroup(...args: [subcommand: string, ...RedisArgument[]]): Promise<unknown> {
    return this.#command("broker.session", "xgroup", args, (words) =>
      this.#parts.server.group(this.#who, words),
    );
  }

  /**
   * Closes after all commands that were sent.
   *
   * @internal
   */
  quit(_callback?: RedisCallback): Promise<"OK"> {
    if (this.#status === "end") return Promise.reject(new ConnectionClosed());
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
    name: string,
    args: readonly RedisArgument[],
    effect: (words: ArgumentReader) => T,
  ): Promise<T> {
    const run = (): T => {
      const words = new ArgumentReader(args);
      assertArity(name, words);
      return effect(words);
    };
    return this.#send(callbackIn(args), () => this.#call(site, run));
  }

  async #call<T>(site: SiteName, effect: () => T): Promise<T> {
    return await callServer(this.#parts, site, effect, this.#cut.signal);
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

/** For a COUNT of 0 the server replies with nil, which the library's type does not tell. */
function range(server: StreamServer, words: ArgumentReader, direction: 1 | -1): EntryReply[] {
  return server.range(words.word(), words, direction) as EntryReply[];
}

function callbackIn(args: readonly RedisArgument[]): RedisCallback | undefined {
  const last = args.at(-1);
  return typeof last === "function" ? last : undefined;
}
