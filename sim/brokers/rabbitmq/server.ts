import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { Refusal } from "../refusal.ts";
import { MessageNacked, preconditionFailed, Refused } from "./amqp-error.ts";
import type { Declaration } from "./declaration.ts";
import {
  type AmqpProperties,
  assertPublishable,
  type QueuedMessage,
  routingKeysOf,
  withoutBlindCopies,
} from "./message.ts";
import type { Queue } from "./queue.ts";
import { QueueStore } from "./queue-store.ts";
import {
  type ConsumerState,
  type ConsumeRequest,
  type Delivery,
  consumersAt,
  nextConsumer,
  servedOf,
  type ServerChannel,
  type Settlement,
} from "./server-channel.ts";
import { Topology } from "./topology.ts";

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
  readonly #store: QueueStore;
  readonly #channels = new Set<ServerChannel>();
  #channelCount = 0;
  #consumerCount = 0;

  constructor(world: World, settlements: SettlementLog, source: string, consumerTimeoutMs: number) {
    this.refusal = new Refusal(world);
    this.#world = world;
    this.#settlements = settlements;
    this.#source = source;
    this.#consumerTimeoutMs = consumerTimeoutMs;
    const { topology, arrivals } = this;
    this.#store = new QueueStore({ world, settlements, topology, arrivals, source });
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
      prefetchOfAll: 0,
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
    this.#store.putBack([...channel.unacked.values()], channel.consumer);
    channel.unacked.clear();
    for (const { queue } of consumers) this.#dropIfAutomatic(queue);
  }

  /** The node has crashed. Queues stay that would go with their last consumer. */
  crash(): void {
    for (const channel of this.channels) {
      channel.consumers.clear();
      this.closeChannel(channel);
    }
    this.#store.restart();
  }

  /** A connection has ended: its exclusive queues go with it. */
  endConnection(connection: object): void {
    for (const queue of this.topology.queues) {
      if (queue.owner === connection) this.#remove(queue, "");
    }
  }

  /** @throws {Refused} 405, 406 */
  assertQueue(name: string, declared: Declaration, connection: object): Counts {
    const queue = this.topology.declareQueue(name, declared, connection);
    this.#use(queue);
    return this.checkQueue(queue.name, connection);
  }

  /** @throws {Refused} 404, 405 */
  checkQueue(name: string, connection: object): Counts {
    const { messages } = this.topology.queueOf(name, connection);
    return { queue: name, messageCount: messages.length, consumerCount: this.#consumersOf(name) };
  }

  /** @throws {Refused} 404, 405 */
  purgeQueue(name: string, channel: ServerChannel): { readonly messageCount: number } {
    const { messages } = this.topology.queueOf(name, channel.connection);
    const purged = messages.splice(0);
    this.#store.lose(purged, channel.consumer, "its queue is purged");
    return { messageCount: purged.length };
  }

  /** @throws {Refused} 406 when it is not to be deleted in this state */
  deleteQueue(
    name: string,
    options: { readonly ifUnused: boolean; readonly ifEmpty: boolean },
    { connection, consumer }: ServerChannel,
  ): { readonly messageCount: number } {
    if (!this.topology.has(name)) return { messageCount: 0 };
    const queue = this.topology.queueOf(name, connection);
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
   * @throws {Refused} 404 when there is no such exchange, 403 when it is internal, 406 for an
   * expiration or carbon copies that are none, and a direct reply that nobody waits for
   * @throws {MessageNacked} when one of its queues is full
   */
  publish(
    exchange: string,
    routingKey: string,
    content: Uint8Array,
    properties: AmqpProperties,
  ): boolean {
    this.topology.assertOpenTo(exchange);
    assertPublishable(properties);
    const copies = routingKeysOf(properties);
    const routingKeys = [routingKey, ...copies];
    const routes = this.topology.routesOf({ exchange, routingKeys, headers: properties.headers });
    if (this.refusal.isOn && routes.some((name) => name !== this.#source)) {
      throw new MessageNacked();
    }
    const origin = { exchange, routingKey, copies, properties: withoutBlindCopies(properties) };
    if (!this.#store.deliver(routes, content, origin)) throw new MessageNacked();
    return routes.length > 0;
  }

  /**
   * Adds a consumer; returns its tag.
   *
   * @throws {Refused} 404, 405; 403 when another consumer is or would be exclusive; 530 when the
   * tag is taken, 540 for a prefetch that a quorum queue does not have, which cost the connection
   */
  consume(channel: ServerChannel, request: ConsumeRequest): string {
    const { queue, noAck, exclusive, priority } = request;
    const { rules } = this.topology.queueOf(queue, channel.connection);
    if (rules.isQuorum && channel.prefetchOfAll > 0) {
      throw new Refused(540, `queue '${queue}' in vhost '/' does not support global qos`);
    }
    this.#consumerCount += 1;
    const tag = request.consumerTag || `amq.ctag-${this.#consumerCount}`;
    if (channel.consumers.has(tag)) {
      throw new Refused(530, `attempt to reuse consumer tag '${tag}'`);
    }
    const others = consumersAt(this.channels, queue);
    const isToBeAlone = exclusive && (others.length > 0 || rules.hasSingleActive);
    if (isToBeAlone || others.some((one) => one.exclusive)) {
      throw new Refused(403, `queue '${queue}' in vhost '/' in exclusive use`);
    }
    const { prefetch } = channel;
    const turn = (channel.lastTurn += 1);
    const since = this.#consumerCount;
    const state = { tag, queue, noAck, exclusive, priority, prefetch, turn, since };
    channel.consumers.set(tag, { ...state, isBlocked: false });
    this.arrivals.notify();
    return tag;
  }

  /** Limits the consumers to come, or all of the channel together. */
  limit(channel: ServerChannel, count: number, isOfChannel: boolean): void {
    channel[isOfChannel ? "prefetchOfAll" : "prefetch"] = count;
    this.arrivals.notify();
  }

  cancel(channel: ServerChannel, consumerTag: string): void {
    const consumer = channel.consumers.get(consumerTag);
    channel.consumers.delete(consumerTag);
    if (consumer === undefined) return;
    this.#dropIfAutomatic(consumer.queue);
    this.arrivals.notify();
  }

  /** Delivers messages to the channel's consumers, as far as prefetch allows. */
  take(channel: ServerChannel): readonly Delivery[] {
    const deliveries: Delivery[] = [];
    if (!channel.isOpen) return deliveries;
    const queues = [...channel.consumers.values()].map(({ queue }) => queue);
    for (const queue of new Set(queues)) {
      const found = this.topology.queueOf(queue);
      const { messages, rules } = found;
      while (deliveries.length < TAKE_MAX && messages.length > 0) {
        const served = servedOf(this.channels, queue, rules.hasSingleActive);
        const consumer = nextConsumer(channel, (one) => served.has(one));
        if (consumer === undefined) break;
        consumer.turn = channel.lastTurn += 1;
        deliveries.push(this.#deliver(channel, consumer, messages.shift() as QueuedMessage));
        this.#store.shrink(found);
        // Others may be served once one of a higher priority has no room any more.
        if (consumer.priority !== 0) this.arrivals.notify();
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
    const found = this.topology.queueOf(queue, channel.connection);
    this.#use(found);
    const { messages } = found;
    const message = messages.shift();
    if (message === undefined) return undefined;
    const delivery = this.#deliver(channel, { tag: "", queue, noAck }, message);
    this.#store.shrink(found);
    // Who gets a message of a quorum queue is told of 0, too.
    const returns = found.rules.isQuorum ? (delivery.returns ?? 0) : undefined;
    return { ...delivery, returns, messageCount: messages.length };
  }

  /** Requeues all that the channel has out. */
  recover(channel: ServerChannel): void {
    const out = [...channel.unacked.values()];
    channel.unacked.clear();
    this.#store.putBack(out, channel.consumer);
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
      if (act === "discard") this.#store.kill(unacked.queue, unacked.message, "rejected");
      if (act === "requeue") continue;
      const others = this.channels.flatMap((one) => [...one.unacked.values()]);
      if (!this.#store.comesAgain(ref, others)) this.#settlements.settled(ref, channel.consumer);
    }
    if (act === "requeue") this.#store.putBack(reached, channel.consumer);
    this.arrivals.notify();
  }

  #deliver(
    channel: ServerChannel,
    { tag: consumerTag, queue, noAck }: Pick<ConsumerState, "tag" | "queue" | "noAck">,
    message: QueuedMessage,
  ): Delivery {
    channel.lastTag += 1;
    const { lastTag: tag, consumer: who } = channel;
    const { isRedelivered, ref, returns } = message;
    channel.refs.set(tag, ref);
    if (queue === this.#source) this.#settlements.delivered(ref, who);
    if (noAck) {
      this.#settlements.settled(ref, who, "it is delivered with noAck");
    } else {
      channel.unacked.set(tag, { tag, queue: this.topology.queueOf(queue), consumerTag, message });
      this.#watch(channel, tag);
    }
    return { tag, consumerTag, message, isRedelivered, returns: returns || undefined };
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

  /** Deletes a queue; its consumers are cancelled, and its records lost. */
  #remove(queue: Queue, consumer: string): void {
    this.topology.removeQueue(queue.name);
    this.#store.lose(queue.messages, consumer, "its queue is deleted");
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
    else this.#use(queue);
  }

  /** A queue that expires does so when nobody has used it for its time. */
  #use(queue: Queue): void {
    const { expiresMs } = queue.rules;
    if (expiresMs === undefined) return;
    const usedAt = this.#world.now;
    queue.usedAt = usedAt;
    this.#world.schedule(expiresMs, { lane: "rabbitmq", hop: false }, () => {
      const isUsed = queue.usedAt !== usedAt || this.#consumersOf(queue.name) > 0;
      if (!isUsed && this.topology.queues.includes(queue)) this.#remove(queue, "");
    });
  }

  #consumersOf(queue: string): number {
    return consumersAt(this.channels, queue).length;
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
