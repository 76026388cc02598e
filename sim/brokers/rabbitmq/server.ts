import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { Refusal } from "../refusal.ts";
import { refIn, textOf } from "../ref-in.ts";
import { MessageNacked, notFound, preconditionFailed } from "./amqp-error.ts";

/** A message in a queue. */
export interface QueuedMessage {
  readonly sequence: number;
  readonly ref: string | undefined;
  readonly content: Uint8Array;
  readonly exchange: string;
  readonly routingKey: string;
  readonly properties: Readonly<Record<string, unknown>>;
  isRedelivered: boolean;
}

export interface Delivery {
  readonly tag: number;
  readonly consumerTag: string;
  readonly message: QueuedMessage;
  /** The message's flag at the time of this delivery. */
  readonly isRedelivered: boolean;
}

interface Unacked {
  readonly tag: number;
  readonly queue: string;
  readonly consumerTag: string;
  readonly message: QueuedMessage;
  readonly since: number;
}

interface ConsumerState {
  readonly tag: string;
  readonly queue: string;
  readonly noAck: boolean;
  readonly prefetch: number;
}

/** The server's state of a channel. */
export interface ServerChannel {
  readonly id: string;
  /** The consumer's name in the trace. */
  readonly consumer: string;
  readonly consumers: Map<string, ConsumerState>;
  readonly unacked: Map<number, Unacked>;
  /** The record of each delivery tag, including settled ones. */
  readonly refs: Map<number, string | undefined>;
  /** Notifies the client that the server has closed the channel; called at most once. */
  readonly onClosed: (error: Error) => void;
  readonly onCancelled: (consumerTag: string) => void;
  prefetch: number;
  lastTag: number;
  isOpen: boolean;
}

interface Queue {
  readonly messages: QueuedMessage[];
  readonly deadLetterExchange: string | undefined;
  readonly deadLetterRoutingKey: string | undefined;
}

export interface QueueArguments {
  readonly deadLetterExchange?: string | undefined;
  readonly deadLetterRoutingKey?: string | undefined;
}

/** A settlement of one delivery, or of all up to it. */
export interface Settlement {
  readonly tag: number;
  readonly multiple: boolean;
  readonly act: "ack" | "requeue" | "discard";
}

const TAKE_MAX = 32;

/**
 * A RabbitMQ node: queues, exchanges, channels with their unacknowledged deliveries.
 *
 * Holds: delivery tags count per channel; settling a tag that is not outstanding closes the channel
 * with 406; unacknowledged messages of a closed channel are requeued at their old positions and
 * marked as redelivered; tag 0 with `multiple` means all; a discarded message goes to the queue's
 * dead-letter exchange, if it has one.
 *
 * Source: rabbitmq.com, "Consumer Acknowledgements and Publisher Confirms", "Dead Letter Exchanges"
 */
export class AmqpServer {
  readonly arrivals: Arrivals = new Arrivals();
  /** While on, all queues but that of the records are full. */
  readonly refusal: Refusal;
  readonly #world: World;
  readonly #settlements: SettlementLog;
  readonly #source: string;
  readonly #consumerTimeoutMs: number;
  readonly #queues = new Map<string, Queue>();
  readonly #exchanges = new Map<string, [pattern: string, queue: string][]>();
  readonly #channels = new Set<ServerChannel>();
  #sequence = 0;
  #channelCount = 0;

  constructor(world: World, settlements: SettlementLog, source: string, consumerTimeoutMs: number) {
    this.refusal = new Refusal(world);
    this.#world = world;
    this.#settlements = settlements;
    this.#source = source;
    this.#consumerTimeoutMs = consumerTimeoutMs;
  }

