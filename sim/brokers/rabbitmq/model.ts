import { checkedOptions } from "../../../src/checked-options.ts";
import type { World } from "../../kernel/world.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerLink, BrokerModel, ClientPort, Publication } from "../broker.ts";
import { onHostCrash } from "../host-crash.ts";
import { recordText } from "../record-text.ts";
import { SettlementLog } from "../settlement-log.ts";
import { bytesFrom } from "../text-bytes.ts";
import { MessageNacked } from "./amqp-error.ts";
import { AmqpConnection } from "./connection.ts";
import { propertiesFrom } from "./published-properties.ts";
import { AmqpServer } from "./server.ts";

/** How a RabbitMQ queue is set up. */
export interface RabbitmqOptions {
  /** The queue with the records; default "orders". */
  readonly queue?: string;
  /**
   * The queue for dead letters, which is also bound to an exchange of that name; default
   * "orders.dead".
   */
  readonly deadLetterQueue?: string;
  /**
   * Whether the server dead-letters what is rejected without requeue; default false: the producer
   * has to publish its dead letters itself.
   */
  readonly hasDeadLetterPolicy?: boolean;
  /**
   * How long a delivery may stay unacknowledged, in virtual milliseconds; default 30 minutes, as in
   * RabbitMQ.
   */
  readonly consumerTimeoutMs?: number;
}

const OPTIONS: readonly (keyof RabbitmqOptions)[] = [
  "queue",
  "deadLetterQueue",
  "hasDeadLetterPolicy",
  "consumerTimeoutMs",
];

/**
 * The client of a RabbitMQ node, with the interface of the module `amqplib`.
 *
 * - Connections: `createChannel`, `createConfirmChannel`, `on` and the other methods of an emitter,
 *   `close`.
 * - Channels: all methods of amqplib's, with `prefetch` per consumer.
 *
 * Types, defaults, events and errors are those of amqplib 2 with RabbitMQ 3.10. The texts of errors
 * are, too, but for the values in them that a server makes up.
 *
 * What a queue or an exchange was declared with must be declared again alike (406 otherwise). How
 * the two queues and the exchange of the model were declared is the first declaration of a client.
 *
 * When the node crashes, messages that are not persistent are gone, and so are queues and exchanges
 * that are not durable; what is left is delivered as if it had been delivered before.
 *
 * A copy that waits in a queue where it expires into the queue of the records is no dead letter:
 * the record is settled with its last copy.
 *
 * Not modelled, and refused by name: streams, direct replies, messages that expire at once.
 * A channel without confirms has no `waitForConfirms`, though its class has.
 */
export interface AmqpClient {
  /**
   * Resolves with a new connection; the address does not matter.
   *
   * @internal
   */
  connect(url?: string | object, socketOptions?: unknown): Promise<AmqpConnection>;
}

const CONSUMER_TIMEOUT_MS = 1_800_000;
const PUBLISHES_AGAIN_MS = 1_000;

/**
 * A RabbitMQ node with one queue, for producers that use amqplib.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.rabbitmq({ queue: "payments", hasDeadLetterPolicy: true });
 * console.log(broker.name); // => rabbitmq
 * ```
 */
export function rabbitmq(options: RabbitmqOptions = {}): BrokerModel<AmqpClient> {
  checkedOptions(options, OPTIONS, "brokers.rabbitmq");
  const { queue = "orders", deadLetterQueue = "orders.dead" } = options;
  const { hasDeadLetterPolicy = false, consumerTimeoutMs = CONSUMER_TIMEOUT_MS } = options;
  // An acknowledgement is sent, and nothing is heard of it.
  const names = {
    name: "rabbitmq",
    spec: { rabbitmq: options },
    confirms: false,
    carriesText: true,
  } as const;
  return brokerModel(names, (world, host) => {
    const settlements = new SettlementLog(world, host);
    const server = new AmqpServer(world, settlements, queue, consumerTimeoutMs);
    server.topology.createQueue(deadLetterQueue);
    server.topology.createExchange(deadLetterQueue, deadLetterQueue);
    server.topology.createQueue(queue, hasDeadLetterPolicy ? deadLetterQueue : undefined);
    const connections: Set<AmqpConnection>[] = [];
    onHostCrash(world, host, (isHalfOpen) => {
      server.crash();
      for (const one of connections.flatMap((own) => [...own])) one.crashOfNode(isHalfOpen);
    });
    return {
      records: {
        publish(publication) {
          settlements.published(publication);
          const content = bytesFrom(recordText(publication));
          untilTaken(world, () => {
            server.publish(
              "",
              queue,
              content,
              propertiesFrom({ ...idOf(publication), persistent: true }),
            );
          });
        },
        owed: () => settlements.owed(),
      },
      disturbances: [
        { name: "the node closes all connections", strike: () => closeAll(connections) },
        { name: "the consumer timeout closes channels", strike: () => timeOutChannels(server) },
        { name: "the node cancels all consumers", strike: () => cancelConsumers(server) },
        server.refusal.disturbance("other queues are full"),
      ],
      connect(port) {
        const own = new Set<AmqpConnection>();
        connections.push(own);
        return linkFrom(port, host, server, own);
      },
    };
  });
}

/** Whose publisher names no message ids: to a server they are one property of several. */
const WITHOUT_IDS = "key-3";

function idOf({ ref, key }: Publication): { readonly messageId?: string } {
  return key === WITHOUT_IDS ? {} : { messageId: ref };
}

/** A publisher with confirms publishes again what a full queue has refused. */
function untilTaken(world: World, publish: () => void): void {
  try {
    publish();
  } catch (error) {
    if (!(error instanceof MessageNacked)) throw error;
    const again = (): void => untilTaken(world, publish);
    world.schedule(PUBLISHES_AGAIN_MS, { lane: "rabbitmq", hop: false }, again);
  }
}

function linkFrom(
  port: ClientPort,
  host: string,
  server: AmqpServer,
  connections: Set<AmqpConnection>,
): BrokerLink<AmqpClient> {
  return {
    client: {
      connect: async (url) => {
        try {
          await port.call("broker.session", host, () => undefined);
        } catch (cause) {
          throw new Error(`connect ECONNREFUSED ${host}:5672`, { cause });
        }
        return new AmqpConnection({ port, host, server, connections, user: userIn(url) });
      },
    },
    open: () => [...connections].map(() => "a connection"),
  };
}

/** As whom a client connects: the user of its URL, or `guest`. */
function userIn(url: string | object = {}): string {
  if (typeof url === "object") return (url as { readonly username?: string }).username ?? "guest";
  return decodeURIComponent(/\/\/([^/:@]+)(?::[^/@]*)?@/.exec(url)?.[1] ?? "guest");
}

function closeAll(connections: readonly Set<AmqpConnection>[]): void {
  for (const connection of connections.flatMap((one) => [...one])) connection.closeByServer();
}

/** Closes every channel with deliveries, as if each were unacknowledged for too long. */
function timeOutChannels(server: AmqpServer): void {
  for (const channel of server.channels) {
    if (channel.unacked.size > 0) server.timeOut(channel);
  }
}

function cancelConsumers(server: AmqpServer): void {
  for (const channel of server.channels) {
    for (const tag of [...channel.consumers.keys()]) {
      server.cancel(channel, tag);
      channel.onCancelled(tag);
    }
  }
}
