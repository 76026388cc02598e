import type { AdvanceItem, SharedStreamProducer } from "faultlane";
import type {
  EventHubConsumerClient,
  EventHubsModule,
  PartitionContext,
  ReceivedEventData,
} from "faultlane/check";

const CONNECTION = "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=a";

/**
 * Orders from Azure Event Hubs as one writes it first. Reading starts at the oldest event, and what
 * was rejected is put into another hub. But the checkpoint is updated when the events arrive, as in
 * the library's samples, which is before anybody is done with them: a crash loses them (G2).
 */
class NaiveEventHubs implements SharedStreamProducer<unknown, ReceivedEventData> {
  readonly #hubs: EventHubsModule;
  #consumer: EventHubConsumerClient | undefined;

  constructor(hubs: EventHubsModule) {
    this.#hubs = hubs;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, ReceivedEventData]> {
    const arrived: ReceivedEventData[] = [];
    let wake = (): void => undefined;
    signal.addEventListener("abort", () => wake());
    const { EventHubConsumerClient, checkpointStore, earliestEventPosition } = this.#hubs;
    const place = ["$Default", CONNECTION, "orders"] as const;
    this.#consumer = new EventHubConsumerClient(...place, checkpointStore);
    const processEvents = async (
      events: ReceivedEventData[],
      context: PartitionContext,
    ): Promise<void> => {
      arrived.push(...events);
      wake();
      const last = events.at(-1);
      if (last !== undefined) await context.updateCheckpoint(last);
    };
    const handlers = { processEvents, processError: async () => undefined };
    this.#consumer.subscribe(handlers, { startPosition: earliestEventPosition, maxBatchSize: 20 });
    while (!signal.aborted) {
      const event = arrived.shift();
      if (event !== undefined) yield [event.body, event];
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  async advance(batch: readonly AdvanceItem<ReceivedEventData>[]): Promise<void> {
    const rejected = batch.filter(({ outcome }) => outcome.rejected > 0);
    if (rejected.length === 0) return;
    const dead = new this.#hubs.EventHubProducerClient(CONNECTION, "orders-dead");
    await dead.sendBatch(rejected.map(({ brokerPayload }) => ({ body: brokerPayload.body })));
    await dead.close();
  }

  async aclose(): Promise<void> {
    await this.#consumer?.close();
  }
}

export function createProducer({ client }: { readonly client: EventHubsModule }): NaiveEventHubs {
  return new NaiveEventHubs(client);
}
