import { Refused } from "./amqp-error.ts";
import type { QueuedMessage } from "./message.ts";
import type { Queue } from "./queue.ts";

export interface Delivery {
  readonly tag: number;
  readonly consumerTag: string;
  readonly message: QueuedMessage;
  /** The message's flag at the time of this delivery. */
  readonly isRedelivered: boolean;
  /**
   * How often it had been given back to a quorum queue by then; undefined where that is not told:
   * a consumer is not told of 0.
   */
  readonly returns: number | undefined;
}

export interface Unacked {
  readonly tag: number;
  /** Where it came from; once that is deleted, no queue of the same name takes it back. */
  readonly queue: Queue;
  readonly consumerTag: string;
  readonly message: QueuedMessage;
}

export interface ConsumerState {
  readonly tag: string;
  readonly queue: string;
  readonly noAck: boolean;
  readonly exclusive: boolean;
  readonly prefetch: number;
  /** Those of a higher priority are served first, while they have room. */
  readonly priority: number;
  /** Counts all consumers of the node: the oldest may be the only one that is served. */
  readonly since: number;
  /** The consumers of a queue take turns: who has waited longest is next. */
  turn: number;
  /** Whether its turn came while it had no room; it queues again when it has. */
  isBlocked: boolean;
}

/** The server's state of a channel. */
export interface ServerChannel {
  readonly id: string;
  /** The consumer's name in the trace. */
  readonly consumer: string;
  /** The connection that it belongs to. */
  readonly connection: object;
  readonly consumers: Map<string, ConsumerState>;
  readonly unacked: Map<number, Unacked>;
  /** The record of each delivery tag, including settled ones. */
  readonly refs: Map<number, string | undefined>;
  /** Notifies the client that the server has closed the channel; called at most once. */
  readonly onClosed: (refusal: Refused) => void;
  readonly onCancelled: (consumerTag: string) => void;
  prefetch: number;
  /** For all consumers of the channel together; 0 means no limit. */
  prefetchOfAll: number;
  lastTag: number;
  lastTurn: number;
  /** The queue that was declared or looked at last: a method that names none means that one. */
  lastQueue?: string;
  isOpen: boolean;
}

/**
 * Returns the queue that a method means.
 *
 * @throws {Refused} 404 when it names none, and the channel has not declared one
 *
 * Source: rabbitmq-server 3.10, rabbit_channel, expand_queue_name_shortcut
 */
export function queueMeant({ lastQueue }: ServerChannel, name: string | undefined): string {
  if (name !== undefined && name !== "") return name;
  if (lastQueue === undefined) throw new Refused(404, "no previously declared queue");
  return lastQueue;
}

/** A settlement of one delivery, or of all up to it. */
export interface Settlement {
  readonly tag: number;
  readonly multiple: boolean;
  readonly act: "ack" | "requeue" | "discard";
}

export interface ConsumeRequest {
  readonly queue: string;
  /** Empty for one that the server is to choose. */
  readonly consumerTag: string;
  readonly noAck: boolean;
  readonly exclusive: boolean;
  readonly priority: number;
}

/**
 * Returns the consumer of the channel that gets the queue's next message, if one of those that are
 * served has room.
 *
 * Source: rabbitmq-server, rabbit_queue_consumers
 */
export function nextConsumer(
  channel: ServerChannel,
  isServed: (consumer: ConsumerState) => boolean,
): ConsumerState | undefined {
  const consumers = [...channel.consumers.values()].filter(isServed);
  for (const consumer of consumers.filter(({ isBlocked }) => isBlocked)) {
    if (!hasRoom(channel, consumer)) continue;
    consumer.isBlocked = false;
    consumer.turn = channel.lastTurn += 1;
  }
  const waiting = consumers.filter(({ isBlocked }) => !isBlocked);
  for (const consumer of waiting.toSorted((a, b) => a.turn - b.turn)) {
    if (hasRoom(channel, consumer)) return consumer;
    consumer.isBlocked = true;
  }
  return undefined;
}

/** The consumers of a queue that may be served now. */
export function servedOf(
  channels: readonly ServerChannel[],
  queue: string,
  hasSingleActive: boolean,
): ReadonlySet<ConsumerState> {
  const all = consumersAt(channels, queue);
  if (hasSingleActive) return new Set(all.toSorted((a, b) => a.since - b.since).slice(0, 1));
  if (all.every(({ priority }) => priority === 0)) return new Set(all);
  const withRoom = channels.flatMap((channel) =>
    [...channel.consumers.values()].filter((one) => one.queue === queue && hasRoom(channel, one)),
  );
  const highest = Math.max(...withRoom.map(({ priority }) => priority));
  return new Set(withRoom.filter(({ priority }) => priority === highest));
}

export function consumersAt(
  channels: readonly ServerChannel[],
  queue: string,
): readonly ConsumerState[] {
  const consumers = channels.flatMap((channel) => [...channel.consumers.values()]);
  return consumers.filter((one) => one.queue === queue);
}

/** Whether prefetch allows another delivery: it counts per consumer, or for the whole channel. */
function hasRoom(
  { unacked, prefetchOfAll }: ServerChannel,
  { tag, prefetch, noAck }: ConsumerState,
): boolean {
  if (noAck) return true;
  const held = [...unacked.values()].filter(({ consumerTag }) => consumerTag !== "");
  if (prefetchOfAll > 0 && held.length >= prefetchOfAll) return false;
  return prefetch === 0 || held.filter(({ consumerTag }) => consumerTag === tag).length < prefetch;
}
