import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { Refusal } from "../refusal.ts";
import { refIn, textOf } from "../ref-in.ts";
import { MessageNacked, preconditionFailed, Refused } from "./amqp-error.ts";
import type { Declaration } from "./declaration.ts";
import { type AmqpProperties, propertiesOfDead, type QueuedMessage } from "./message.ts";
import {
  type ConsumerState,
  type ConsumeRequest,
  type Delivery,
  nextConsumer,
  type ServerChannel,
  type Settlement,
  type Unacked,
} from "./server-channel.ts";
import { type Queue, Topology } from "./topology.ts";

interface Counts {
  readonly queue: string;
  readonly messageCount: number;
  readonly consumerCount: number;
}

const TAKE_MAX = 32;

/**
 * A RabbitMQ node: queues, exchanges, channels with their unacknowledged deliveries.
 *
 * Holds: delivery tags count per channel; settling a tag that is not outstanding closes the channel
 * with 406; unacknowledged messages of a closed channel are requeued at their old positions and
 * marked as redelivered; tag 0 with `multiple` means all; a discarded message goes to the queue's
 * dead-letter exchange, if it has one; the records that a client purges or deletes with their queue
 * count as settled by it.
 *
 * Source: rabbitmq.com, "Consumer Acknowledgements and Publisher Confirms", "Dead Letter Exchanges"
 */
