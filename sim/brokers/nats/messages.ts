import type { ClientPort } from "../broker.ts";
import { InvalidOperationError, JetStreamStatusError } from "./errors.ts";
import type { NatsMessage } from "./message.ts";
import { type NatsStatus, StatusFeed } from "./status-feed.ts";

/** What a running subscription needs from its connection. */
export interface PullSource {
  readonly port: ClientPort;
  /** The consumer's. */
  readonly names: { readonly name: string; readonly stream: string };
  /** The open subscriptions of the client. */
  readonly subscriptions: Set<NatsMessages>;
  pull(count: number): Promise<Pulled>;
  /** Resolves when messages arrive after version `since`, after `ms`, or when `signal` aborts. */
  news(ms: number, since: number, signal: AbortSignal): Promise<void>;
}

/** The result of a pull; `version` is that of the server's `Arrivals`. */
export interface Pulled {
  readonly messages: readonly NatsMessage[];
  readonly version: number;
}

export interface PullPlan {
  readonly messagesMax: number;
  readonly expiresMs: number;
  /** How long the server is silent at most while a pull waits. */
  readonly heartbeatMs: number;
  /** `once` pulls one batch and ends; `always` pulls until it is stopped. */
  readonly mode: "once" | "always";
  /** Whether a deleted consumer ends the subscription with an error, also in the mode `always`. */
  readonly abortsOnMissing?: boolean | undefined;
  readonly callback?: ((message: NatsMessage) => unknown) | undefined;
}

/** How long after a failed pull the next one follows. */
const PULL_RETRY_MS = 1_000;
/** After so many missed heartbeats the library asks what is wrong. */
const MISSED_HEARTBEATS = 3;

/**
 * The result of `consume` and `fetch`, with the interface of `ConsumerMessages`.
 *
 * Holds: it pulls as soon as somebody reads, not before, and then ahead of its reader, up to the
 * configured number of messages; a failed pull is retried; what is buffered when it stops is still
 * read, and it is closed when its reader has come to the end, has left, or when it has none because
 * it calls back. A consumer that is deleted under a pull ends it with status 409, one that was gone
 * before with what the server says of it; in the mode `always` only on demand.
 *
 * Source: @nats-io/jetstream 3, consumer.ts; @nats-io/nats-core 3, queued_iterator.ts
 */
export class NatsMessages {
  readonly #source: PullSource;
  readonly #plan: PullPlan;
  readonly #buffer: NatsMessage[] = [];
  readonly #closing = new AbortController();
  readonly #closed: Promise<void | Error>;
  readonly #feeds: StatusFeed[] = [];
  #resolveClosed: (error?: Error) => void = () => undefined;
  #error: Error | undefined;
  #isClosed = false;
  #hasLeft = false;
  #isRead = false;
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #received = 0;
  #isPulling = false;
  /** Whether the server has a request of this subscription that it has not met in full. */
  #isRequested = false;
  #processed = 0;
  #failedPulls = 0;
  #missingFor = 0;

  constructor(source: PullSource, plan: PullPlan) {
    this.#source = source;
    this.#plan = plan;
    this.#closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    source.subscriptions.add(this);
    if (plan.callback !== undefined) this.#beginToPull();
  }