  get channels(): readonly ServerChannel[] {
    return [...this.#channels];
  }

  openChannel(
    who: string,
    callbacks: Pick<ServerChannel, "onClosed" | "onCancelled">,
  ): ServerChannel {
    this.#channelCount += 1;
    const id = `channel-${this.#channelCount}`;
    const channel: ServerChannel = {
      id,
      consumer: `${who}/${id}`,
      consumers: new Map(),
      unacked: new Map(),
      refs: new Map(),
      ...callbacks,
      prefetch: 0,
      lastTag: 0,
      isOpen: true,
    };
    this.#channels.add(channel);
    return channel;
  }

  closeChannel(channel: ServerChannel): void {
    if (!channel.isOpen) return;
    channel.isOpen = false;
    channel.consumers.clear();
    this.#channels.delete(channel);
    this.#requeue([...channel.unacked.values()]);
    channel.unacked.clear();
  }

  assertExchange(exchange: string): void {
    if (!this.#exchanges.has(exchange)) this.#exchanges.set(exchange, []);
  }

  assertQueue(name: string, { deadLetterExchange, deadLetterRoutingKey }: QueueArguments): Counts {
    if (!this.#queues.has(name)) {
      this.#queues.set(name, { messages: [], deadLetterExchange, deadLetterRoutingKey });
    }
    return this.checkQueue(name);
  }

  /** @throws {ChannelError} 404 */
  checkQueue(name: string): Counts {
    const consumers = this.channels.flatMap((channel) => [...channel.consumers.values()]);
    const consumerCount = consumers.filter(({ queue }) => queue === name).length;
    return { queue: name, messageCount: this.#queueOf(name).messages.length, consumerCount };
  }

  /** @throws {ChannelError} 404 */
  bindQueue(queue: string, exchange: string, pattern: string): void {
    this.#queueOf(queue);
    const bindings = this.#exchanges.get(exchange);
    if (bindings === undefined) throw notFound(`exchange '${exchange}'`);
    bindings.push([pattern, queue]);
  }

  /**
   * Routes a message; without a matching queue it is dropped silently, as in RabbitMQ.
   *
   * @throws {ChannelError} 404 when there is no such exchange
   * @throws {MessageNacked} when one of its queues is full
   */
  publish(
    exchange: string,
    routingKey: string,
    content: Uint8Array,
    properties: Readonly<Record<string, unknown>>,
  ): void {
    const routes = this.#routesOf(exchange, routingKey);
    if (this.refusal.isOn && routes.some((name) => name !== this.#source)) {
      throw new MessageNacked();
    }
    const origin = { exchange, routingKey, properties };
    for (const name of routes) this.#enqueue(name, content, origin);
    this.arrivals.notify();
  }

  #enqueue(
    name: string,
    content: Uint8Array,
    origin: Pick<QueuedMessage, "exchange" | "routingKey" | "properties">,
  ): void {
    const ref = refIn(textOf(content)) ?? refIn(JSON.stringify(origin.properties));
    this.#sequence += 1;
    const sequence = this.#sequence;
    this.#queueOf(name).messages.push({ sequence, ref, content, ...origin, isRedelivered: false });
    if (name !== this.#source) this.#settlements.deadLettered(ref);
  }

  /** @throws {ChannelError} 404 */
  consume(channel: ServerChannel, queue: string, consumerTag: string, noAck: boolean): void {
    this.#queueOf(queue);
    const { prefetch } = channel;
    channel.consumers.set(consumerTag, { tag: consumerTag, queue, noAck, prefetch });
  }

  cancel(channel: ServerChannel, consumerTag: string): void {
    channel.consumers.delete(consumerTag);
  }

  /** Delivers messages to the channel's consumers, as far as prefetch allows. */
  take(channel: ServerChannel): readonly Delivery[] {
    const deliveries: Delivery[] = [];
    if (!channel.isOpen) return deliveries;
    for (const consumer of channel.consumers.values()) {
      const { messages } = this.#queueOf(consumer.queue);
      while (deliveries.length < TAKE_MAX && messages.length > 0 && hasRoom(channel, consumer)) {
        deliveries.push(this.#deliver(channel, consumer, messages.shift() as QueuedMessage));
      }
    }
    return deliveries;
  }

  /** @throws {ChannelError} 406 when the tag is not outstanding on this channel */
  settle(channel: ServerChannel, { tag, multiple, act }: Settlement): void {
    if (!channel.isOpen) return;
    const isAll = tag === 0 && multiple;
    const reached = [...channel.unacked.values()].filter(
      (unacked) => isAll || unacked.tag === tag || (multiple && unacked.tag < tag),
    );
    if (!isAll && !channel.unacked.has(tag)) {
      const known = channel.refs.get(tag);
      this.#attempted(channel, { tag, ref: known, act, refused: "PRECONDITION_FAILED" });
      this.closeChannel(channel);
      throw preconditionFailed(`unknown delivery tag ${tag}`);
    }
    for (const unacked of reached) {
      channel.unacked.delete(unacked.tag);
      const { ref } = unacked.message;
      this.#attempted(channel, { tag: unacked.tag, ref, act, refused: "" });
      if (act === "discard") this.#deadLetter(unacked);
      if (act !== "requeue") this.#settlements.settled(ref, channel.consumer);
    }
    if (act === "requeue") this.#requeue(reached);
    this.arrivals.notify();
  }

  #deliver(channel: ServerChannel, consumer: ConsumerState, message: QueuedMessage): Delivery {
    channel.lastTag += 1;
    const { lastTag: tag, consumer: who } = channel;
    const { tag: consumerTag, queue, noAck } = consumer;
    const { isRedelivered, ref } = message;
    channel.refs.set(tag, ref);
    if (queue === this.#source) this.#settlements.delivered(ref, who);
    if (noAck) {
      this.#settlements.settled(ref, who);
    } else {
      const since = this.#world.now;
      channel.unacked.set(tag, { tag, queue, consumerTag, message, since });
      this.#watch(channel, tag);
    }
    return { tag, consumerTag, message, isRedelivered };
  }

  /** Closes the channel if the delivery stays unacknowledged for too long. */
  #watch(channel: ServerChannel, tag: number): void {
    this.#world.schedule(this.#consumerTimeoutMs, { lane: "rabbitmq", hop: false }, () => {
      const unacked = channel.unacked.get(tag);
      if (unacked === undefined) return;
      this.#settlements.lapsed(unacked.message.ref ?? "", channel.consumer);
      this.timeOut(channel);
    });
  }

  /** Closes the channel as if its consumer timeout had passed. */
  timeOut(channel: ServerChannel): void {
    if (!channel.isOpen) return;
    this.closeChannel(channel);
    const why = `delivery acknowledgement on ${channel.id} timed out`;
    channel.onClosed(
      preconditionFailed(`${why}. Timeout value used: ${this.#consumerTimeoutMs} ms`),
    );
  }

  #requeue(all: readonly Unacked[]): void {
    for (const { queue, message } of all) {
      message.isRedelivered = true;
      const { messages } = this.#queueOf(queue);
      const at = messages.findIndex(({ sequence }) => sequence > message.sequence);
      messages.splice(at === -1 ? messages.length : at, 0, message);
    }
    this.arrivals.notify();
  }

  #deadLetter({ queue, message }: Unacked): void {
    const { deadLetterExchange, deadLetterRoutingKey } = this.#queueOf(queue);
    if (deadLetterExchange === undefined) return;
    const { content, properties } = message;
    const routingKey = deadLetterRoutingKey ?? message.routingKey;
    const origin = { exchange: deadLetterExchange, routingKey, properties };
    // Enqueued even while the queue refuses: the node retries until the queue has room again.
    for (const name of this.#routesOf(deadLetterExchange, routingKey)) {
      this.#enqueue(name, content, origin);
    }
  }