export class AmqpServer {
  readonly arrivals: Arrivals = new Arrivals();
  readonly topology: Topology = new Topology();
  /** While on, all queues but that of the records are full. */
  readonly refusal: Refusal;
  readonly #world: World;
  readonly #settlements: SettlementLog;
  readonly #source: string;
  readonly #consumerTimeoutMs: number;
  readonly #channels = new Set<ServerChannel>();
  #sequence = 0;
  #channelCount = 0;
  #consumerCount = 0;

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
    parts: Pick<ServerChannel, "connection" | "onClosed" | "onCancelled">,
  ): ServerChannel {
    this.#channelCount += 1;
    const id = `channel-${this.#channelCount}`;
    const channel: ServerChannel = {
      id,
      consumer: `${who}/${id}`,
      consumers: new Map(),
      unacked: new Map(),
      refs: new Map(),
      ...parts,
      prefetch: 0,
      lastTag: 0,
      lastTurn: 0,
      isOpen: true,
    };
    this.#channels.add(channel);
    return channel;
  }

  closeChannel(channel: ServerChannel): void {
    if (!channel.isOpen) return;
    channel.isOpen = false;
    const consumers = [...channel.consumers.values()];
    channel.consumers.clear();
    this.#channels.delete(channel);
    this.#requeue([...channel.unacked.values()]);
    channel.unacked.clear();
    for (const { queue } of consumers) this.#dropIfAutomatic(queue);
  }

  /** A connection has ended: its exclusive queues go with it. */
  endConnection(connection: object): void {
    for (const queue of this.topology.queues) {
      if (queue.owner === connection) this.#remove(queue, "");
    }
  }

  /** @throws {Refused} 406 */
  assertQueue(name: string, declared: Declaration, connection: object): Counts {
    return this.checkQueue(this.topology.declareQueue(name, declared, connection).name);
  }

  /** @throws {Refused} 404 */
  checkQueue(name: string): Counts {
    const { messages } = this.topology.queueOf(name);
    return { queue: name, messageCount: messages.length, consumerCount: this.#consumersOf(name) };
  }

  /** @throws {Refused} 404 */
  purgeQueue(name: string, consumer: string): { readonly messageCount: number } {
    const { messages } = this.topology.queueOf(name);
    const purged = messages.splice(0);
    for (const { ref } of purged) this.#settlements.settled(ref, consumer);
    return { messageCount: purged.length };
  }

  /** @throws {Refused} 406 when it is not to be deleted in this state */
  deleteQueue(
    name: string,
    options: { readonly ifUnused: boolean; readonly ifEmpty: boolean },
    consumer: string,
  ): { readonly messageCount: number } {
    if (!this.topology.has(name)) return { messageCount: 0 };
    const queue = this.topology.queueOf(name);
    const where = `queue '${name}' in vhost '/'`;
    if (options.ifUnused && this.#consumersOf(name) > 0)
      throw preconditionFailed(`${where} in use`);
    if (options.ifEmpty && queue.messages.length > 0) {
      throw preconditionFailed(`${where} not empty`);
    }
    const messageCount = queue.messages.length;
    this.#remove(queue, consumer);
    return { messageCount };
  }

  /**
   * Routes a message; returns whether a queue has taken it. Without a matching queue it is dropped
   * silently, as in RabbitMQ.
   *
   * @throws {Refused} 404 when there is no such exchange
   * @throws {MessageNacked} when one of its queues is full
   */
  publish(
    exchange: string,
    routingKey: string,
    content: Uint8Array,
    properties: AmqpProperties,
  ): boolean {
    const routes = this.topology.routesOf(exchange, routingKey);
    if (this.refusal.isOn && routes.some((name) => name !== this.#source)) {
      throw new MessageNacked();
    }
    const origin = { exchange, routingKey, properties };
    for (const name of routes) this.#enqueue(name, content, origin);
    this.arrivals.notify();
    return routes.length > 0;
  }

  #enqueue(
    name: string,
    content: Uint8Array,
    origin: Pick<QueuedMessage, "exchange" | "routingKey" | "properties">,
  ): void {
    const ref = refIn(textOf(content)) ?? refIn(JSON.stringify(origin.properties));
    this.#sequence += 1;
    const message = { sequence: this.#sequence, ref, content, ...origin, isRedelivered: false };
    this.topology.queueOf(name).messages.push(message);
    if (name !== this.#source) this.#settlements.deadLettered(ref);
  }

  /**
   * Adds a consumer; returns its tag.
   *
   * @throws {Refused} 404; 403 when another consumer is or would be exclusive; 530 when the tag is
   * taken, which costs the connection
   */
  consume(channel: ServerChannel, request: ConsumeRequest): string {
    const { queue, noAck, exclusive } = request;
    this.topology.queueOf(queue);
    let tag = request.consumerTag;
    if (tag === "") {
      this.#consumerCount += 1;
      tag = `amq.ctag-${this.#consumerCount}`;
    }
    if (channel.consumers.has(tag)) {
      throw new Refused(530, `attempt to reuse consumer tag '${tag}'`);
    }
    const others = this.#consumersAt(queue);
    if (others.some((one) => one.exclusive) || (exclusive && others.length > 0)) {
      throw new Refused(403, `queue '${queue}' in vhost '/' in exclusive use`);
    }
    const { prefetch } = channel;
    const turn = (channel.lastTurn += 1);
    const state = { tag, queue, noAck, exclusive, prefetch, turn, isBlocked: false };
    channel.consumers.set(tag, state);
    this.arrivals.notify();
    return tag;
  }

  cancel(channel: ServerChannel, consumerTag: string): void {
    const consumer = channel.consumers.get(consumerTag);
    channel.consumers.delete(consumerTag);
    if (consumer !== undefined) this.#dropIfAutomatic(consumer.queue);
  }

  /** Delivers messages to the channel's consumers, as far as prefetch allows. */
  take(channel: ServerChannel): readonly Delivery[] {
    const deliveries: Delivery[] = [];
    if (!channel.isOpen) return deliveries;
    const queues = [...channel.consumers.values()].map(({ queue }) => queue);
    for (const queue of new Set(queues)) {
      const { messages } = this.topology.queueOf(queue);
      while (deliveries.length < TAKE_MAX && messages.length > 0) {
        const consumer = nextConsumer(channel, queue);
        if (consumer === undefined) break;
        consumer.turn = channel.lastTurn += 1;
        deliveries.push(this.#deliver(channel, consumer, messages.shift() as QueuedMessage));
      }
    }
    return deliveries;
  }

  /** Delivers one message without a consumer, if there is one. */
  get(
    channel: ServerChannel,
    queue: string,
    noAck: boolean,
  ): (Delivery & { readonly messageCount: number }) | undefined {
    const { messages } = this.topology.queueOf(queue);
    const message = messages.shift();
    if (message === undefined) return undefined;
    const delivery = this.#deliver(channel, { tag: "", queue, noAck }, message);
    return { ...delivery, messageCount: messages.length };
  }

  /** Requeues all that the channel has out. */
  recover(channel: ServerChannel): void {
    const out = [...channel.unacked.values()];
    channel.unacked.clear();
    this.#requeue(out);
  }

  /** @throws {Refused} 406 when the tag is not outstanding on this channel */
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

  #deliver(
    channel: ServerChannel,
    { tag: consumerTag, queue, noAck }: Pick<ConsumerState, "tag" | "queue" | "noAck">,
    message: QueuedMessage,
  ): Delivery {
    channel.lastTag += 1;
    const { lastTag: tag, consumer: who } = channel;
    const { isRedelivered, ref } = message;
    channel.refs.set(tag, ref);
    if (queue === this.#source) this.#settlements.delivered(ref, who);
    if (noAck) {
      this.#settlements.settled(ref, who);
    } else {
      channel.unacked.set(tag, { tag, queue: this.topology.queueOf(queue), consumerTag, message });
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
      if (!this.topology.queues.includes(queue)) continue;
      message.isRedelivered = true;
      const { messages } = queue;
      const at = messages.findIndex(({ sequence }) => sequence > message.sequence);
      messages.splice(at === -1 ? messages.length : at, 0, message);
    }
    this.arrivals.notify();
  }

  #deadLetter({ queue, message }: Unacked): void {
    if (!this.topology.queues.includes(queue)) return;
    const { name, declared, policyExchange } = queue;
    const exchange = declared?.args.get("x-dead-letter-exchange") ?? policyExchange;
    if (typeof exchange !== "string") return;
    const key = declared?.args.get("x-dead-letter-routing-key");
    const routingKey = typeof key === "string" ? key : message.routingKey;
    const nowSeconds = Math.floor(this.#world.wallMs / 1_000);
    const properties = propertiesOfDead(message, name, nowSeconds);
    // Enqueued even while the queue refuses: the node retries until the queue has room again.
    for (const route of this.#routesOfDead(exchange, routingKey)) {
      this.#enqueue(route, message.content, { exchange, routingKey, properties });
    }
  }

  /** A dead letter to an exchange that is not there is dropped. */
  #routesOfDead(exchange: string, routingKey: string): readonly string[] {
    try {
      return this.topology.routesOf(exchange, routingKey);
    } catch {
      return [];
    }
  }

  /** Deletes a queue; its consumers are cancelled, and its records lost. */
  #remove(queue: Queue, consumer: string): void {
    this.topology.removeQueue(queue.name);
    for (const { ref } of queue.messages) this.#settlements.settled(ref, consumer);
    for (const channel of this.channels) {
      for (const { tag, queue: name } of [...channel.consumers.values()]) {
        if (name !== queue.name) continue;
        channel.consumers.delete(tag);
        channel.onCancelled(tag);
      }
    }
  }

  #dropIfAutomatic(name: string): void {
    if (!this.topology.has(name) || this.#consumersOf(name) > 0) return;
    const queue = this.topology.queueOf(name);
    if (queue.declared?.autoDelete === true) this.#remove(queue, "");
  }

  #consumersOf(queue: string): number {
    return this.#consumersAt(queue).length;
  }

  #consumersAt(queue: string): readonly ConsumerState[] {
    const consumers = this.channels.flatMap((channel) => [...channel.consumers.values()]);
    return consumers.filter((one) => one.queue === queue);
  }

  #attempted(
    { id, consumer }: ServerChannel,
    settlement: Pick<Settlement, "tag" | "act"> & { ref: string | undefined; refused: string },
  ): void {
    const { tag, ref, refused } = settlement;
    const act = ({ ack: "ack", requeue: "nack", discard: "terminate" } as const)[settlement.act];
    this.#settlements.attempted({ ref, consumer, handle: `${id}#${tag}`, act, refused });
  }
}
