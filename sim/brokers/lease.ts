/**
 * How records of one key are kept in order.
 *
 * - `none`: they are not.
 * - `group`: while one is in flight, a receive returns no later record of its group; one that comes
 *   again is behind nothing (SQS FIFO).
 * - `key`: several may be in flight with one consumer; when one is redelivered, so are all later
 *   ones of its key, including those that were acknowledged (Pub/Sub).
 * - `session`: a consumer locks a key as a whole, by its name (Service Bus).
 */
export type LeaseOrder = "none" | "group" | "key" | "session";

/** A record that the broker gives up. */
export interface DeadLetter {
  /** The name of the record; empty for `content`. */
  readonly ref: string;
  /** The record's key. */
  readonly key: string;
  /** Whether its text has lost its end, so that it is no JSON. */
  readonly isGarbled?: boolean | undefined;
  /** What a client has sent; undefined for a record of the workload. */
  readonly content: unknown;
  /** How many deliveries of it have failed. */
  readonly failures: number;
  /** When it was published, in virtual milliseconds. */
  readonly publishedAt: number;
}

/** How a leased queue is set up. */
export interface LeasedQueueOptions {
  /** How records of one key are kept in order. */
  readonly order: LeaseOrder;
  /** The broker dead-letters a record after this many failed deliveries; undefined: never. */
  readonly deliveriesMax: number | undefined;
  /** How long a record is kept back after so many failed deliveries; without it, not at all. */
  readonly backoffMs?: ((failures: number) => number) | undefined;
  /** Told of a record that the broker itself dead-letters. */
  readonly deadLettered?: ((record: DeadLetter) => void) | undefined;
}

/** One delivery of a record to one consumer. */
export interface LeasedDelivery {
  /** The name of the record, which is to be part of what the client gets; empty for `content`. */
  readonly ref: string;
  /** The record's key. */
  readonly key: string;
  /** Whether its text has lost its end, so that it is no JSON. */
  readonly isGarbled?: boolean | undefined;
  /** The record's number in the queue, from 1. */
  readonly sequence: number;
  /** What a client has sent; undefined for a record of the workload. */
  readonly content: unknown;
  /** Identifies this delivery. */
  readonly handle: string;
  /** How often the record was delivered, including this time. */
  readonly deliveries: number;
  /** How many deliveries of it have failed. */
  readonly failures: number;
  /** When the record was published, in virtual milliseconds. */
  readonly publishedAt: number;
  /** When the lease ends unless it is extended, in virtual milliseconds. */
  readonly leasedUntil: number;
}

/** A message that a client sends to the queue itself. */
export interface SentMessage {
  /** What is ordered with it, as a record's key. */
  readonly key: string;
  /** What its receiver gets. */
  readonly content: unknown;
  /** Its text, in which the record is named that it is a copy of; default: it is none. */
  readonly text?: string;
  /** How long nobody gets it, in virtual milliseconds. */
  readonly delayMs: number;
}

/** How many messages of a queue there are of each kind. */
export interface QueueCounts {
  /** Those that a receiver would get. */
  readonly ready: number;
  /** Those that a receiver has. */
  readonly inFlight: number;
  /** Those that nobody gets yet. */
  readonly delayed: number;
}

/**
 * The state of a delivery, by its handle: `held` while its lease lasts; `lapsed` after the lease has
 * ended; `stale` once the record was delivered again; `settled`; `unknown` for a handle that the
 * queue has never given out.
 */
export type HandleState = "held" | "lapsed" | "stale" | "settled" | "unknown";