  #attempted(
    { id, consumer }: ServerChannel,
    settlement: Pick<Settlement, "tag" | "act"> & { ref: string | undefined; refused: string },
  ): void {
    const { tag, ref, refused } = settlement;
    const act = ({ ack: "ack", requeue: "nack", discard: "terminate" } as const)[settlement.act];
    this.#settlements.attempted({ ref, consumer, handle: `${id}#${tag}`, act, refused });
  }

  #routesOf(exchange: string, routingKey: string): readonly string[] {
    if (exchange === "") return this.#queues.has(routingKey) ? [routingKey] : [];
    const bindings = this.#exchanges.get(exchange);
    if (bindings === undefined) throw notFound(`exchange '${exchange}'`);
    return bindings.flatMap(([pattern, queue]) =>
      ["", "#", routingKey].includes(pattern) ? [queue] : [],
    );
  }

  #queueOf(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw notFound(`queue '${name}'`);
    return queue;
  }
}

interface Counts {
  readonly queue: string;
  readonly messageCount: number;
  readonly consumerCount: number;
}

/** Whether prefetch allows another delivery; it counts per consumer, and 0 means no limit. */
function hasRoom({ unacked }: ServerChannel, { tag, prefetch, noAck }: ConsumerState): boolean {
  if (prefetch === 0 || noAck) return true;
  const held = [...unacked.values()].filter(({ consumerTag }) => consumerTag === tag);
  return held.length < prefetch;
}
