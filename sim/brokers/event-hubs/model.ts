import { checkedOptions } from "../../../src/checked-options.ts";
import type { World } from "../../kernel/world.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerLink, BrokerModel, Disturbance } from "../broker.ts";
import { type Refusing, refusingAll } from "../not-modelled.ts";
import { SettlementLog } from "../settlement-log.ts";
import { type Checkpoint, CheckpointBlobs } from "./checkpoint-blobs.ts";
import { BlobCheckpointStore, type CheckpointStore } from "./checkpoint-store.ts";
import type {
  ClientArgument,
  EventHubConsumerClientOptions,
  EventHubCredential,
} from "./client-arguments.ts";
import { type EventHubConsumerClient, ModelledConsumerClient } from "./consumer-client.ts";
import { EARLIEST, type EventPosition, LATEST, SEE } from "./event.ts";
import { EventHub, type ReceiverLink } from "./hub.ts";
import { EventHubsLink } from "./link.ts";
import { type EventHubProducerClient, ModelledProducerClient } from "./producer-client.ts";

/** How a hub is set up. */
export interface EventHubsOptions {
  /** The hub with the records; default "orders". Any other hub is for dead letters. */
  readonly eventHub?: string;
  /** The consumer group that must get the records; default "$Default". */
  readonly consumerGroup?: string;
  /** How many partitions the hub has; default 2. */
  readonly partitions?: number;
}

const OPTIONS: readonly (keyof EventHubsOptions)[] = ["eventHub", "consumerGroup", "partitions"];

/**
 * The module `@azure/event-hubs`, and the store that the consumers of the hub share: in production
 * `{ ...eventHubs, checkpointStore: new BlobCheckpointStore(container) }`.
 */
export interface EventHubsModule {
  /** The class of consumers, with a connection string or a host and a credential. */
  readonly EventHubConsumerClient: {
    new (
      consumerGroup: string,
      connectionString: string,
      eventHubName: string,
      options?: EventHubConsumerClientOptions,
    ): EventHubConsumerClient;
    new (
      consumerGroup: string,
      connectionString: string,
      eventHubName: string,
      checkpointStore: CheckpointStore,
      options?: EventHubConsumerClientOptions,
    ): EventHubConsumerClient;
    new (
      consumerGroup: string,
      fullyQualifiedNamespace: string,
      eventHubName: string,
      credential: EventHubCredential,
      checkpointStore: CheckpointStore,
      options?: EventHubConsumerClientOptions,
    ): EventHubConsumerClient;
    /** The name of the consumer group that every hub has. */
    readonly defaultConsumerGroupName: string;
  };
  /** The class of producers, with a connection string or a host and a credential. */
  readonly EventHubProducerClient: {
    new (
      connectionString: string,
      eventHubName: string,
      options?: { readonly identifier?: string },
    ): EventHubProducerClient;
    new (
      fullyQualifiedNamespace: string,
      eventHubName: string,
      credential: EventHubCredential,
      options?: { readonly identifier?: string },
    ): EventHubProducerClient;
  };
  /** Begins with the oldest event. */
  readonly earliestEventPosition: EventPosition;
  /** Begins with the next event. */
  readonly latestEventPosition: EventPosition;
  /** Why a partition is closed. */
  readonly CloseReason: {
    readonly OwnershipLost: "OwnershipLost";
    readonly Shutdown: "Shutdown";
  };
  /** The ownerships and checkpoints in a blob storage, which survives crashes. */
  readonly checkpointStore: CheckpointStore;
  /** @internal */
  readonly EventHubBufferedProducerClient: Refusing;
  /** @internal */
  readonly parseEventHubConnectionString: Refusing;
  /** @internal */
  readonly createEventDataAdapter: Refusing;
}

const PARTITIONS = 2;
const RIVAL = "rival/processor";
/** How long a rival keeps a partition. */
const RIVAL_MS = 8_000;
/** When it is done with its first events. */
const RIVAL_WORKS_MS = 1_500;
const REFUSED = [
  "EventHubBufferedProducerClient",
  "parseEventHubConnectionString",
  "createEventDataAdapter",
] as const;

/**
 * A hub of Azure Event Hubs and a blob storage with its checkpoints, for producers that use
 * `@azure/event-hubs`.
 *
 * A record counts as settled when a checkpoint of the group in the store has passed it: the hub
 * itself knows no acknowledgement. The storage takes a checkpoint from anybody, also one that lies
 * behind the last. One that comes behind another owner's is held against a client only if that had
 * been told before that its partition is closed. With a store of the user's own, or with none,
 * nothing is settled.
 *
 * There is no server of Event Hubs that one can run and compare with. The clients follow the
 * sources of `@azure/event-hubs` 6.0.4 and of `@azure/eventhubs-checkpointstore-blob`; the service
 * follows its documentation. Only the pauses between two attempts are shorter than the library's.
 * Not modelled, and refused by name: batches made by `createBatch`, the buffered producer, raw AMQP
 * messages, and the options for retries, tracing, proxies and bodies that are no JSON.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.eventHubs({ partitions: 4 });
 * console.log(broker.name); // => event-hubs
 * ```
 */
