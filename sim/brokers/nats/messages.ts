import { ConnectionLost, ConnectionRefused } from "../../hosts/call.ts";
import type { ClientPort } from "../broker.ts";
import { InvalidOperationError, JetStreamStatusError } from "./errors.ts";
import type { Puller } from "./consumer-state.ts";
import type { NatsMessage } from "./message.ts";
import { type NatsStatus, StatusFeed } from "./status-feed.ts";

/** What a running subscription needs from its connection. */
export interface PullSource {
  readonly port: ClientPort;
  /** The consumer's. */
  readonly names: { readonly name: string; readonly stream: string };
  /** The open subscriptions of the client. */
  readonly subscriptions: Set<NatsMessages>;
  /** `isAsked`: whether it is sent for a request, and not because something has arrived. */
  pull(count: number, reader: Puller, isAsked: boolean): Promise<Pulled>;
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
  /** More is asked for once no more than this has yet to come. */
  readonly threshold: number;
  /** Whether a deleted consumer ends the subscription with an error, also in the mode `always`. */
  readonly abortsOnMissing?: boolean | undefined;
  readonly callback?: ((message: NatsMessage) => unknown) | undefined;
}

/** How long after a failed pull the next one follows. */
const PULL_RETRY_MS = 1_000;
/**
 * After so many missed heartbeats the library asks what is wrong; the first that it looks for may
 * be one that has come.
 */
const MISSED_HEARTBEATS = 2;

/** A request for so many messages. It waits in line with the messages: the reader sends it. */
interface Ask {
  readonly count: number;
}

/** A request that is at the server. */
interface Request {
  /** How many messages have yet to come. */
  left: number;
  readonly until: number;
  /** Whether there was a consumer that took it. */
  isTaken: boolean;
}

/**
 * The result of `consume` and `fetch`, with the interface of `ConsumerMessages`.
 *
 * Holds: it pulls as soon as somebody reads, not before. What it has asked for comes ahead of its
 * reader; more is asked for when the threshold is reached, in a request that the reader sends when
 * it comes to it, behind the messages before it: a reader that is at work sends none. A request
 * ends after its time, and a failed pull is retried. What is buffered when it stops is still read,
 * and it is closed when its reader has come to the end, has left, or when it has none because it
 * calls back. A consumer that is deleted under a pull ends it with status 409, one that was gone
 * before with what the server says of it; in the mode `always` only on demand. So does an error of
 * the callback.
 *
 * Source: @nats-io/jetstream 3, consumer.ts; @nats-io/nats-core 3, queued_iterator.ts
 */
export class NatsMessages implements Puller {
  readonly #source: PullSource;
  readonly #plan: PullPlan;
  readonly #buffer: (NatsMessage | Ask)[] = [];
  /** At the server, the oldest first. */
  readonly #requests: Request[] = [];
  readonly #closing = new AbortController();
  readonly #closed: Promise<void | Error>;
  readonly #feeds: StatusFeed[] = [];
  #resolveClosed: (error?: Error) => void = () => undefined;
  #error: Error | undefined;
  #isClosed = false;
  #hasLeft = false;
  #isRead = false;
  #wake: (() => void) | undefined;
  #sent: (() => void) | undefined;
  #received = 0;
  #isPulling = false;
  /** How many messages have yet to come, of requests that wait to be sent, too. */
  #expected = 0;
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
        const next = this.#buffer.shift();
        if (next !== undefined && "count" in next) {
          this.#send(next);
        } else if (next !== undefined) {
          this.#processed += 1;
          yield next;
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
    return this.#buffer.filter((one) => !("count" in one)).length;
  }

  getReceived(): number {
    return this.#received;
  }

  /** @internal */
  openRequests(): number {
    const { world, alive } = this.#source.port;
    if (this.#closing.signal.aborted || !alive) return 0;
    return this.#requests.filter(({ until }) => until > world.now).length;
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
    this.#sent?.();
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
    this.#ask();
    void this.#run();
  }

  /** Asks for as many messages as are missing, as soon as the reader comes to it. */
  #ask(): void {
    const count = this.#plan.messagesMax - this.#expected;
    this.#expected += count;
    if (this.#plan.callback === undefined) {
      this.#buffer.push({ count });
      this.#wake?.();
    } else {
      this.#send({ count });
    }
  }

