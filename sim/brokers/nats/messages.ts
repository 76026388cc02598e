import type { ClientPort } from "../broker.ts";
import type { NatsMessage } from "./message.ts";

/** What a running subscription needs from its connection. */
export interface PullSource {
  readonly port: ClientPort;
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
  /** `once` pulls one batch and ends; `always` pulls until it is stopped. */
  readonly mode: "once" | "always";
  readonly callback?: ((message: NatsMessage) => unknown) | undefined;
}

/** How long after a failed pull the next one follows. */
const PULL_RETRY_MS = 1_000;

/**
 * The result of `consume` and `fetch`, with the interface of `ConsumerMessages`.
 *
 * Holds: it pulls ahead of its reader, up to the configured number of messages; a failed pull is
 * retried; messages that are buffered when it is closed are dropped, and redelivered by the server.
 *
 * Source: @nats-io/jetstream 3, consumer.ts
 */
export class NatsMessages {
  readonly #source: PullSource;
  readonly #plan: PullPlan;
  readonly #buffer: NatsMessage[] = [];
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #received = 0;
  #processed = 0;

  constructor(source: PullSource, plan: PullPlan) {
    this.#source = source;
    this.#plan = plan;
    source.subscriptions.add(this);
    this.#ended = this.#run();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<NatsMessage, void, void> {
    try {
      for (;;) {
        const message = this.#buffer.shift();
        if (message !== undefined) {
          this.#processed += 1;
          this.#drained?.();
          yield message;
        } else if (this.#closing.signal.aborted) {
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      this.stop();
    }
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

  stop(_error?: Error): void {
    this.#buffer.length = 0;
    this.#end();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#ended;
  }

  closed(): Promise<void> {
    return this.#ended;
  }

  #end(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#source.subscriptions.delete(this);
    this.#wake?.();
    this.#drained?.();
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
    this.#end();
  }

  async #pull(count: number): Promise<Pulled> {
    try {
      const pulled = await this.#source.pull(count);
      if (this.#closing.signal.aborted) return { messages: [], version: 0 };
      this.#received += pulled.messages.length;
      for (const message of pulled.messages) this.#take(message);
      return pulled;
    } catch {
      await this.#source.news(PULL_RETRY_MS, Number.MAX_SAFE_INTEGER, this.#closing.signal);
      return { messages: [], version: 0 };
    }
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