  /** @throws {InvalidOperationError} at a second reading, or where messages are called back */
  async *[Symbol.asyncIterator](): AsyncGenerator<NatsMessage, void, void> {
    if (this.#plan.callback !== undefined) {
      throw new InvalidOperationError("iterator cannot be used when a callback is registered");
    }
    if (this.#isRead) throw new InvalidOperationError("iterator is already yielding");
    this.#isRead = true;
    this.#beginToPull();
    try {
      for (;;) {
        const message = this.#buffer.shift();
        if (message !== undefined) {
          this.#processed += 1;
          this.#drained?.();
          yield message;
        } else if (this.#closing.signal.aborted) {
          this.#close();
          if (this.#error !== undefined) throw this.#error;
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      this.#hasLeft = true;
      this.stop();
    }
  }

  /** Reports missed heartbeats and a deleted consumer. */
  status(): StatusFeed {
    const feed = new StatusFeed();
    this.#feeds.push(feed);
    return feed;
  }

  getProcessed(): number {
    return this.#processed;
  }

  getPending(): number {
    return this.#buffer.length;
  }

  getReceived(): number {
    return this.#received;
  }

  /** Asks the server for no more; what is buffered is still read. */
  stop(error?: Error): void {
    if (this.#isClosed) return;
    if (!this.#closing.signal.aborted) {
      this.#error = error;
      this.#closing.abort();
      this.#source.subscriptions.delete(this);
    }
    if (this.#hasLeft || this.#plan.callback !== undefined) this.#close();
    this.#wake?.();
    this.#drained?.();
  }

  /** Resolves when all that is buffered has been read. */
  close(): Promise<void | Error> {
    this.stop();
    return this.#closed;
  }

  closed(): Promise<void | Error> {
    return this.#closed;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const feed of this.#feeds) feed.end();
    this.#resolveClosed(this.#error);
  }

  #notify(status: NatsStatus): void {
    for (const feed of this.#feeds) feed.push(status);
  }

  #beginToPull(): void {
    if (this.#isPulling) return;
    this.#isPulling = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { messagesMax, expiresMs, mode } = this.#plan;
    const { port } = this.#source;
    const { signal } = this.#closing;
    const until = mode === "once" ? port.world.now + expiresMs : Number.MAX_SAFE_INTEGER;
    while (!signal.aborted) {
      const left = mode === "once" ? messagesMax - this.#received : messagesMax;
      const room = left - this.#buffer.length;
      if (room <= 0) {
        await new Promise<void>((resolve) => (this.#drained = resolve));
        continue;
      }
      const { messages, version } = await this.#pull(room);
      const isEnough = this.#received >= messagesMax || port.world.now >= until;
      if (mode === "once" && isEnough) break;
      if (messages.length === 0 && !signal.aborted) {
        const leftMs = Math.min(expiresMs, until - port.world.now);
        await this.#source.news(leftMs, version, signal);
      }
    }
    this.stop();
  }

  async #pull(count: number): Promise<Pulled> {
    try {
      const pulled = await this.#source.pull(count);
      if (this.#closing.signal.aborted) return { messages: [], version: 0 };
      this.#failedPulls = 0;
      this.#missingFor = 0;
      this.#received += pulled.messages.length;
      this.#isRequested = pulled.messages.length < count;
      for (const message of pulled.messages) this.#take(message);
      return pulled;
    } catch (error) {
      if ((error as Error).name === "ConsumerNotFoundError") await this.#isGone(error as Error);
      else {
        this.#notify({ type: "heartbeats_missed", count: (this.#failedPulls += 1) });
        await this.#wait(PULL_RETRY_MS);
      }
      return { messages: [], version: 0 };
    }
  }

  /** The consumer does not exist: it was deleted under a request, or nobody takes the request. */
  async #isGone(error: Error): Promise<void> {
    const { mode, abortsOnMissing = false, heartbeatMs } = this.#plan;
    if (this.#isRequested) {
      this.#isRequested = false;
      const [code, description] = [409, "consumer deleted"] as const;
      this.#notify({ type: "consumer_deleted", code, description });
      if (mode === "once" || abortsOnMissing) {
        this.stop(new JetStreamStatusError(code, description));
        return;
      }
    } else {
      const code = 503;
      this.#notify({ type: "no_responders", code });
      if (mode === "once") {
        this.stop(new JetStreamStatusError(code, "no responders"));
        return;
      }
    }
    await this.#wait(MISSED_HEARTBEATS * heartbeatMs);
    this.#notify({ type: "heartbeats_missed", count: (this.#failedPulls += 1) });
    this.#missingFor += 1;
    this.#notify({ type: "consumer_not_found", ...this.#source.names, count: this.#missingFor });
    if (abortsOnMissing) this.stop(error);
  }

  async #wait(ms: number): Promise<void> {
    await this.#source.news(ms, Number.MAX_SAFE_INTEGER, this.#closing.signal);
  }

  #take(message: NatsMessage): void {
    const { callback } = this.#plan;
    if (callback === undefined) {
      this.#buffer.push(message);
      this.#wake?.();
    } else {
      this.#processed += 1;
      callback(message);
    }
  }
}
