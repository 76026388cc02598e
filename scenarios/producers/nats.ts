import type { ConsumerMessages, JetStreamClient, JsMsg } from "@nats-io/jetstream";
import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";

interface Payload {
  readonly seq: number;
  /** The newest delivery of it. */
  message: JsMsg;
}

const NANOS_PER_MS = 1_000_000;
const ACK_WAIT_NANOS = 30_000 * NANOS_PER_MS;
const BACKOFF_MS = 1_000;

/**
 * Orders from JetStream. Repairs, against naive-nats.ts:
 *
 * - A rejected order is stored in the dead-letter stream before it is acknowledged, and given back
 *   if it cannot be stored (G3).
 * - The server is told three times an AckWait that work goes on, as long as it does (G9, G6).
 * - An acknowledgement counts when the server has confirmed it: otherwise the order comes again.
 * - A message that comes again while it is in hand is not handed out twice, and is settled by its
 *   newest delivery (G4).
 * - A consumer that cannot be reached at the start is asked for again (G10).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
class Orders implements SharedStreamProducer<unknown, Payload> {
  readonly #client: JetStreamClient;
  readonly #held = new Map<number, Payload>();
  #messages: ConsumerMessages | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #connecting: Promise<ConsumerMessages | undefined> = Promise.resolve(undefined);

  constructor(client: JetStreamClient) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    this.#connecting = this.#connect(signal);
    const messages = await this.#connecting;
    if (messages === undefined) return;
    signal.addEventListener("abort", () => messages.stop(), { once: true });
    if (signal.aborted) messages.stop();
    for await (const message of messages) {
      if (signal.aborted) return;
      const known = this.#held.get(message.seq);
      if (known !== undefined) {
        known.message = message;
        continue;
      }
      const payload = { seq: message.seq, message };
      this.#held.set(message.seq, payload);
      yield [orderFrom(message.string()), payload];
    }
  }

  getAdvanceLane({ seq }: Payload): Lane {
    return seq;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload: payload, outcome } of batch) {
      this.#held.delete(payload.seq);
      const mustHold = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      if (mustHold || (outcome.rejected > 0 && !(await this.#isDeadLettered(payload)))) {
        payload.message.nak(BACKOFF_MS);
      } else {
        // Unconfirmed, it may be lost: then the order comes again, and is handed out again.
        await payload.message.ackAck().catch(() => undefined);
      }
    }
  }

  async aclose(): Promise<void> {
    await this.#connecting;
    clearInterval(this.#heartbeat);
    await this.#messages?.close();
  }

  async #isDeadLettered({ message, seq }: Payload): Promise<boolean> {
    try {
      await this.#client.publish("dead.orders", message.data, { msgID: `ORDERS-${seq}` });
      return true;
    } catch {
      return false;
    }
  }

  async #connect(signal: AbortSignal): Promise<ConsumerMessages | undefined> {
    while (!signal.aborted) {
      try {
        const consumer = await this.#client.consumers.get("ORDERS", "triggerer");
        const { config } = await consumer.info();
        const messages = await consumer.consume({ max_messages: 64 });
        this.#messages = messages;
        const waitMs = (config.ack_wait ?? ACK_WAIT_NANOS) / NANOS_PER_MS;
        this.#heartbeat = setInterval(() => this.#beat(), Math.floor(waitMs / 3));
        return messages;
      } catch {
        await pause(BACKOFF_MS, signal);
      }
    }
    return undefined;
  }

  #beat(): void {
    for (const { message } of this.#held.values()) message.working();
  }
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

/** What is no JSON is handed out as it is: a filter rejects it. */
function orderFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function createProducer({ client }: { readonly client: JetStreamClient }): Orders {
  return new Orders(client);
}
