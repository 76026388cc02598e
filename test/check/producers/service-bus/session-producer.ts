import type { AdvanceItem, Lane, SharedStreamProducer } from "../../../../src/shared-stream/mod.ts";
import { pause } from "../pause.ts";
import {
  DEAD_LETTER,
  isLockLost,
  type OrderMessage,
  type OrdersBus,
  type OrderSession,
} from "./orders-bus.ts";

/** One session while this producer holds it. */
export interface HeldSession {
  readonly receiver: OrderSession;
  /** Ends its receiving: it is given back, or lost. */
  readonly ending: AbortController;
  outstanding: number;
}

export interface SessionPayload {
  readonly message: OrderMessage;
  readonly session: HeldSession;
}

export interface SessionProducerOptions {
  readonly queue: string;
  readonly renewalMs: number;
}

const SESSIONS_MAX = 6;
const RECEIVE_MAX = 20;
const RECEIVE_WAIT_MS = 2_000;
const BACKOFF_MS = 1_000;
const AGAIN_AFTER_MS = 1_000;
const NOBODY_THERE_MS = 5_000;

/**
 * A shared stream on a Service Bus queue with sessions: a session is a lane.
 *
 * Holds:
 * - a message that has to come again takes its session with it: nothing of it is settled behind the
 *   message, and after a moment the session is given back as a whole;
 * - a session that is idle, or whose lock is lost, is given back;
 * - a rejected message is dead-lettered by the service, in one step with its settling.
 */
export class SessionProducer implements SharedStreamProducer<unknown, SessionPayload> {
  readonly bus: OrdersBus;
  readonly options: SessionProducerOptions;
  readonly #held = new Set<HeldSession>();
  readonly #returns = new Set<Promise<void>>();
  readonly #arrived: SessionPayload[] = [];
  readonly #closing = new AbortController();
  #pumps: Promise<void>[] = [];
  #wake: (() => void) | undefined;

  constructor(bus: OrdersBus, options: SessionProducerOptions) {
    this.bus = bus;
    this.options = options;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, SessionPayload]> {
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    this.#pumps = Array.from({ length: SESSIONS_MAX }, () => this.#pump(ending));
    while (!signal.aborted) {
      const payload = this.#arrived.shift();
      if (payload === undefined) await this.#news(signal);
      else if (!payload.session.ending.signal.aborted) yield [payload.message.body, payload];
    }
  }

  getAdvanceLane({ session }: SessionPayload): Lane {
    return session.receiver.sessionId;
  }

  async advance(batch: readonly AdvanceItem<SessionPayload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { message, session } = brokerPayload;
      session.outstanding -= 1;
      if (session.ending.signal.aborted) continue;
      if (outcome.failed > 0) this.giveBack(session, AGAIN_AFTER_MS);
      else if (outcome.acked + outcome.rejected === 0) this.giveBack(session, NOBODY_THERE_MS);
      else await this.settle(message, session, outcome.rejected > 0);
    }
  }

  async aclose(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#pumps);
    for (const session of this.#held) this.giveBack(session, 0);
    await Promise.all(this.#returns);
  }

  async settle(message: OrderMessage, session: HeldSession, isRejected: boolean): Promise<void> {
    const { receiver } = session;
    try {
      if (isRejected) await receiver.deadLetterMessage(message, DEAD_LETTER);
      else await receiver.completeMessage(message);
    } catch {
      // Out of reach, or the session is lost: it comes again, and what is behind it, too.
      this.giveBack(session, 0);
    }
  }

  /** From now on nothing of the session is settled; after `ms` somebody may have it. */
  giveBack(session: HeldSession, ms: number): void {
    session.ending.abort();
    const giving = this.#returned(session, ms).finally(() => this.#returns.delete(giving));
    this.#returns.add(giving);
  }

  async #returned(session: HeldSession, ms: number): Promise<void> {
    await pause(ms, this.#closing.signal);
    if (this.#held.delete(session)) await session.receiver.close();
  }

  /** Holds one session after the other. */
  async #pump(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const session = await this.#accept(signal);
      if (session === undefined) continue;
      await this.#drain(session, AbortSignal.any([signal, session.ending.signal]));
    }
  }

  async #accept(signal: AbortSignal): Promise<HeldSession | undefined> {
    const { queue, renewalMs } = this.options;
    try {
      const receiver = await this.bus.acceptNextSession(queue, {
        maxAutoLockRenewalDurationInMs: renewalMs,
        abortSignal: signal,
      });
      const session = { receiver, ending: new AbortController(), outstanding: 0 };
      this.#held.add(session);
      return session;
    } catch {
      await pause(BACKOFF_MS, signal);
      return undefined;
    }
  }

  /** Receives until the session is idle, or ends. */
  async #drain(session: HeldSession, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const messages = await session.receiver.receiveMessages(RECEIVE_MAX, {
          maxWaitTimeInMs: RECEIVE_WAIT_MS,
          abortSignal: signal,
        });
        for (const message of messages) {
          session.outstanding += 1;
          this.#arrived.push({ message, session });
        }
        this.#wake?.();
        if (messages.length === 0 && session.outstanding === 0) this.giveBack(session, 0);
      } catch (error) {
        if (isLockLost(error)) this.giveBack(session, 0);
        else await pause(BACKOFF_MS, signal);
      }
    }
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
