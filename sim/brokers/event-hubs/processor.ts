import { availablePartitions, type LoadBalancingOptions } from "./balancing.ts";
import type { PartitionOwnership } from "./checkpoint-blobs.ts";
import type { CheckpointStore } from "./checkpoint-store.ts";
import { type EventPosition, isPosition, LATEST } from "./event.ts";
import type { EventHubsLink } from "./link.ts";
import {
  type CloseReason,
  PartitionPump,
  type PumpPlace,
  type SubscribeOptions,
  type SubscriptionEventHandlers,
} from "./pump.ts";

export interface ProcessorSettings {
  readonly place: Omit<PumpPlace, "partitionId">;
  /** Names the owner in the store. */
  readonly ownerId: string;
  readonly store: CheckpointStore;
  /** "all" claims every partition, as without a store of the user's. */
  readonly strategy: "all" | "balanced" | "greedy";
  readonly balancing: Required<LoadBalancingOptions>;
  /** The one partition of the subscription; undefined for all that are ours. */
  readonly target: string | undefined;
  readonly options: SubscribeOptions;
}

/**
 * The loop behind a subscription: it claims and renews partitions, and pumps each that it got.
 *
 * Holds: at most one pump for a partition; a partition whose pump has ended is not renewed, and so
 * is claimed again only when its ownership has expired, by us or by others.
 *
 * Source: @azure/event-hubs 6, eventProcessor.js and pumpManager.js
 */
export class EventProcessor {
  readonly #link: EventHubsLink;
  readonly #handlers: SubscriptionEventHandlers;
  readonly #settings: ProcessorSettings;
  readonly #pumps = new Map<string, PartitionPump>();
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  isRunning = false;

  constructor(
    link: EventHubsLink,
    handlers: SubscriptionEventHandlers,
    settings: ProcessorSettings,
  ) {
    this.#link = link;
    this.#handlers = handlers;
    this.#settings = settings;
  }

  start(): void {
    this.isRunning = true;
    this.#loop = this.#run();
  }

  /** Closes all partitions and gives them back; rejects when the store cannot be reached. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const pumps = [...this.#pumps.values()];
    await Promise.all(pumps.map((pump) => pump.stop("Shutdown"))).catch(() => undefined);
    this.#pumps.clear();
    await this.#loop;
    const { target, store, ownerId } = this.#settings;
    if (target !== undefined) return;
    const ours = (await this.#ownerships()).filter((one) => one.ownerId === ownerId);
    await store.claimOwnership(ours.map((ownership) => ({ ...ownership, ownerId: "" })));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { target, balancing } = this.#settings;
    const { clock } = this.#link.port;
    while (!signal.aborted) {
      const startedAt = clock.now();
      try {
        if (target === undefined) await this.#balance();
        else await this.#startPump(target);
      } catch (error) {
        await Promise.race([this.#report(error), aborted(signal)]);
      }
      const tookMs = target === undefined ? clock.now() - startedAt : 0;
      await this.#link.pause(Math.max(balancing.updateIntervalInMs - tookMs, 0), signal);
    }
    this.isRunning = false;
  }

  async #balance(): Promise<void> {
    const { signal } = this.#stopping;
    const { ownerId, place } = this.#settings;
    const { hub } = this.#link;
    const ask = (): string[] => hub.properties(place.eventHubName).partitionIds;
    const partitionIds = await this.#link.call("broker.session", ask, { signal });
    if (signal.aborted) return;
    const ownerships = await this.#ownerships();
    if (signal.aborted) return;
    const renewed = ownerships
      .filter((one) => one.ownerId === ownerId && this.#isPumping(one.partitionId))
      .map(({ partitionId }) => partitionId);
    for (const partitionId of new Set([...this.#claimable(ownerships, partitionIds), ...renewed])) {
      const etag = ownerships.find((one) => one.partitionId === partitionId)?.etag;
      await this.#claim({
        ...place,
        ownerId,
        partitionId,
        ...(etag === undefined ? {} : { etag }),
      });
    }
  }

  #claimable(
    ownerships: readonly PartitionOwnership[],
    partitionIds: readonly string[],
  ): readonly string[] {
    const { ownerId: us, strategy, balancing } = this.#settings;
    if (strategy === "all") return partitionIds;
    const { clock } = this.#link.port;
    const choices = this.#link.port.choices("data");
    const pick = (count: number): number => choices.choose(count, "partition");
    const claimable = availablePartitions({
      us,
      claimed: ownerships.filter((one) => one.ownerId !== ""),
      partitionIds,
      wallNow: clock.wallNow(),
      expiryMs: balancing.partitionOwnershipExpirationIntervalInMs,
      pick,
    });
    if (strategy === "greedy" || claimable.length === 0) return claimable;
    return [claimable[pick(claimable.length)] as string];
  }

  async #claim(ownership: PartitionOwnership): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    try {
      const granted = await this.#settings.store.claimOwnership([ownership]);
      if (granted.length > 0) await this.#startPump(ownership.partitionId);
    } catch (error) {
      await this.#report(error);
    }
  }

  async #startPump(partitionId: string): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted || this.#isPumping(partitionId)) return;
    const { place, store, options } = this.#settings;
    const start = await this.#startOf(partitionId);
    if (signal.aborted) return;
    await this.#remove(partitionId, "OwnershipLost");
    const partition = { ...place, partitionId };
    const pump = new PartitionPump(this.#link, partition, store, this.#handlers, options, start);
    this.#pumps.set(partitionId, pump);
    await pump.start();
  }

  async #startOf(partitionId: string): Promise<EventPosition> {
    const { place, store, options } = this.#settings;
    const { fullyQualifiedNamespace, eventHubName, consumerGroup } = place;
    const all = await store.listCheckpoints(fullyQualifiedNamespace, eventHubName, consumerGroup);
    const checkpoint = all.find((one) => one.partitionId === partitionId);
    if (checkpoint !== undefined) return { offset: checkpoint.offset };
    const { startPosition } = options;
    if (startPosition === undefined) return LATEST;
    return isPosition(startPosition) ? startPosition : (startPosition[partitionId] ?? LATEST);
  }

  async #remove(partitionId: string, reason: CloseReason): Promise<void> {
    const pump = this.#pumps.get(partitionId);
    this.#pumps.delete(partitionId);
    await pump?.stop(reason).catch(() => undefined);
  }

  #isPumping(partitionId: string): boolean {
    return this.#pumps.get(partitionId)?.isReceiving === true;
  }

  #ownerships(): Promise<PartitionOwnership[]> {
    const { place, store } = this.#settings;
    const { fullyQualifiedNamespace, eventHubName, consumerGroup } = place;
    return store.listOwnership(fullyQualifiedNamespace, eventHubName, consumerGroup);
  }

  /** Reports an error of no partition; the library ignores what the handler throws. */
  async #report(error: unknown): Promise<void> {
    if (error instanceof Error && error.name === "AbortError") return;
    const context = { ...this.#settings.place, partitionId: "" };
    const updateCheckpoint = async (): Promise<void> => undefined;
    try {
      await this.#handlers.processError(error as Error, { ...context, updateCheckpoint });
    } catch {
      // See above.
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}
