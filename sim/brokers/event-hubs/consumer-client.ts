import { assertModelled } from "../not-modelled.ts";
import type { LoadBalancingOptions } from "./balancing.ts";
import { type CheckpointStore, InMemoryCheckpointStore } from "./checkpoint-store.ts";
import { argumentsFrom, type ClientArgument } from "./client-arguments.ts";
import { SEE, validatePositions } from "./event.ts";
import type { EventHubProperties, PartitionProperties } from "./hub.ts";
import type { EventHubsLink } from "./link.ts";
import { EventProcessor } from "./processor.ts";
import type { SubscribeOptions, SubscriptionEventHandlers } from "./pump.ts";

/** A running subscription. */
export interface Subscription {
  /** Whether its loop runs. */
  readonly isRunning: boolean;
  /**
   * Closes its partitions and gives them back.
   *
   * @throws {RestError} when the store cannot be reached
   */
  close(): Promise<void>;
}

const OPTIONS = [
  ...["maxBatchSize", "maxWaitTimeInSeconds", "startPosition", "ownerLevel", "prefetchCount"],
  "trackLastEnqueuedEventProperties",
];
const BALANCING: Required<LoadBalancingOptions> = {
  strategy: "balanced",
  updateIntervalInMs: 10_000,
  partitionOwnershipExpirationIntervalInMs: 60_000,
};
const ALL = "all";

/**
 * The `EventHubConsumerClient` of `@azure/event-hubs` 6. What else the library publishes is refused
 * by name, as are options that would be ignored.
 *
 * @example A producer gets its class from `checkProducer`
 * ```ts
 * import type { EventHubConsumerClient, SubscriptionEventHandlers } from "faultlane/check";
 *
 * function read(client: EventHubConsumerClient, handlers: SubscriptionEventHandlers) {
 *   return client.subscribe(handlers, { maxBatchSize: 20, maxWaitTimeInSeconds: 5 });
 * }
 * console.log(read.length); // => 2
 * ```
 */
export interface EventHubConsumerClient {
  /** The name of the hub. */
  readonly eventHubName: string;
  /** The namespace of the hub. */
  readonly fullyQualifiedNamespace: string;
  /** Names the client as the owner of partitions. */
  readonly identifier: string;
  /**
   * Starts to receive, from all partitions that the load balancing gives us.
   *
   * @throws {TypeError} when a start position is not one
   * @throws {Error} when a subscription of this client has a partition already
   */
  subscribe(handlers: SubscriptionEventHandlers, options?: SubscribeOptions): Subscription;
  /** Starts to receive, from one partition and without any ownership. */
  subscribe(
    partitionId: string,
    handlers: SubscriptionEventHandlers,
    options?: SubscribeOptions,
  ): Subscription;
  /** Resolves with the ids of the partitions. */
  getPartitionIds(options?: object): Promise<string[]>;
  /** Resolves with what the service says of a partition. */
  getPartitionProperties(partitionId: string, options?: object): Promise<PartitionProperties>;
  /** Resolves with what the service says of the hub. */
  getEventHubProperties(options?: object): Promise<EventHubProperties>;
  /** Closes all subscriptions; the connection stays open when one of them cannot be closed. */
  close(): Promise<void>;
}

/** The consumer that the module of one link makes. */
export class ModelledConsumerClient implements EventHubConsumerClient {
  static readonly defaultConsumerGroupName: string = "$Default";
  readonly eventHubName: string;
  readonly fullyQualifiedNamespace: string;
  readonly identifier: string;
  readonly #link: EventHubsLink;
  readonly #consumerGroup: string;
  readonly #store: CheckpointStore;
  readonly #strategy: "all" | "balanced" | "greedy";
  readonly #balancing: Required<LoadBalancingOptions>;
  readonly #subscribed = new Set<string>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #connection = { words: "the connection of a consumer client" };

