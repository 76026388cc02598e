import type { World } from "../../world.ts";
import type { Broker, BrokerLink, BrokerModel, Publication, Wire } from "../broker.ts";
import { RecordBook } from "../record-book.ts";
import { bytesFrom } from "../text-bytes.ts";
import { AmqpConnection } from "./connection.ts";
import { AmqpServer } from "./server.ts";

export interface RabbitmqOptions {
  /** The queue that the records are in. */
  readonly queue?: string;
  /** The queue for dead letters: bound to the exchange of the same name, and to be published to. */
  readonly deadLetterQueue?: string;
  /** Whether the server itself dead-letters what is rejected without requeue. */
  readonly hasDeadLetterPolicy?: boolean;
  /** How long a delivery may stay unacknowledged, in ms. */
  readonly consumerTimeoutMs?: number;
}

/** In the shape of the module amqplib: what a producer connects with. */
export interface AmqpClient {
  connect(url?: string | object, socketOptions?: unknown): Promise<AmqpConnection>;
}

const CONSUMER_TIMEOUT_MS = 1_800_000;
/** What a broken connection had comes again when the node has noticed. */
const REDELIVERY_MS = 5_000;

/**
 * A RabbitMQ node with one queue.
 *
 * Settings: `queue` "orders", `deadLetterQueue` "orders.dead", no dead-letter policy on the queue,
 * `consumerTimeoutMs` half an hour, as by default.
 */
export function rabbitmq(options: RabbitmqOptions = {}): BrokerModel<AmqpClient> {
  return {
    name: "rabbitmq",
    scope: "channel",
    isOrdered: false,
    redeliveryMs: REDELIVERY_MS,
    start: (world, host) => new RabbitmqBroker(world, host, options),
  };
}

class RabbitmqBroker implements Broker<AmqpClient> {
  readonly disturbances: Broker<AmqpClient>["disturbances"];
  readonly #host: string;
  readonly #queue: string;
  readonly #book: RecordBook;
  readonly #server: AmqpServer;
  readonly #connections: Set<AmqpConnection>[] = [];

  constructor(world: World, host: string, options: RabbitmqOptions) {
    const { queue = "orders", deadLetterQueue = "orders.dead" } = options;
    const { hasDeadLetterPolicy = false, consumerTimeoutMs = CONSUMER_TIMEOUT_MS } = options;
    this.#host = host;
    this.#queue = queue;
    this.#book = new RecordBook(world, host);
    this.#server = new AmqpServer(world, this.#book, queue, consumerTimeoutMs);
    this.#server.assertExchange(deadLetterQueue);
    this.#server.assertQueue(deadLetterQueue, {});
    this.#server.bindQueue(deadLetterQueue, deadLetterQueue, "#");
    const policy = hasDeadLetterPolicy ? { deadLetterExchange: deadLetterQueue } : {};
    this.#server.assertQueue(queue, policy);
    this.disturbances = [
      { name: "the node closes all connections", strike: () => this.#closeConnections() },
      { name: "the consumer timeout closes channels", strike: () => this.#timeOutChannels() },
      { name: "the node cancels all consumers", strike: () => this.#cancelConsumers() },
      { name: "other queues are full", strike: () => this.#server.refusal.begin() },
    ];
  }

  connect(wire: Wire): BrokerLink<AmqpClient> {
    const connections = new Set<AmqpConnection>();
    this.#connections.push(connections);
    const parts = { wire, host: this.#host, server: this.#server, connections };
    return {
      client: {
        connect: async () => {
          try {
            await wire.call("broker.session", this.#host, () => undefined);
          } catch (cause) {
            throw new Error(`connect ECONNREFUSED ${this.#host}:5672`, { cause });
          }
          return new AmqpConnection(parts);
        },
      },
      open: () => [...connections].map(() => "a connection"),
    };
  }

  publish(publication: Publication): void {
    this.#book.published(publication);
    const { ref, key } = publication;
    const content = bytesFrom(JSON.stringify({ ref, key }));
    this.#server.publish("", this.#queue, content, { messageId: ref });
  }

  owed(): readonly string[] {
    return this.#book.owed;
  }

  calmDown(): void {
    // What was closed stays closed, and nobody closes more.
    this.#server.refusal.end();
  }

  #closeConnections(): void {
    for (const connection of this.#connections.flatMap((one) => [...one])) {
      connection.closeByServer();
    }
  }

  /** As if each had held a delivery for too long. */
  #timeOutChannels(): void {
    for (const channel of this.#server.channels) {
      if (channel.unacked.size > 0) this.#server.timeOut(channel);
    }
  }

  #cancelConsumers(): void {
    for (const channel of this.#server.channels) {
      for (const tag of [...channel.consumers.keys()]) {
        this.#server.cancel(channel, tag);
        channel.onCancelled(tag);
      }
    }
  }
}
