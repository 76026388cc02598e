import { KafkaJSNonRetriableError } from "./kafka-errors.ts";

/** An event as the listeners of a consumer or producer get it. */
export interface InstrumentationEvent<T = unknown> {
  /** Typed as the library has it; it is a number there, too. */
  readonly id: string;
  readonly type: string;
  readonly timestamp: number;
  readonly payload: T;
}

/** The names of a consumer's events. */
const CONSUMER_EVENT_NAMES = {
  HEARTBEAT: "consumer.heartbeat",
  COMMIT_OFFSETS: "consumer.commit_offsets",
  GROUP_JOIN: "consumer.group_join",
  FETCH: "consumer.fetch",
  FETCH_START: "consumer.fetch_start",
  START_BATCH_PROCESS: "consumer.start_batch_process",
  END_BATCH_PROCESS: "consumer.end_batch_process",
  CONNECT: "consumer.connect",
  DISCONNECT: "consumer.disconnect",
  STOP: "consumer.stop",
  CRASH: "consumer.crash",
  REBALANCING: "consumer.rebalancing",
  RECEIVED_UNSUBSCRIBED_TOPICS: "consumer.received_unsubscribed_topics",
  REQUEST: "consumer.network.request",
  REQUEST_TIMEOUT: "consumer.network.request_timeout",
  REQUEST_QUEUE_SIZE: "consumer.network.request_queue_size",
} as const;

export const CONSUMER_EVENTS: typeof CONSUMER_EVENT_NAMES = Object.freeze(CONSUMER_EVENT_NAMES);

const PRODUCER_EVENT_NAMES = {
  CONNECT: "producer.connect",
  DISCONNECT: "producer.disconnect",
  REQUEST: "producer.network.request",
  REQUEST_TIMEOUT: "producer.network.request_timeout",
  REQUEST_QUEUE_SIZE: "producer.network.request_queue_size",
} as const;

export const PRODUCER_EVENTS: typeof PRODUCER_EVENT_NAMES = Object.freeze(PRODUCER_EVENT_NAMES);

/** @throws {KafkaJSNonRetriableError} when a client of this kind has no event of this name */
export function assertEventOf(
  whose: "admin" | "consumer" | "producer",
  events: Readonly<Record<string, string>>,
  name: string,
): void {
  if (Object.values(events).includes(name)) return;
  const known = Object.keys(events).map((key) => `${whose}.events.${key}`);
  throw new KafkaJSNonRetriableError(`Event name should be one of ${known.join(", ")}`);
}

// The library's listeners take an event of their own shape each.
// oxlint-disable-next-line typescript/no-explicit-any
type Listener = (event: InstrumentationEvent<any>) => unknown;

/**
 * Calls listeners synchronously. As in the library, what a listener's promise rejects with is
 * ignored, but what it throws is thrown where the event is emitted, and no later listener is told.
 */
export class Instrumentation {
  readonly #now: () => number;
  readonly #listeners = new Map<string, Set<Listener>>();
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  on(name: string, listener: Listener): () => void {
    const known = this.#listeners.get(name) ?? new Set();
    known.add(listener);
    this.#listeners.set(name, known);
    return () => void known.delete(listener);
  }

  emit(type: string, payload: unknown): void {
    this.#count += 1;
    const id = this.#count as unknown as string;
    const event = { id, type, timestamp: this.#now(), payload };
    for (const listener of this.#listeners.get(type) ?? []) {
      void Promise.resolve(listener(event)).catch(() => undefined);
    }
  }
}

/** The library's logger. In the model it discards everything. */
export interface KafkaLogger {
  info(message: string, extra?: object): void;
  error(message: string, extra?: object): void;
  warn(message: string, extra?: object): void;
  debug(message: string, extra?: object): void;
  namespace(namespace: string): KafkaLogger;
  setLogLevel(level: number): void;
}

export const SILENT_LOGGER: KafkaLogger = {
  info: () => undefined,
  error: () => undefined,
  warn: () => undefined,
  debug: () => undefined,
  namespace: () => SILENT_LOGGER,
  setLogLevel: () => undefined,
};
