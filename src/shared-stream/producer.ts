import type { Lane } from "./key.ts";
import type { AdvanceItem } from "./outcome.ts";

/**
 * The broker's side of a shared stream in ack mode. One instance serves one poll. Extend it,
 * implement it, or write an object of its shape.
 *
 * Holds, for every implementation: `openStream` yields until its signal aborts, or throws, and
 * never simply returns. Connect in `openStream` and not in the factory, because a factory that
 * throws is not followed by `aclose`; once it has returned, `aclose` runs even if `openStream` did
 * not.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, SharedStreamProducer
 *
 * @example
 * ```ts
 * import type { AdvanceItem, SharedStreamProducer } from "faultlane";
 *
 * interface Message {
 *   readonly body: string;
 *   readonly handle: string;
 * }
 *
 * interface Queue {
 *   receive(signal: AbortSignal): Promise<readonly Message[]>;
 *   delete(handle: string): Promise<void>;
 *   release(handle: string): Promise<void>;
 * }
 *
 * class QueueProducer implements SharedStreamProducer<string, Message> {
 *   readonly #queue: Queue;
 *
 *   constructor(queue: Queue) {
 *     this.#queue = queue;
 *   }
 *
 *   async *openStream(signal: AbortSignal): AsyncGenerator<readonly [string, Message]> {
 *     while (!signal.aborted) {
 *       for (const message of await this.#queue.receive(signal)) yield [message.body, message];
 *     }
 *   }
 *
 *   async advance(batch: readonly AdvanceItem<Message>[]): Promise<void> {
 *     for (const { brokerPayload, outcome } of batch) {
 *       if (outcome.isClean) await this.#queue.delete(brokerPayload.handle);
 *       else await this.#queue.release(brokerPayload.handle);
 *     }
 *   }
 *
 *   getAdvanceLane({ handle }: Message): string {
 *     return handle; // no message waits for another
 *   }
 * }
 * ```
 */
export interface SharedStreamProducer<Raw, Payload = unknown> {
  /**
   * Opens the broker connection and yields `[rawEvent, brokerPayload]` pairs. Called once. The
   * signal aborts when the group stops.
   */
  openStream(signal: AbortSignal): AsyncIterable<readonly [rawEvent: Raw, brokerPayload: Payload]>;

  /**
   * Settles a batch on the broker: commits, deletes, dead-letters, or leaves for redelivery.
   *
   * Shape: `batch` is not empty, in the order of the broadcast, and the longest resolved prefix of
   * one lane. Holds: no two calls overlap. A call that throws ends the whole group; the broker then
   * redelivers what was never settled.
   */
  advance(batch: readonly AdvanceItem<Payload>[]): Promise<void>;

  /**
   * Returns the lane of an event: the events of one lane are advanced in order. Must be
   * synchronous, fast, and return equal lanes for equal payloads. Without it all events share one
   * lane.
   */
  getAdvanceLane?(brokerPayload: Payload): Lane;

  /** Closes the connection. Called once, after the last advance; an error is logged and ignored. */
  aclose?(): Promise<void>;
}

/**
 * The class behind the name, for producers that extend it as they would in Airflow. It opens
 * nothing and settles nothing by itself, puts all events in one lane, and closes nothing.
 *
 * Not a class declaration: the type is the interface above, so that a plain object is one, too.
 */
class ExtensibleProducer<Raw, Payload> implements SharedStreamProducer<Raw, Payload> {
  openStream(
    _signal: AbortSignal,
  ): AsyncIterable<readonly [rawEvent: Raw, brokerPayload: Payload]> {
    throw new TypeError(`Cannot open ${this.constructor.name}: it has no openStream of its own`);
  }

  advance(_batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    throw new TypeError(`Cannot advance ${this.constructor.name}: it has no advance of its own`);
  }

  getAdvanceLane(_brokerPayload: Payload): Lane {
    return ONE_LANE;
  }

  aclose(): Promise<void> {
    return Promise.resolve();
  }
}

const ONE_LANE = 0;

/** The base class of producers, for those that extend it; see the interface of the same name. */
export const SharedStreamProducer: new <Raw, Payload = unknown>() => SharedStreamProducer<
  Raw,
  Payload
> & {
  getAdvanceLane(brokerPayload: Payload): Lane;
  aclose(): Promise<void>;
} = ExtensibleProducer;
