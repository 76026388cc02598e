import type { CheckpointStore } from "./checkpoint-store.ts";
import type { EventPosition, ReceivedEventData } from "./event.ts";
import type { LastEnqueuedEventProperties } from "./hub.ts";
import type { EventHubsLink } from "./link.ts";
import { PartitionReceiver } from "./receiver.ts";

/** Why a partition is closed. */
export type CloseReason = "OwnershipLost" | "Shutdown";

/** The partition that a handler is called for. */
export interface PartitionContext {
  /** The namespace of the hub. */
  readonly fullyQualifiedNamespace: string;
  /** The name of the hub. */
  readonly eventHubName: string;
  /** The consumer group. */
  readonly consumerGroup: string;
  /** The partition; empty for an error of the load balancing. */
  readonly partitionId: string;
  /** The newest event of the partition, with `trackLastEnqueuedEventProperties`. */
  readonly lastEnqueuedEventProperties?: LastEnqueuedEventProperties;
  /** Stores that the events up to this one are processed, whoever owns the partition by now. */
  updateCheckpoint(eventData: ReceivedEventData): Promise<void>;
}

/** What a subscription calls. */
export interface SubscriptionEventHandlers {
  /** Gets the next events of a partition; the ones behind them wait until it has resolved. */
  processEvents(events: ReceivedEventData[], context: PartitionContext): Promise<void>;
  /** Gets errors; one that is not retryable closes its partition afterwards. */
  processError(error: Error, context: PartitionContext): Promise<void>;
  /** Is called before the first events of a partition. */
  processInitialize?(context: PartitionContext): Promise<void>;
  /** Is called when a partition is closed; its last `processEvents` may still be running. */
  processClose?(reason: CloseReason, context: PartitionContext): Promise<void>;
}

/** How a subscription receives. */
export interface SubscribeOptions {
  /** How many events `processEvents` gets at most; default 1. */
  readonly maxBatchSize?: number;
  /** After how long without events `processEvents` gets none; default 60. */
  readonly maxWaitTimeInSeconds?: number;
  /** Where to start without a checkpoint, for all partitions or by their ids; default: the newest. */
  readonly startPosition?: EventPosition | { readonly [partitionId: string]: EventPosition };
  /** Whether the context has the newest event of its partition; default false. */
  readonly trackLastEnqueuedEventProperties?: boolean;
  /** Receivers with a lower level, or the same, are disconnected; default 0 with a store. */
  readonly ownerLevel?: number;
  /** How many events are fetched ahead; default three times `maxBatchSize`. */
  readonly prefetchCount?: number;
}

export interface PumpPlace {
  readonly fullyQualifiedNamespace: string;
  readonly eventHubName: string;
  readonly consumerGroup: string;
  readonly partitionId: string;
}

const BATCH = 1;
const WAIT_S = 60;

/**
 * Receives from one partition and calls the handlers, one call after the other.
 *
 * Holds: an error that is not retryable, which includes what `processEvents` throws by itself,
 * closes the partition after `processError`.
 *
 * Source: @azure/event-hubs 6, partitionPump.js and partitionProcessor.js
 */
export class PartitionPump {
  readonly #handlers: SubscriptionEventHandlers;
  readonly #options: SubscribeOptions;
  readonly #context: PartitionContext;
  readonly #receiver: PartitionReceiver;
  readonly #stopping = new AbortController();
  #isTold = false;
  isReceiving = false;

  constructor(
    link: EventHubsLink,
    place: PumpPlace,
    store: CheckpointStore,
    handlers: SubscriptionEventHandlers,
    options: SubscribeOptions,
    start: EventPosition,
  ) {
    this.#handlers = handlers;
    this.#options = options;
    const { eventHubName: eventHub, consumerGroup, partitionId } = place;
    const { ownerLevel, prefetchCount } = options;
    const source = { eventHub, consumerGroup, partitionId, ownerLevel, prefetchCount };
    const receiver = new PartitionReceiver(link, link.name, source, start);
    this.#receiver = receiver;
    this.#context = {
      ...place,
      get lastEnqueuedEventProperties(): LastEnqueuedEventProperties {
        return options.trackLastEnqueuedEventProperties === true
          ? (receiver.lastEnqueued ?? {})
          : {};
      },
      updateCheckpoint: ({ sequenceNumber, offset }) => {
        const checkpoint = { ...place, sequenceNumber, offset };
        if (this.#isTold) link.late.add(checkpoint);
        return store.updateCheckpoint(checkpoint);
      },
    };
  }

  async start(): Promise<void> {
    this.isReceiving = true;
    try {
      await this.#handlers.processInitialize?.(this.#context);
    } catch (error) {
      void this.#report(error);
    }
    void this.#receive();
  }

  /** Closes the partition; does not wait for a running `processEvents`. */
  async stop(reason: CloseReason): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.isReceiving = false;
    this.#stopping.abort();
    try {
      await this.#receiver.close();
      this.#isTold = true;
      await this.#handlers.processClose?.(reason, this.#context);
    } catch (error) {
      void this.#report(error);
      throw error;
    }
  }

  async #receive(): Promise<void> {
    const { maxBatchSize = BATCH, maxWaitTimeInSeconds = WAIT_S } = this.#options;
    const waitMs = 1_000 * maxWaitTimeInSeconds;
    while (this.isReceiving) {
      try {
        const { signal } = this.#stopping;
        const events = await this.#receiver.receiveBatch(maxBatchSize, waitMs, signal);
        if (!this.isReceiving) return;
        await this.#handlers.processEvents([...events], this.#context);
      } catch (error) {
        if (!this.isReceiving) return;
        await this.#report(error);
        if (isRetryable(error)) continue;
        const isStolen = codeOf(error) === "ReceiverDisconnectedError";
        await this.stop(isStolen ? "OwnershipLost" : "Shutdown").catch(() => undefined);
      }
    }
  }

  /** Calls the error handler; the library ignores what that throws. */
  async #report(thrown: unknown): Promise<void> {
    try {
      await this.#handlers.processError(thrown as Error, this.#context);
    } catch {
      // See above.
    }
  }
}

function isRetryable(error: unknown): boolean {
  return typeof error === "object" && error !== null && Reflect.get(error, "retryable") === true;
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
}
