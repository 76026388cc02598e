import { Emitter } from "../emitter.ts";
import { untilAborted } from "../library-call.ts";
import { type CommandResult, executedFrom, type QueuedCommand } from "./command-errors.ts";
import {
  clientClosed,
  clientDestroyed,
  refusedByServer,
  socketClosed,
  wordsFrom,
} from "./node-redis-errors.ts";
import { RedisCommands } from "./redis-commands.ts";
import { RedisConnection, type RedisParts } from "./redis-connection.ts";

/** A command's words as they are sent. */
export type SentWords = readonly [string, ...string[]];

/** Sends the commands of a client. */
export interface NodeRedisSender {
  send<T>(
    words: ArrayLike<unknown>,
    from: number,
    run: (to: RedisCommands, words: SentWords) => Promise<T>,
  ): Promise<T>;
}

/** The life of one client of node-redis: connecting, sending, and the two ways to close. */
export class NodeRedisConnection implements NodeRedisSender {
  readonly events: Emitter = new Emitter();
  readonly parts: RedisParts;
  readonly #replies = new Set<Promise<unknown>>();
  #destroying = new AbortController();
  #connection: RedisConnection | undefined;
  #state: "closed" | "connecting" | "ready" | "closing" = "closed";
  /** The server crashed: what waits for a reply says so itself, and so does nothing else. */
  readonly #crashed = (): void => {
    const { port } = this.parts;
    port.after(1, () => void (this.#isReady && this.#replies.size === 0 && this.#reportLoss()));
  };
  /** Whether there is a connection; also one that came behind a `destroy()`. */
  #isReady = false;

  constructor(parts: RedisParts) {
    this.parts = { ...parts, isOffline: () => this.#reportLoss() };
  }

  get isOpen(): boolean {
    return this.#state === "connecting" || this.#state === "ready";
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  async connect(): Promise<void> {
    if (this.#state !== "closed") throw new Error("Socket already opened");
    this.#state = "connecting";
    this.#destroying = new AbortController();
    const connection = new RedisConnection(this.parts, "lazily");
    this.#connection = connection;
    // As in the library, a connection that is being made comes in spite of a `destroy()`.
    await connection.connect();
    this.events.emit("connect");
    // Meanwhile the library introduces itself to the server.
    await new Promise<void>((resolve) => void this.parts.port.after(0, resolve));
    if (this.#connection === connection) this.#state = "ready";
    this.#isReady = true;
    this.parts.crashes.add(this.#crashed);
    this.events.emit("ready");
  }

  async close(): Promise<void> {
    if (!this.isOpen) throw clientClosed();
    if (this.#replies.size > 0) {
      this.#state = "closing";
      await Promise.allSettled(this.#replies);
    }
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
    words: ArrayLike<unknown>,
    from: number,
    run: (to: RedisCommands, words: SentWords) => Promise<T>,
  ): Promise<T> {
    const connection = this.#open();
    const sent = wordsFrom(words, from) as SentWords;
    return await this.#replied(() => run(new RedisCommands(connection), sent));
  }

  /** Sends commands as one transaction. */
  async transact(commands: readonly QueuedCommand[]): Promise<readonly CommandResult[]> {
    const connection = this.#open();
    return await this.#replied(async () => executedFrom(await connection.transact(commands)));
  }

  /** Sends commands one after the other. */
  async inTurn(commands: readonly QueuedCommand[]): Promise<readonly CommandResult[]> {
    const connection = this.#open();
    return await this.#replied(() => connection.inTurn(commands));
  }

  /** @throws {Error} `ClientClosedError` when there is no connection */
  assertOpen(): void {
    this.#open();
  }

  #open(): RedisConnection {
    const connection = this.#connection;
    if (!this.isOpen || connection === undefined) throw clientClosed();
    return connection;
  }

  async #replied<T>(run: () => Promise<T>): Promise<T> {
    const { signal } = this.#destroying;
    const reply = untilAborted(run(), signal, clientDestroyed);
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
  #errorFrom(caught: unknown): unknown {
    if (!(caught instanceof Error)) return caught;
    // Of a transaction that is discarded the library shows why.
    const { previousErrors: [why] = [] } = caught as { readonly previousErrors?: Error[] };
    const error = why ?? caught;
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
    if (this.#isReady) this.#connection?.disconnect();
    this.#state = "closed";
    this.#isReady = false;
    this.parts.crashes.delete(this.#crashed);
    this.#connection = undefined;
    this.events.emit("end");
  }
}
