import { orderFrom } from "../order-from.ts";
import type { ChannelModel, ConfirmChannel, ConsumeMessage } from "amqplib";
import type { AdvanceItem, Lane, SharedStreamProducer } from "../../../../src/shared-stream/mod.ts";
import { pause } from "../pause.ts";

interface Events {
  on(event: string, listener: (error: Error) => void): unknown;
}

type ChannelMethods = "ack" | "ackAll" | "close" | "consume" | "nack" | "prefetch";
export type ChannelPort = Events & Pick<ConfirmChannel, ChannelMethods | Publishing>;
type Publishing = "assertQueue" | "publish" | "sendToQueue" | "waitForConfirms";
type ConnectionPort = Events &
  Pick<ChannelModel, "close"> & { createConfirmChannel(): Promise<ChannelPort> };

/** What the producer needs of the module amqplib. */
export interface AmqpPort {
  connect(url: string): Promise<ConnectionPort>;
}

/** A channel and what it was sent; when it is over, all of it comes again on another. */
export interface Session {
  readonly number: number;
  readonly connection: ConnectionPort;
  readonly channel: ChannelPort;
  readonly arrived: ConsumeMessage[];
  isOver: boolean;
  wake: (() => void) | undefined;
}

export interface RabbitmqPayload {
  readonly message: ConsumeMessage;
  readonly session: Session;
}

const URL = "amqp://localhost";
const QUEUE = "orders";
const DEAD_LETTERS = "orders.dead";
const PREFETCH = 64;
const BACKOFF_MS = 1_000;

/**
 * A shared-stream producer on a RabbitMQ queue.
 *
 * Holds: each delivery is settled once, on the channel that it came by, and alone; what was handed
 * out before a channel closed is left to the copy that comes again; a held message is given back
 * after a moment; a rejected one is confirmed in the dead-letter queue before it is acknowledged.
 */
export class RabbitmqProducer implements SharedStreamProducer<unknown, RabbitmqPayload> {
  readonly client: AmqpPort;
  readonly #closing = new AbortController();
  #session: Session | undefined;
  #connecting: Promise<Session | undefined> = Promise.resolve(undefined);
  #sessions = 0;

  constructor(client: AmqpPort) {
    this.client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, RabbitmqPayload]> {
    signal.addEventListener("abort", () => this.#session?.wake?.(), { once: true });
    while (!signal.aborted) {
      this.#connecting = this.#connected(signal);
      const session = await this.#connecting;
      if (session === undefined) continue;
      while (!signal.aborted) {
        const message = session.arrived.shift();
        if (message !== undefined) yield [bodyOf(message), { message, session }];
        else if (session.isOver) break;
        else await new Promise<void>((resolve) => (session.wake = resolve));
      }
    }
  }

  getAdvanceLane({ message, session }: RabbitmqPayload): Lane {
    return [session.number, message.fields.deliveryTag];
  }

  async advance(batch: readonly AdvanceItem<RabbitmqPayload>[]): Promise<void> {
    for (const { brokerPayload: payload, outcome } of batch) {
      if (payload.session.isOver) continue;
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) this.hold(payload);
      else if (outcome.rejected > 0) await this.reject(payload);
      else this.settle(payload);
    }
  }

  async aclose(): Promise<void> {
    this.#closing.abort();
    await this.#connecting;
    const session = this.#session;
    if (session === undefined) return;
    session.isOver = true;
    session.wake?.();
    await session.connection.close().catch(() => undefined);
  }

  settle({ message, session }: RabbitmqPayload): void {
    if (!session.isOver) session.channel.ack(message);
  }

  hold({ message, session }: RabbitmqPayload): void {
    void pause(BACKOFF_MS, this.#closing.signal).then(() => {
      if (!session.isOver) session.channel.nack(message);
    });
  }

  /** Dead-letters and acknowledges; what could not be dead-lettered is held. */
  async reject(payload: RabbitmqPayload): Promise<void> {
    try {
      await this.deadLetter(payload);
    } catch {
      this.hold(payload);
      return;
    }
    this.settle(payload);
  }

  async deadLetter({ message, session }: RabbitmqPayload): Promise<void> {
    const { messageId } = message.properties as { messageId: string };
    session.channel.publish(DEAD_LETTERS, "", message.content, {
      persistent: true,
      messageId,
    });
    await session.channel.waitForConfirms();
  }

  get prefetch(): number {
    return PREFETCH;
  }

  /** Hears of the end of a channel. */
  watch(session: Session): void {
    const end = (): void => {
      session.isOver = true;
      session.wake?.();
    };
    session.channel.on("error", end);
    session.channel.on("close", end);
    session.connection.on("error", end);
    session.connection.on("close", end);
  }

  receive(session: Session, message: ConsumeMessage): void {
    session.arrived.push(message);
    session.wake?.();
  }

  async #connected(signal: AbortSignal): Promise<Session | undefined> {
    try {
      // The channel may have closed alone.
      await this.#session?.connection.close().catch(() => undefined);
      return await this.#connect();
    } catch {
      await pause(BACKOFF_MS, signal);
      return undefined;
    }
  }

  async #connect(): Promise<Session> {
    const connection = await this.client.connect(URL);
    // Without a listener an error would bring the process down.
    connection.on("error", () => undefined);
    try {
      const channel = await connection.createConfirmChannel();
      this.#sessions += 1;
      const number = this.#sessions;
      const parts = { arrived: [], isOver: false, wake: undefined };
      const session: Session = { number, connection, channel, ...parts };
      this.#session = session;
      this.watch(session);
      await channel.prefetch(this.prefetch);
      await channel.consume(QUEUE, (message) => {
        if (message === null) this.#cancelled(session);
        else this.receive(session, message);
      });
      return session;
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  }

  /** The server took the consumer away, and the channel is of no use any more. */
  #cancelled(session: Session): void {
    session.isOver = true;
    session.wake?.();
  }
}

function bodyOf({ content }: ConsumeMessage): unknown {
  return orderFrom(content.toString());
}