  #send({ count }: Ask): void {
    const until = this.#source.port.world.now + this.#plan.expiresMs;
    this.#requests.push({ left: count, until, isTaken: false });
    this.#sent?.();
  }

  /** Something has come, or will not come any more. */
  #isLess(count: number): void {
    this.#expected -= count;
    const { mode, threshold } = this.#plan;
    if (mode === "always" && this.#expected <= threshold) this.#ask();
  }

  async #run(): Promise<void> {
    const { port } = this.#source;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#expire(port.world.now);
      if (this.#requests.length === 0) {
        if (this.#plan.mode === "once" && this.#expected === 0) break;
        await new Promise<void>((resolve) => (this.#sent = resolve));
        continue;
      }
      const { messages, version } = await this.#pull(this.#left());
      if (messages.length > 0 || signal.aborted) continue;
      const until = Math.min(...this.#requests.map((request) => request.until));
      if (until > port.world.now) {
        await this.#source.news(until - port.world.now, version, signal);
      }
    }
    this.stop();
  }

  #left(): number {
    return this.#requests.reduce((sum, { left }) => sum + left, 0);
  }

  #expire(now: number): void {
    while ((this.#requests[0]?.until ?? Number.POSITIVE_INFINITY) <= now) {
      this.#isLess(this.#requests.shift()?.left ?? 0);
    }
  }

  async #pull(count: number): Promise<Pulled> {
    try {
      const isAsked = this.#requests.some(({ isTaken }) => !isTaken);
      const pulled = await this.#source.pull(count, this, isAsked);
      this.#failedPulls = 0;
      this.#missingFor = 0;
      for (const request of this.#requests) request.isTaken = true;
      for (const message of pulled.messages) this.#take(message);
      return pulled;
    } catch (error) {
      if ((error as Error).name === "ConsumerNotFoundError") await this.#isGone(error as Error);
      else {
        // While there is no connection, the library looks for no heartbeats.
        if (isDisconnection(error as Error)) this.#failedPulls = 0;
        else this.#notify({ type: "heartbeats_missed", count: (this.#failedPulls += 1) });
        await this.#wait(PULL_RETRY_MS);
      }
      return { messages: [], version: 0 };
    }
  }

  /**
   * The consumer does not exist: it was deleted under a request, or nobody takes the request. From
   * then on the library looks for it, and sends no request before it is there again.
   */
  async #isGone(error: Error): Promise<void> {
    const { abortsOnMissing = false, heartbeatMs, expiresMs } = this.#plan;
    if (this.#missingFor > 0) {
      await this.#missHeartbeats(expiresMs);
    } else {
      if (this.#tellsWhy()) return;
      this.#failedPulls = MISSED_HEARTBEATS - 1;
      await this.#wait(MISSED_HEARTBEATS * heartbeatMs);
      await this.#missHeartbeats(heartbeatMs);
    }
    if (this.#closing.signal.aborted) return;
    this.#missingFor += 1;
    this.#notify({ type: "consumer_not_found", ...this.#source.names, count: this.#missingFor });
    if (abortsOnMissing) this.stop(error);
  }

  /** Tells what has become of the requests; returns whether it ends with that. */
  #tellsWhy(): boolean {
    const { mode, abortsOnMissing = false } = this.#plan;
    const isDeleted = this.#requests.some(({ isTaken }) => isTaken);
    for (const request of this.#requests) request.isTaken = false;
    if (isDeleted) {
      const [code, description] = [409, "consumer deleted"] as const;
      this.#notify({ type: "consumer_deleted", code, description });
      if (mode === "once" || abortsOnMissing) {
        this.stop(new JetStreamStatusError(code, description));
        return true;
      }
    } else {
      const code = 503;
      this.#notify({ type: "no_responders", code });
      if (mode === "once") {
        this.stop(new JetStreamStatusError(code, "no responders"));
        return true;
      }
    }
    return false;
  }

  /** Reports each heartbeat that does not come in this time. */
  async #missHeartbeats(ms: number): Promise<void> {
    const { heartbeatMs } = this.#plan;
    for (let at = heartbeatMs; at <= ms; at += heartbeatMs) {
      await this.#wait(heartbeatMs);
      if (this.#closing.signal.aborted) return;
      this.#notify({ type: "heartbeats_missed", count: (this.#failedPulls += 1) });
    }
  }

  async #wait(ms: number): Promise<void> {
    await this.#source.news(ms, Number.MAX_SAFE_INTEGER, this.#closing.signal);
  }

  /** Messages that come behind the stop are dropped: nobody has subscribed any more. */
  #take(message: NatsMessage): void {
    if (this.#closing.signal.aborted) return;
    const { callback } = this.#plan;
    const [request] = this.#requests;
    if (request !== undefined && (request.left -= 1) === 0) this.#requests.shift();
    this.#received += 1;
    if (callback === undefined) {
      this.#buffer.push(message);
      this.#wake?.();
    } else {
      this.#processed += 1;
      try {
        callback(message);
      } catch (error) {
        this.stop(error as Error);
      }
    }
    this.#isLess(1);
  }
}

/** Whether a request has failed for want of a connection, and not of a reply. */
function isDisconnection({ cause }: Error): boolean {
  return cause instanceof ConnectionRefused || cause instanceof ConnectionLost;
}
