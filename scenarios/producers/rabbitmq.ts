import type { ChannelModel, ConfirmChannel, ConsumeMessage } from "amqplib";
import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";

interface Amqp {
  connect(url: string): Promise<ChannelModel>;
}

/** A channel and what came by it; when it is over, all of that comes again on another. */
interface Session {
  readonly number: number;
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
  readonly arrived: ConsumeMessage[];
  isOver: boolean;
}

interface Payload {
  readonly message: ConsumeMessage;
  readonly session: Session;
}

const BACKOFF_MS = 1_000;

/**
 * Orders from RabbitMQ. Repairs, against naive-rabbitmq.ts:
 *
 * - Each delivery is settled alone: no acknowledgement settles earlier ones with it (G1, G7).
 * - It is settled once, and by the channel that it came by: after that channel closed, the copy that
 *   comes by the next one counts (G4). A lane is one delivery of one channel.
 * - When the channel or the connection ends, or the server takes the consumer away, the producer
 *   connects again; the naive one ends its stream or waits for ever (G8, G10).
 * - A rejected order that the dead-letter queue does not confirm is given back (G3).
 * - What failed is given back after a moment: at once, it would come again in a hot loop.
 * - An end during connecting closes what comes of that (G6).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
class Orders implements SharedStreamProducer<unknown, Payload> {
  readonly #amqp: Amqp;
  readonly #delayed = new Set<ReturnType<typeof setTimeout>>();
  #session: Session | undefined;
  #connecting: Promise<Session | undefined> = Promise.resolve(undefined);
  #sessions = 0;
  #wake = (): void => undefined;

  constructor(amqp: Amqp) {
    this.#amqp = amqp;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    while (!signal.aborted) {
      this.#connecting = this.#connect().catch(() => undefined);
      const session = await this.#connecting;
      if (session === undefined && !signal.aborted) await this.#pause(BACKOFF_MS);
      if (session === undefined) continue;
      while (!signal.aborted) {
        const message = session.arrived.shift();
        if (message !== undefined) {
          yield [orderFrom(message.content.toString()), { message, session }];
        } else if (session.isOver) break;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  getAdvanceLane({ message, session }: Payload): Lane {
    return [session.number, message.fields.deliveryTag];
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload: payload, outcome } of batch) {
      const { message, session } = payload;
      if (session.isOver) continue;
      const mustHold = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      if (mustHold || (outcome.rejected > 0 && !(await isDeadLettered(payload)))) {
        this.#giveBack(payload);
      } else if (!session.isOver) session.channel.ack(message);
    }
  }

  async aclose(): Promise<void> {
    for (const timer of this.#delayed) clearTimeout(timer);
    await this.#connecting;
    await this.#end(this.#session);
  }

  #giveBack({ message, session }: Payload): void {
    const timer = setTimeout(() => {
      this.#delayed.delete(timer);
      if (!session.isOver) session.channel.nack(message);
    }, BACKOFF_MS);
    this.#delayed.add(timer);
  }

  async #connect(): Promise<Session> {
    // The channel may have closed alone.
    await this.#end(this.#session);
    const connection = await this.#amqp.connect("amqp://localhost");
    // Without a listener an error would bring the process down.
    connection.on("error", () => undefined);
    try {
      const channel = await connection.createConfirmChannel();
      this.#sessions += 1;
      const number = this.#sessions;
      const session: Session = { number, connection, channel, arrived: [], isOver: false };
      this.#session = session;
      const over = (): void => {
        session.isOver = true;
        this.#wake();
      };
      for (const emitter of [channel, connection]) emitter.on("error", over).on("close", over);
      await channel.prefetch(64);
      await channel.consume("orders", (message) => {
        // The server says by null that it took the consumer away.
        if (message === null) return over();
        session.arrived.push(message);
        this.#wake();
      });
      return session;
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  }

  async #end(session: Session | undefined): Promise<void> {
    if (session === undefined) return;
    session.isOver = true;
    this.#wake();
    await session.connection.close().catch(() => undefined);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Whether the dead-letter queue has confirmed the message. */
async function isDeadLettered({ message, session }: Payload): Promise<boolean> {
  const { messageId } = message.properties as { messageId?: string };
  const named = messageId === undefined ? {} : { messageId };
  try {
    session.channel.sendToQueue("orders.dead", message.content, { persistent: true, ...named });
    await session.channel.waitForConfirms();
    return true;
  } catch {
    return false;
  }
}

/** What is no JSON is handed out as it is: a filter rejects it. */
function orderFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function createProducer({ client }: { readonly client: Amqp }): Orders {
  return new Orders(client);
}
