import type {
  ServiceBusClient,
  ServiceBusReceivedMessage,
  ServiceBusSessionReceiver,
} from "@azure/service-bus";
import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";

/** A session while this producer holds its lock. */
interface Session {
  readonly receiver: ServiceBusSessionReceiver;
  /** Aborted when the session is given back, or its lock is lost. */
  readonly ending: AbortController;
  outstanding: number;
}

interface Payload {
  readonly message: ServiceBusReceivedMessage;
  readonly session: Session;
}

const SESSIONS_MAX = 6;
const RECEIVE_MAX = 20;
const BACKOFF_MS = 1_000;
const NOBODY_THERE_MS = 5_000;
const RENEWAL = { maxAutoLockRenewalDurationInMs: 3_600_000 };
const DEAD_LETTER = { deadLetterReason: "rejected", deadLetterErrorDescription: "by a trigger" };

/**
 * Orders from a Service Bus queue with sessions: a session is a lane, and in order. Repairs, against
 * naive-service-bus.ts (which reads a queue without sessions) and beside those of service-bus.ts:
 *
 * - Behind an order that has to come again nothing of its session is settled (order, G1): after a
 *   moment the session is given back as a whole, and comes again from that order on (G8).
 * - A session that is idle, or whose lock is lost, is given back, so that the next one gets its turn.
 * - What came while a session was held earlier is not settled while it is held again (G4).
 * - The end gives back every session, also one that was just being accepted (G6).
 */
class Orders implements SharedStreamProducer<unknown, Payload> {
  readonly #client: ServiceBusClient;
  readonly #held = new Set<Session>();
  readonly #returning = new Set<Promise<void>>();
  readonly #arrived: Payload[] = [];
  readonly #closing = new AbortController();
  #pumps: Promise<void>[] = [];
  #wake = (): void => undefined;

  constructor(client: ServiceBusClient) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    this.#pumps = Array.from({ length: SESSIONS_MAX }, () => this.#pump(ending));
    while (!signal.aborted) {
      const payload = this.#arrived.shift();
      if (payload === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (!payload.session.ending.signal.aborted) yield [payload.message.body, payload];
    }
  }

  getAdvanceLane({ session }: Payload): Lane {
    return session.receiver.sessionId;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { message, session } = brokerPayload;
      session.outstanding -= 1;
      if (session.ending.signal.aborted) continue;
      if (outcome.failed > 0) this.#giveBack(session, BACKOFF_MS);
      else if (outcome.acked + outcome.rejected === 0) this.#giveBack(session, NOBODY_THERE_MS);
      else await this.#settle(message, session, outcome.rejected > 0);
    }
  }

  async aclose(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#pumps);
    for (const session of this.#held) this.#giveBack(session, 0);
    await Promise.all(this.#returning);
  }

  async #settle(
    message: ServiceBusReceivedMessage,
    session: Session,
    isRejected: boolean,
  ): Promise<void> {
    try {
      if (isRejected) await session.receiver.deadLetterMessage(message, DEAD_LETTER);
      else await session.receiver.completeMessage(message);
    } catch {
      // Out of reach, or the lock is lost: it comes again, and so does what is behind it.
      this.#giveBack(session, 0);
    }
  }

  /** From now on nothing of the session is settled; after a moment somebody may have it. */
  #giveBack(session: Session, afterMs: number): void {
    session.ending.abort();
    const returning = pause(afterMs, this.#closing.signal)
      .then(async () => {
        if (this.#held.delete(session)) await session.receiver.close();
      })
      .finally(() => this.#returning.delete(returning));
    this.#returning.add(returning);
  }

  /** Holds one session after the other. */
  async #pump(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const options = { ...RENEWAL, abortSignal: signal };
        const receiver = await this.#client.acceptNextSession("orders", options);
        const session = { receiver, ending: new AbortController(), outstanding: 0 };
        this.#held.add(session);
        await this.#receive(session, AbortSignal.any([signal, session.ending.signal]));
      } catch {
        await pause(BACKOFF_MS, signal);
      }
    }
  }

  /** Receives until the session is idle, or ends. */
  async #receive(session: Session, signal: AbortSignal): Promise<void> {
    const options = { maxWaitTimeInMs: 2_000, abortSignal: signal };
    while (!signal.aborted) {
      try {
        const messages = await session.receiver.receiveMessages(RECEIVE_MAX, options);
        session.outstanding += messages.length;
        for (const message of messages) this.#arrived.push({ message, session });
        this.#wake();
        if (messages.length === 0 && session.outstanding === 0) this.#giveBack(session, 0);
      } catch (error) {
        if (isLockLost(error)) this.#giveBack(session, 0);
        else await pause(BACKOFF_MS, signal);
      }
    }
  }
}

function isLockLost(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SessionLockLost";
}

/** Waits for `ms`, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

export function createProducer({ client }: { readonly client: ServiceBusClient }): Orders {
  return new Orders(client);
}
