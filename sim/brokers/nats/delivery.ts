import type { Puller } from "./consumer-state.ts";
import type { StoredMessage } from "./stream.ts";

/** One delivery of a message. */
export interface NatsDelivery {
  readonly message: StoredMessage;
  /** Counts the deliveries of this message from 1. */
  readonly deliveries: number;
  /** Counts the deliveries of the consumer from 1. */
  readonly consumerSequence: number;
  /** How many messages of the stream were not delivered to the consumer yet. */
  readonly pending: number;
}

/** What a reader asks for. */
export interface PullRequest {
  readonly who: string;
  readonly count: number;
  readonly reader: Puller;
  /** Whether it is a request, and not the rest of one that something has arrived for. */
  readonly isAsked: boolean;
}

export type AckKind =
  | { readonly kind: "ack" }
  | { readonly kind: "nak"; readonly delayMs: number }
  | { readonly kind: "working" }
  | { readonly kind: "term" };
