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

const ORDERS = "orders";
const RETRIES = "orders.retry";
const DEAD_LETTERS = "orders.dead";
const RETRY_MS = 1_000;
const BACKOFF_MS = 1_000;

/**
 * Orders from RabbitMQ; what failed waits in a queue of the server, whose messages expire into the
 * orders again. So it takes no place in the prefetch meanwhile, it waits also while no triggerer
 * runs, and the server counts its tries (`x-death`). Repairs, against naive-rabbitmq-retry.ts:
 *
 * - Each delivery is settled alone: no acknowledgement settles earlier ones with it (G1, G7).
 * - What waits is persistent, in a queue that outlives the server, and confirmed before the order
 *   that it was is acknowledged; dead letters likewise (G3). `nack` without requeue would do it in
 *   one step, but the server does not wait until the other queue has it: a crash may lose it.
 * - An order whose copy is confirmed, but whose acknowledgement was lost with the connection, is
 *   acknowledged when it comes again, and the end of the producer waits for an `advance` under way:
 *   otherwise copies multiply, until they come again and again in a hot loop.
 * - Where the server does not confirm, the order is given back after a moment.
 * - It is settled once, and by the channel that it came by (G4). A lane is one delivery.
 * - When the channel or the connection ends, or the server takes the consumer away, the producer
 *   connects again; the naive one ends its stream or waits for ever (G8, G10).
 * - An end during connecting closes what comes of that (G6).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
class RetriedOrders implements SharedStreamProducer<unknown, Payload> {
  readonly #amqp: Amqp;
  readonly #delayed = new Set<ReturnType<typeof setTimeout>>();
  /** Of orders that wait, how often each had waited when that was confirmed. */
  readonly #waiting = new Map<unknown, number>();
  #advancing: Promise<void> = Promise.resolve();
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
        if (message !== undefined) yield [rawFrom(message), { message, session }];
        else if (session.isOver) break;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  getAdvanceLane({ message, session }: Payload): Lane {
    return [session.number, message.fields.deliveryTag];
  }

  advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    const advancing = this.#advance(batch);
    this.#advancing = Promise.all([this.#advancing, advancing]).then(() => undefined);
    return advancing;
  }

  async #advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload: payload, outcome } of batch) {
      const { message, session } = payload;
      if (session.isOver) continue;
      const hasFailed = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      const to = hasFailed ? RETRIES : outcome.rejected > 0 ? DEAD_LETTERS : undefined;
      const isKept = to === undefined || (await isConfirmed(payload, to));
      if (!isKept) this.#giveBack(payload);
      else {
        this.#remember(message, hasFailed);
        if (!session.isOver) session.channel.ack(message);
      }
    }
  }

  #remember(message: ConsumeMessage, isWaiting: boolean): void {
    const { messageId } = message.properties as { messageId?: string };
    if (messageId === undefined) return;
    if (isWaiting) this.#waiting.set(messageId, retriesOf(message));
    else this.#waiting.delete(messageId);
  }

  /** Whether a copy of the order waits, or has waited, that was made of this delivery. */
  #isCopied(message: ConsumeMessage): boolean {
    const { messageId } = message.properties as { messageId?: string };
    return retriesOf(message) <= (this.#waiting.get(messageId) ?? -1);
  }

  async aclose(): Promise<void> {
    for (const timer of this.#delayed) clearTimeout(timer);
    await this.#connecting;
    await this.#advancing;
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
      const back = { deadLetterExchange: "", deadLetterRoutingKey: ORDERS };
      await channel.assertQueue(RETRIES, { durable: true, messageTtl: RETRY_MS, ...back });
      await channel.prefetch(64);
      await channel.consume(ORDERS, (message) => {
        // The server says by null that it took the consumer away.
        if (message === null) return over();
        if (this.#isCopied(message)) return channel.ack(message);
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
    const { channel, connection, isOver } = session;
    session.isOver = true;
    this.#wake();
    // At the end of its connection the server may drop acknowledgements; here it has taken them.
    if (!isOver) await closed(channel);
    await connection.close().catch(() => undefined);
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

/** What is no JSON is handed out as text: a filter rejects it. */
function rawFrom(message: ConsumeMessage): unknown {
  const text = message.content.toString();
  try {
    return { ...(JSON.parse(text) as object), retries: retriesOf(message) };
  } catch {
    return { text, retries: retriesOf(message) };
  }
}

/** Closes it. Where its connection is lost before the reply, the library's promise never settles. */
function closed(channel: ConfirmChannel): Promise<void> {
  return new Promise((resolve) => {
    channel.once("close", resolve);
    // It may have closed itself.
    channel.close().then(resolve, () => resolve());
  });
}

/** How often the order has waited: the server counts that. */
function retriesOf({ properties }: ConsumeMessage): number {
  const deaths = properties.headers?.["x-death"] ?? [];
  return deaths.find(({ queue }) => queue === RETRIES)?.count ?? 0;
}

/** Whether the server has confirmed that the message is in another queue. */
async function isConfirmed({ message, session }: Payload, queue: string): Promise<boolean> {
  const { messageId, headers } = message.properties as ConsumeMessage["properties"] & {
    messageId?: string;
  };
  const named = messageId === undefined ? {} : { messageId };
  const kept = { persistent: true, headers: headers ?? {}, ...named };
  try {
    session.channel.sendToQueue(queue, message.content, kept);
    await session.channel.waitForConfirms();
    return true;
  } catch {
    return false;
  }
}

export function createProducer({ client }: { readonly client: Amqp }): RetriedOrders {
  return new RetriedOrders(client);
}
