import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";
import type {
  EventHubConsumerClient,
  EventHubProducerClient,
  EventHubsModule,
  PartitionContext,
  ReceivedEventData,
} from "faultlane/check";

/** A partition from `processInitialize` to `processClose`. */
interface Partition {
  readonly context: PartitionContext;
  /** The events from the first one on that is not done with. */
  readonly events: ReceivedEventData[];
  /** How many of them were handed out. */
  handedOut: number;
  /** Rises when events are handed out again: what was handed out before is stale. */
  epoch: number;
  isResting: boolean;
  isClosed: boolean;
  /** Done with, and not checkpointed yet. */
  unsaved: ReceivedEventData | undefined;
  /** Lets `processEvents` return. */
  release: () => void;
}

interface Payload {
  readonly event: ReceivedEventData;
  readonly partition: Partition;
  readonly epoch: number;
}

const CONNECTION = "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=a";
const EVENTS_MAX = 100;
const BACKOFF_MS = 1_000;
const BALANCING = {
  strategy: "greedy",
  updateIntervalInMs: 2_000,
  partitionOwnershipExpirationIntervalInMs: 15_000,
} as const;

/**
 * Orders from Azure Event Hubs. Repairs, against naive-event-hubs.ts:
 *
 * - A checkpoint names the last event that is done with, and never passes one that is not (G2).
 * - Checkpoints of a partition go one after the other, and none behind one that was tried before:
 *   the store takes them from anybody and in any order (G5).
 * - From an order that failed on, all events of its partition are handed out again from memory
 *   after a moment, as the client cannot go back (G1, G8).
 * - A rejected order that the dead-letter hub does not take is held (G3).
 * - What came before a partition was lost is neither checkpointed nor dead-lettered any more (G4).
 * - A checkpoint that fails is tried again, and no error reaches the group (G10).
 * - Without a checkpoint reading starts at the oldest event, not at the newest as by default (G8).
 * - A store out of reach makes `close` fail before it has closed the connection: it is called
 *   again. The end waits for the checkpoint under way (G6).
 */
class Orders implements SharedStreamProducer<unknown, Payload> {
  readonly #hubs: EventHubsModule;
  readonly #partitions = new Map<PartitionContext, Partition>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  /** The checkpoint under way of each partition; never rejects. */
  readonly #saving = new Map<string, Promise<void>>();
  /** The furthest event of each partition whose checkpoint was tried. */
  readonly #tried = new Map<string, number>();
  #consumer: EventHubConsumerClient | undefined;
  #deadLetters: EventHubProducerClient | undefined;
  #wake = (): void => undefined;

  constructor(hubs: EventHubsModule) {
    this.#hubs = hubs;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    this.#subscribe();
    while (!signal.aborted) {
      const payload = this.#next();
      if (payload === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else yield [payload.event.body, payload];
    }
  }

  getAdvanceLane({ partition }: Payload): Lane {
    return partition.context.partitionId;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { event, partition, epoch } = brokerPayload;
      if (partition.isClosed || partition.epoch !== epoch) continue;
      const mustHold = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      if (mustHold || (outcome.rejected > 0 && !(await this.#isDeadLettered(event)))) {
        this.#again(partition);
        break;
      }
      partition.events.shift();
      partition.handedOut -= 1;
      partition.unsaved = event;
      if (partition.events.length < EVENTS_MAX) partition.release();
    }
    const partition = batch.at(-1)?.brokerPayload.partition;
    if (partition !== undefined) await this.#save(partition);
  }

  async aclose(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const partition of this.#partitions.values()) close(partition);
    await Promise.all(this.#saving.values());
    const consumer = this.#consumer;
    await consumer?.close().catch(() => consumer.close());
    await this.#deadLetters?.close();
  }

  #subscribe(): void {
    const { EventHubConsumerClient, EventHubProducerClient, checkpointStore } = this.#hubs;
    this.#deadLetters = new EventHubProducerClient(CONNECTION, "orders-dead");
    const options = { loadBalancingOptions: BALANCING };
    this.#consumer = new EventHubConsumerClient(
      ...(["$Default", CONNECTION, "orders"] as const),
      checkpointStore,
      options,
    );
    const handlers = {
      processInitialize: async (context: PartitionContext) => this.#open(context),
      processEvents: (events: ReceivedEventData[], context: PartitionContext) =>
        this.#take(events, context),
      processError: async () => undefined,
      processClose: async (_reason: string, context: PartitionContext) => {
        const partition = this.#partitions.get(context);
        if (partition !== undefined) close(partition);
        this.#partitions.delete(context);
      },
    };
    const startPosition = this.#hubs.earliestEventPosition;
    this.#consumer.subscribe(handlers, {
      maxBatchSize: 20,
      maxWaitTimeInSeconds: 5,
      startPosition,
    });
  }

  #open(context: PartitionContext): void {
    const flags = { handedOut: 0, epoch: 0, isResting: false, isClosed: false };
    const rest = { unsaved: undefined, release: () => undefined };
    this.#partitions.set(context, { context, events: [], ...flags, ...rest });
  }

  /** Resolves when there is room for more. */
  async #take(events: readonly ReceivedEventData[], context: PartitionContext): Promise<void> {
    const partition = this.#partitions.get(context);
    if (partition === undefined) return;
    partition.events.push(...events);
    this.#wake();
    if (partition.isClosed || partition.events.length < EVENTS_MAX) return;
    await new Promise<void>((resolve) => (partition.release = resolve));
  }

  #next(): Payload | undefined {
    for (const partition of this.#partitions.values()) {
      const event = partition.events[partition.handedOut];
      if (event === undefined || partition.isResting || partition.isClosed) continue;
      partition.handedOut += 1;
      return { event, partition, epoch: partition.epoch };
    }
    return undefined;
  }

  /** After a moment, so that a lasting failure does not become a hot loop. */
  #again(partition: Partition): void {
    partition.epoch += 1;
    partition.handedOut = 0;
    partition.isResting = true;
    this.#later(() => {
      partition.isResting = false;
      this.#wake();
    });
  }

  async #isDeadLettered({ body, partitionKey }: ReceivedEventData): Promise<boolean> {
    try {
      const key = partitionKey === null ? {} : { partitionKey };
      await this.#deadLetters?.sendBatch([{ body: body as unknown }], key);
      return true;
    } catch {
      return false;
    }
  }

  #save(partition: Partition): Promise<void> {
    const { partitionId } = partition.context;
    const before = this.#saving.get(partitionId) ?? Promise.resolve();
    const saving = before.then(async () => {
      const { unsaved, isClosed, context } = partition;
      if (unsaved === undefined || isClosed) return;
      const tried = this.#tried.get(partitionId) ?? -1;
      try {
        if (unsaved.sequenceNumber >= tried) {
          this.#tried.set(partitionId, unsaved.sequenceNumber);
          await context.updateCheckpoint(unsaved);
        }
        if (partition.unsaved === unsaved) partition.unsaved = undefined;
      } catch {
        this.#later(() => void this.#save(partition));
      }
    });
    this.#saving.set(partitionId, saving);
    return saving;
  }

  #later(work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, BACKOFF_MS);
    this.#timers.add(timer);
  }
}

function close(partition: Partition): void {
  partition.isClosed = true;
  partition.release();
}

export function createProducer({ client }: { readonly client: EventHubsModule }): Orders {
  return new Orders(client);
}
