import type { Refused } from "./amqp-error.ts";
import type { QueuedMessage } from "./message.ts";

export interface Delivery {
  readonly tag: number;
  readonly consumerTag: string;
  readonly message: QueuedMessage;
  /** The message's flag at the time of this delivery. */
  readonly isRedelivered: boolean;
}

export interface Unacked {
  readonly tag: number;
  readonly queue: string;
  readonly consumerTag: string;
  readonly message: QueuedMessage;
}

export interface ConsumerState {
  readonly tag: string;
  readonly queue: string;
  readonly noAck: boolean;
  readonly exclusive: boolean;
  readonly prefetch: number;
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
  lastTag: number;
  isOpen: boolean;
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
}

/** Whether prefetch allows another delivery; it counts per consumer, and 0 means no limit. */
export function hasRoom(
  { unacked }: ServerChannel,
  { tag, prefetch, noAck }: ConsumerState,
): boolean {
  if (prefetch === 0 || noAck) return true;
  const held = [...unacked.values()].filter(({ consumerTag }) => consumerTag === tag);
  return held.length < prefetch;
}
