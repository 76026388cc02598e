import { orderFrom } from "../order-from.ts";
import type { ConsumerMessages, JetStreamClient, JsMsg } from "@nats-io/jetstream";
import type { AdvanceItem, Lane, SharedStreamProducer } from "../../../../src/shared-stream/mod.ts";
import { pause } from "../pause.ts";

type MessagePort = Pick<
  JsMsg,
  "ack" | "ackAck" | "data" | "info" | "string" | "nak" | "seq" | "term" | "working"
>;

interface MessagesPort extends Pick<ConsumerMessages, "close" | "stop"> {
  [Symbol.asyncIterator](): AsyncIterator<MessagePort>;
}

interface ConsumerPort {
  consume(options: { max_messages: number }): Promise<MessagesPort>;
  info(): Promise<{ readonly config: { readonly ack_wait?: number | undefined } }>;
}

/** What the producer needs of a JetStream context. */
export interface JetStreamPort extends Pick<JetStreamClient, "publish"> {
  readonly consumers: { get(stream: string, name: string): Promise<ConsumerPort> };
}

export interface NatsPayload {
  readonly seq: number;
  /** The newest delivery of it. */
  message: MessagePort;
}

const STREAM = "ORDERS";
const CONSUMER = "triggerer";
const DEAD_LETTERS = "dead.orders";
const MESSAGES_MAX = 64;
const BACKOFF_MS = 1_000;
const NANOS_PER_MS = 1_000_000;
const ACK_WAIT_NANOS = 30_000 * NANOS_PER_MS;

/**
 * A shared-stream producer on a JetStream consumer.
 *
 * Holds: the server hears three times an AckWait that the work goes on; an acknowledgement counts
 * when the server has answered it, and is otherwise left to the copy that comes again; a held
 * message is given back with a delay; a rejected one is stored in the dead-letter stream before it
 * is acknowledged.
 */
export class NatsProducer implements SharedStreamProducer<unknown, NatsPayload> {
  readonly client: JetStreamPort;
  readonly held: Map<number, NatsPayload> = new Map();
  #messages: MessagesPort | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #connecting: Promise<MessagesPort | undefined> = Promise.resolve(undefined);

  constructor(client: JetStreamPort) {
    this.client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, NatsPayload]> {
    this.#connecting = this.#consuming(signal);
    const messages = await this.#connecting;
    if (messages === undefined) return;
    signal.addEventListener("abort", () => messages.stop(), { once: true });
    if (signal.aborted) messages.stop();
    for await (const message of messages) {
      const payload = this.take(message);
      if (signal.aborted) return;
      if (payload !== undefined) yield [orderFrom(message.string()), payload];
    }
  }

  getAdvanceLane({ seq }: NatsPayload): Lane {
    return seq;
  }

  async advance(batch: readonly AdvanceItem<NatsPayload>[]): Promise<void> {
    for (const { brokerPayload: payload, outcome } of batch) {
      this.held.delete(payload.seq);
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) this.hold(payload);
      else if (outcome.rejected > 0) await this.reject(payload);
      else await this.settle(payload);
    }
  }

  async aclose(): Promise<void> {
    await this.#connecting;
    clearInterval(this.#heartbeat);
    await this.#messages?.close();
  }

  /** The payload to hand out; undefined when the message is in hand already. */
  take(message: MessagePort): NatsPayload | undefined {
    const known = this.held.get(message.seq);
    if (known !== undefined) {
      known.message = message;
      return undefined;
    }
    const payload = { seq: message.seq, message };
    this.held.set(message.seq, payload);
    return payload;
  }

  async settle({ message }: NatsPayload): Promise<void> {
    // Without an answer it may be lost: then it comes again, and is handed out again.
    await message.ackAck().catch(() => undefined);
  }

  hold({ message }: NatsPayload): void {
    message.nak(BACKOFF_MS);
  }

  /** Dead-letters and acknowledges; what could not be dead-lettered is held. */
  async reject(payload: NatsPayload): Promise<void> {
    try {
      await this.deadLetter(payload);
    } catch {
      this.hold(payload);
      return;
    }
    await this.settle(payload);
  }

  async deadLetter({ message, seq }: NatsPayload): Promise<void> {
    await this.client.publish(DEAD_LETTERS, message.data, { msgID: `${STREAM}-${seq}` });
  }

  beat(): void {
    for (const { message } of this.held.values()) message.working();
  }

  async #consuming(signal: AbortSignal): Promise<MessagesPort | undefined> {
    while (!signal.aborted) {
      try {
        const consumer = await this.client.consumers.get(STREAM, CONSUMER);
        const { config } = await consumer.info();
        const waitMs = (config.ack_wait ?? ACK_WAIT_NANOS) / NANOS_PER_MS;
        const messages = await consumer.consume({ max_messages: MESSAGES_MAX });
        this.#messages = messages;
        this.#heartbeat = setInterval(() => this.beat(), Math.floor(waitMs / 3));
        return messages;
      } catch {
        await pause(BACKOFF_MS, signal);
      }
    }
    return undefined;
  }
}
