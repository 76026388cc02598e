import { Emitter } from "../emitter.ts";
import { untilAborted } from "../library-call.ts";
import { RedisClient, type RedisParts } from "./client.ts";
import {
  assertWords,
  clientClosed,
  clientDestroyed,
  refusedByServer,
  socketClosed,
} from "./node-redis-errors.ts";

type Sent = readonly [string, ...string[]];

/** The life of one client of node-redis: connecting, sending, and the two ways to close. */
export class NodeRedisConnection {
  readonly events: Emitter = new Emitter();
  readonly parts: RedisParts;
  readonly #replies = new Set<Promise<unknown>>();
  #destroying = new AbortController();
  #connection: RedisClient | undefined;
  #state: "closed" | "connecting" | "ready" | "closing" = "closed";

  constructor(parts: RedisParts) {
    this.parts = { ...parts, isOffline: () => this.#reportLoss() };
  }

  get isOpen(): boolean {
    return this.#state === "connecting" || this.#state === "ready";
  }

  get isReady(): boolean {
    return this.#state === "ready" || this.#state === "closing";
  }

  async connect(): Promise<void> {
    if (this.#state !== "closed") throw new Error("Socket already opened");
    this.#state = "connecting";
    this.#destroying = new AbortController();
    const connection = new RedisClient(this.parts);
    this.#connection = connection;
    await untilAborted(connection.connect(), this.#destroying.signal, clientDestroyed);
    this.events.emit("connect");
    // Meanwhile the library introduces itself to the server.
    const introduced = new Promise<void>((resolve) => void this.parts.port.after(0, resolve));
    await untilAborted(introduced, this.#destroying.signal, clientDestroyed);
    this.#state = "ready";
    this.events.emit("ready");
  }

  async close(): Promise<void> {
    if (!this.isOpen) throw clientClosed();
    this.#state = "closing";
    await Promise.allSettled(this.#replies);
    this.#end();
  }

  destroy(): void {
    this.#destroying.abort();
    this.#end();
  }

  /**
   * Sends a command whose arguments are these words.
   *
   * @throws {TypeError} for a word that the library cannot encode; `from` is the first one's number
   * @throws {Error} of the library's classes
   */
  async send<T>(
    words: readonly unknown[],
    from: number,
    run: (connection: RedisClient, words: Sent) => Promise<T>,
  ): Promise<T> {
    const connection = this.#connection;
    if (!this.isOpen || connection === undefined) throw clientClosed();
    assertWords(words, from);
    const { signal } = this.#destroying;
    const reply = untilAborted(run(connection, words as Sent), signal, clientDestroyed);
    this.#replies.add(reply);
    try {
      return await reply;
    } catch (error) {
      throw this.#errorFrom(error);
    } finally {
      this.#replies.delete(reply);
    }
  }

  /** Ids of errors are those of ioredis, whose client is inside. */
  #errorFrom(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    if (error.name === "ReplyError") return refusedByServer(error.message);
    if (error.name !== "MaxRetriesPerRequestError") return error;
    this.#reportLoss();
    return socketClosed();
  }

  /** The connection broke, and is made anew; an `error` that nobody listens to is thrown. */
  #reportLoss(): void {
    const error = socketClosed();
    if (!this.events.emit("error", error)) {
      this.parts.port.after(0, () => {
        throw error;
      });
    }
    this.events.emit("reconnecting");
    this.parts.port.after(1, () => {
      if (!this.isReady) return;
      this.events.emit("connect");
      this.events.emit("ready");
    });
  }

  #end(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#connection?.disconnect();
    this.#connection = undefined;
    this.events.emit("end");
  }
}
