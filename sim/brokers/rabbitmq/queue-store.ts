import type { World } from "../../kernel/world.ts";
import type { Arrivals } from "../arrivals.ts";
import { refIn, textOf } from "../ref-in.ts";
import type { SettlementLog } from "../settlement-log.ts";
import {
  type DeathReason,
  deathsOf,
  expiryMsOf,
  isCycle,
  type AmqpProperties,
  priorityOf,
  propertiesOfDead,
  type QueuedMessage,
} from "./message.ts";
import {
  append,
  headsOf,
  isDurable,
  isFull,
  isOverfull,
  isWritten,
  putBack,
  type Queue,
} from "./queue.ts";
import type { Unacked } from "./server-channel.ts";
import type { Topology } from "./topology.ts";

interface StoreParts {
  readonly world: World;
  readonly settlements: SettlementLog;
  readonly topology: Topology;
  readonly arrivals: Arrivals;
  /** The queue of the workload's records. */
  readonly source: string;
}

/** How a message was published. */
export interface Origin {
  readonly exchange: string;
  readonly routingKey: string;
  readonly copies: readonly string[];
  readonly properties: AmqpProperties;
}

/** Where a dead letter goes; without an exchange it is lost. */
interface DeadAddress {
  readonly exchange: string | undefined;
  readonly routingKey: string;
  readonly copies: readonly string[];
}

const LANE = { lane: "rabbitmq", hop: false };

/**
 * The messages of the queues: how they arrive and come back, and how they leave without a client.
 *
 * Holds: a message expires when it is the first of its priority and its time is up, be it the
 * queue's or its own; a queue that holds too much drops its first messages, or refuses what comes;
 * a quorum queue gives up on what came back too often; each of these is a dead letter if the queue
 * has an exchange for them, and otherwise lost. A dead letter that would go in a circle in which
 * nobody rejected it is dropped. What a restart of the node would lose, because the message is not
 * persistent or its queue not durable, counts neither as a dead letter nor as a copy of a record.
 *
 * Source: rabbitmq.com, "Time-To-Live and Expiration", "Queue Length Limit", "Dead Letter Exchanges"
 */
export class QueueStore {
  readonly #parts: StoreParts;
  #sequence = 0;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Puts a message into its queues; returns whether each of them has taken it. */
  deliver(routes: readonly string[], content: Uint8Array, origin: Origin): boolean {
    const queues = routes.map((name) => this.#parts.topology.queueOf(name));
    const full = queues.filter((queue) => queue.rules.overflow !== "drop-head" && isFull(queue));
    for (const queue of queues) {
      const message = this.#messageFor(queue, content, origin);
      if (!full.includes(queue)) this.#enqueue(queue, message);
      else if (queue.rules.overflow === "reject-publish-dlx") this.kill(queue, message, "maxlen");
    }
    this.#parts.arrivals.notify();
    return full.length === 0;
  }

  /** Takes back what a channel had and has not acknowledged. */
  putBack(all: readonly Unacked[], consumer: string): void {
    const { topology, arrivals, settlements } = this.#parts;
    for (const { queue, message } of all) {
      if (!topology.queues.includes(queue)) continue;
      message.isRedelivered = true;
      if (queue.rules.isQuorum) message.returns += 1;
      if (message.returns > queue.rules.returnsMax) {
        this.kill(queue, message, "delivery_limit");
        settlements.settled(message.ref, consumer);
      } else {
        putBack(queue, message);
      }
    }
    for (const queue of new Set(all.map((one) => one.queue))) this.shrink(queue);
    arrivals.notify();
  }

  /** Nobody gets these messages any more; `why` says so in words. */
  lose(messages: readonly QueuedMessage[], consumer: string, why: string): void {
    for (const { ref } of messages) this.#parts.settlements.settled(ref, consumer, why);
  }

  /**
   * The node is up again after a crash: what was not written to disk is gone, and a classic queue
   * takes all that it has read from there for delivered once.
   */
  restart(): void {
    const { topology, source } = this.#parts;
    const lost = topology.dropTransient(source);
    for (const queue of topology.queues) {
      const { messages } = queue;
      const isKept = (one: QueuedMessage): boolean => isWritten(queue, one);
      lost.push(...messages.filter((one) => !isKept(one)));
      messages.splice(0, messages.length, ...messages.filter(isKept));
      if (!queue.rules.isQuorum) for (const one of messages) one.isRedelivered = true;
    }
    const gone = lost.filter(({ ref }) => !this.comesAgain(ref, []));
    this.lose(gone, "", "the node has crashed, and it was not on disk");
  }

  /**
   * Sends a message that is in no queue any more to the dead-letter exchange, if there is one;
   * returns whether some queue has taken it there.
   */
  kill(queue: Queue, message: QueuedMessage, reason: DeathReason): boolean {
    const { topology, world } = this.#parts;
    if (!topology.queues.includes(queue)) return false;
    const { rules, name } = queue;
    const nowSeconds = Math.floor(world.wallMs / 1_000);
    const isRerouted = rules.deadLetterRoutingKey !== undefined;
    const died = { queue: name, reason, nowSeconds, isRerouted };
    const properties = propertiesOfDead(message, died);
    const address = addressOfDead(queue, message);
    const routes = this.#routesOfDead(address, properties);
    const deaths = deathsOf(properties);
    // A new dead letter is taken even while the queue refuses: the node retries until it has room.
    const taking = routes.filter((route) => reason === "rejected" || !isCycle(deaths, route));
    for (const route of taking) {
      const target = topology.queueOf(route);
      const origin = { ...address, exchange: address.exchange ?? "", properties };
      this.#enqueue(target, this.#messageFor(target, message.content, origin));
    }
    if (taking.length === 0 && reason !== "rejected" && reason !== "delivery_limit") {
      this.#lost(queue, message);
    }
    this.#parts.arrivals.notify();
    return taking.length > 0;
  }

  /** A dead letter to an exchange that is not there is dropped. */
  #routesOfDead(
    { exchange, routingKey, copies }: DeadAddress,
    { headers }: AmqpProperties,
  ): readonly string[] {
    if (exchange === undefined) return [];
    const { topology } = this.#parts;
    try {
      return topology.routesOf({ exchange, routingKeys: [routingKey, ...copies], headers });
    } catch {
      return [];
    }
  }