  constructor(
    link: EventHubsLink,
    consumerGroup: string,
    host: string,
    given: readonly ClientArgument[],
  ) {
    const call = "new EventHubConsumerClient()";
    const { namespace, eventHub, store, options } = argumentsFrom(call, host, given);
    this.#link = link;
    this.#consumerGroup = consumerGroup;
    this.eventHubName = eventHub;
    this.fullyQualifiedNamespace = namespace;
    this.identifier = options.identifier ?? link.newIdentifier();
    this.#balancing = { ...BALANCING, ...options.loadBalancingOptions };
    this.#store = store ?? new InMemoryCheckpointStore();
    this.#strategy = store === undefined ? "all" : this.#balancing.strategy;
  }

  subscribe(handlers: SubscriptionEventHandlers, options?: SubscribeOptions): Subscription;
  subscribe(
    partitionId: string,
    handlers: SubscriptionEventHandlers,
    options?: SubscribeOptions,
  ): Subscription;
  subscribe(
    first: SubscriptionEventHandlers | string,
    second?: SubscriptionEventHandlers | SubscribeOptions,
    third?: SubscribeOptions,
  ): Subscription {
    if (hasHandlers(first)) return this.#subscribe(undefined, first, second as SubscribeOptions);
    if (!hasHandlers(second)) throw new TypeError("Unhandled subscribe() overload");
    return this.#subscribe(first, second, third);
  }

  async getPartitionIds(options: object = {}): Promise<string[]> {
    return [...(await this.getEventHubProperties(options)).partitionIds];
  }

  getPartitionProperties(partitionId: string, options: object = {}): Promise<PartitionProperties> {
    assertModelled("getPartitionProperties()", options, [], SEE);
    const { hub } = this.#link;
    return this.#ask(() => hub.partitionProperties(this.eventHubName, partitionId));
  }

  getEventHubProperties(options: object = {}): Promise<EventHubProperties> {
    assertModelled("getEventHubProperties()", options, [], SEE);
    return this.#ask(() => this.#link.hub.properties(this.eventHubName));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
    this.#link.open.delete(this.#connection);
  }

  #subscribe(
    target: string | undefined,
    handlers: SubscriptionEventHandlers,
    given: SubscribeOptions = {},
  ): Subscription {
    assertModelled("subscribe()", given, OPTIONS, SEE);
    if (given.startPosition !== undefined) validatePositions(given.startPosition);
    const name = target ?? ALL;
    this.#reserve(name);
    const { eventHubName, fullyQualifiedNamespace } = this;
    const { ownerLevel, ...rest } = given;
    const level = ownerLevel || (this.#strategy === "all" ? undefined : 0);
    const processor = new EventProcessor(this.#link, handlers, {
      place: { fullyQualifiedNamespace, eventHubName, consumerGroup: this.#consumerGroup },
      ownerId: target === undefined ? this.identifier : this.#link.newIdentifier(),
      store: this.#store,
      strategy: this.#strategy,
      balancing: this.#balancing,
      target,
      options: { ...rest, ...(level === undefined ? {} : { ownerLevel: level }) },
    });
    const open = { words: `a subscription to ${name} partitions` };
    this.#link.open.add(this.#connection);
    this.#link.open.add(open);
    processor.start();
    const subscription: Subscription = {
      get isRunning() {
        return processor.isRunning;
      },
      close: async () => {
        this.#subscribed.delete(name);
        this.#subscriptions.delete(subscription);
        await processor.stop().finally(() => this.#link.open.delete(open));
      },
    };
    this.#subscriptions.add(subscription);
    return subscription;
  }

  #reserve(name: string): void {
    const isTaken = this.#subscribed.has(name) || this.#subscribed.has(ALL);
    if (isTaken || (name === ALL && this.#subscribed.size > 0)) {
      throw new Error("Partition already has a subscriber.");
    }
    this.#subscribed.add(name);
  }

  #ask<T>(effect: () => T): Promise<T> {
    this.#link.open.add(this.#connection);
    return this.#link.call("broker.session", effect);
  }
}

function hasHandlers(given: unknown): given is SubscriptionEventHandlers {
  if (typeof given !== "object" || given === null) return false;
  return typeof Reflect.get(given, "processEvents") === "function";
}