export function eventHubs(options: EventHubsOptions = {}): BrokerModel<EventHubsModule> {
  checkedOptions(options, OPTIONS, "brokers.eventHubs");
  const { eventHub = "orders", consumerGroup = "$Default", partitions = PARTITIONS } = options;
  const named = { name: "event-hubs", spec: { "event-hubs": options } };
  return brokerModel(named, (world, host) => {
    const settlements = new SettlementLog(world, host);
    const hub = new EventHub(world, settlements, { eventHub, consumerGroup, partitions });
    const blobs = new CheckpointBlobs(world, hub);
    return {
      records: hub,
      disturbances: [
        theft(world, hub, blobs),
        { name: "the service ends all links", strike: () => hub.detachAll() },
        {
          name: "retention removes the oldest event",
          isRare: true,
          strike: () => hub.removeOldest(),
        },
        hub.refusal.disturbance("other hubs are throttled"),
      ],
      connect: (port, number) => linkFrom(new EventHubsLink(port, host, hub, blobs, number)),
    };
  });
}

function linkFrom(link: EventHubsLink): BrokerLink<EventHubsModule> {
  class LinkedConsumer extends ModelledConsumerClient {
    constructor(consumerGroup: string, host: string, ...given: readonly ClientArgument[]) {
      super(link, consumerGroup, host, given);
    }
  }
  class LinkedProducer extends ModelledProducerClient {
    constructor(host: string, ...given: readonly ClientArgument[]) {
      super(link, host, given);
    }
  }
  return {
    client: {
      ...refusingAll("eventHubs", REFUSED, SEE),
      EventHubConsumerClient: LinkedConsumer,
      EventHubProducerClient: LinkedProducer,
      earliestEventPosition: EARLIEST,
      latestEventPosition: LATEST,
      CloseReason: { OwnershipLost: "OwnershipLost", Shutdown: "Shutdown" },
      checkpointStore: new BlobCheckpointStore(link),
    },
    open: () => [...link.open].map(({ words }) => words),
  };
}

/**
 * Another processor claims a partition of somebody's and disconnects the reader. The first one
 * reads nothing; each second one is done with two events, and stores a checkpoint.
 */
function theft(world: World, hub: EventHub, blobs: CheckpointBlobs): Disturbance {
  let thefts = 0;
  let link: ReceiverLink | undefined;
  const end = (): void => {
    if (link !== undefined) hub.detach(link);
    for (const ownership of blobs.ownerships("")) {
      if (ownership.ownerId === RIVAL) blobs.claim({ ...ownership, ownerId: "" });
    }
  };
  return {
    name: "a rival takes a partition",
    takesOver: true,
    strike() {
      thefts += 1;
      const owned = blobs
        .ownerships("")
        .filter(({ ownerId }) => ownerId !== RIVAL && ownerId !== "");
      const ownership = owned[thefts % Math.max(1, owned.length)];
      if (ownership === undefined) return;
      const { partitionId, eventHubName, consumerGroup } = ownership;
      blobs.claim({ ...ownership, ownerId: RIVAL });
      link = { consumer: RIVAL, partitionId, epoch: 0, next: 0, ended: undefined, onEnded() {} };
      try {
        hub.attach(link, eventHubName, consumerGroup, LATEST);
      } catch {
        // A reader with a higher owner level keeps its link; only the ownership is lost.
      }
      if (thefts % 2 === 0) {
        world.schedule(RIVAL_WORKS_MS, { lane: "event-hubs", hop: false }, () => {
          const isOwner = blobs
            .ownerships("")
            .some((one) => one.partitionId === partitionId && one.ownerId === RIVAL);
          const event = hub.secondOf(partitionId);
          if (!isOwner || event === undefined) return;
          const { sequenceNumber } = event;
          const place = { ...ownership, sequenceNumber, offset: String(event.offset) };
          blobs.update({ consumer: RIVAL, wasTold: false, begunAt: 0 }, checkpointAt(place));
          hub.taken(partitionId);
        });
      }
      world.schedule(RIVAL_MS, { lane: "event-hubs", hop: false }, end);
    },
    end,
  };
}

function checkpointAt(place: Checkpoint): Checkpoint {
  const { fullyQualifiedNamespace, eventHubName, consumerGroup, partitionId } = place;
  const { sequenceNumber, offset } = place;
  return {
    ...{ fullyQualifiedNamespace, eventHubName, consumerGroup, partitionId },
    ...{ sequenceNumber, offset },
  };
}