  /** Whether a record has another copy, in a queue or out: one that waits for its next try, too. */
  comesAgain(ref: string | undefined, out: readonly Unacked[]): boolean {
    const { queues } = this.#parts.topology;
    const isCopy = (queue: Queue, message: QueuedMessage): boolean =>
      message.ref === ref && this.#isKeptFor(queue, message);
    if (ref === undefined) return false;
    return (
      queues.some((queue) => queue.messages.some((message) => isCopy(queue, message))) ||
      out.some(({ queue, message }) => queues.includes(queue) && isCopy(queue, message))
    );
  }

  /** Whether it comes to the source, also if the node restarts meanwhile. */
  #isKeptFor(queue: Queue, message: QueuedMessage): boolean {
    const isThere = queue.name === this.#parts.source;
    return isThere || (isDurable(queue, message) && this.#comesToSource(queue, message));
  }

  /**
   * Whether a message of a queue is one of the source, or will be: it waits in a queue where it
   * expires, and whose dead letters go to the source.
   */
  #comesToSource(queue: Queue, message: QueuedMessage): boolean {
    const { source } = this.#parts;
    if (queue.name === source) return true;
    if (message.expiresAt === undefined) return false;
    const routes = this.#routesOfDead(addressOfDead(queue, message), message.properties);
    return routes.includes(source);
  }

  #isDeadLetter(queue: Queue, message: QueuedMessage): boolean {
    return isDurable(queue, message) && !this.#comesToSource(queue, message);
  }

  #messageFor(queue: Queue, content: Uint8Array, origin: Origin): QueuedMessage {
    const { properties } = origin;
    const ref = refIn(textOf(content)) ?? refIn(JSON.stringify(properties));
    const { ttlMs, priorityMax } = queue.rules;
    const lives = [ttlMs, expiryMsOf(properties)].filter((ms) => ms !== undefined);
    const expiresAt = lives.length === 0 ? undefined : this.#parts.world.now + Math.min(...lives);
    this.#sequence += 1;
    const priority = Math.min(priorityMax, priorityOf(properties));
    const state = { isRedelivered: false, returns: 0 };
    return { sequence: this.#sequence, ref, content, ...origin, priority, expiresAt, ...state };
  }

  #enqueue(queue: Queue, message: QueuedMessage): void {
    append(queue, message);
    if (this.#isDeadLetter(queue, message)) this.#parts.settlements.deadLettered(message.ref);
    this.shrink(queue);
  }

  /** Takes out what has expired and what is too much, and looks again when the next expires. */
  shrink(queue: Queue): void {
    const { world } = this.#parts;
    for (let dead = expiredIn(queue, world.now); dead.length > 0;) {
      for (const message of dead) this.#remove(queue, message, "expired");
      dead = expiredIn(queue, world.now);
    }
    while (queue.rules.overflow === "drop-head" && isOverfull(queue)) {
      this.#remove(queue, queue.messages[0] as QueuedMessage, "maxlen");
    }
    const next = Math.min(
      ...headsOf(queue).map(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt),
    );
    if (next === Number.POSITIVE_INFINITY || next === queue.watchedUntil) return;
    queue.watchedUntil = next;
    world.schedule(next - world.now, LANE, () => {
      queue.watchedUntil = undefined;
      this.shrink(queue);
    });
  }

  #remove(queue: Queue, message: QueuedMessage, reason: DeathReason): void {
    queue.messages.splice(queue.messages.indexOf(message), 1);
    const isTaken = this.kill(queue, message, reason);
    if (isTaken || !this.#isDeadLetter(queue, message)) return;
    this.#parts.settlements.deadLetterDropped(message.ref);
  }

  #lost({ name }: Queue, { ref }: QueuedMessage): void {
    if (name === this.#parts.source) this.#parts.settlements.expired(ref);
  }
}

/** Returns where a dead letter of a queue goes: with all its keys, unless the queue gives it one. */
function addressOfDead(
  { rules, policyExchange }: Queue,
  { routingKey, copies }: QueuedMessage,
): DeadAddress {
  const exchange = rules.deadLetterExchange ?? policyExchange;
  const { deadLetterRoutingKey: key } = rules;
  return key === undefined
    ? { exchange, routingKey, copies }
    : { exchange, routingKey: key, copies: [] };
}

function expiredIn(queue: Queue, now: number): readonly QueuedMessage[] {
  return headsOf(queue).filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt <= now);
}
