import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import type { Publication } from "../broker.ts";
import { refIn } from "../ref-in.ts";
import { Refusal } from "../refusal.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { type EventData, type EventPosition, type StoredEvent } from "./event.ts";
import { storedDate } from "../stored-date.ts";
import { MessagingError } from "./messaging-error.ts";
import { Partition } from "./partition.ts";

/** A receiver's link to a partition. */
export interface ReceiverLink {
  readonly consumer: string;
  readonly partitionId: string;
  /** The owner level; undefined for a receiver without one. */
  readonly epoch: number | undefined;
  /** The next event that goes over the link, by its sequence number. */
  next: number;
  /** Why the service has ended the link; undefined while it has not. */
  ended: Error | undefined;
  /** Called when the service ends the link. */
  onEnded(): void;
}

export interface HubSettings {
  readonly eventHub: string;
  readonly consumerGroup: string;
  readonly partitions: number;
}

/** What `getEventHubProperties` returns. */
export interface EventHubProperties {
  /** The name of the hub. */
  readonly name: string;
  /** When the hub was created. */
  readonly createdOn: Date;
  /** The ids of the partitions, "0" being the first. */
  readonly partitionIds: string[];
  /** Always false: the model has no second region. */
  readonly isGeoDrEnabled: boolean;
}

/** What `getPartitionProperties` returns. */
export interface PartitionProperties {
  /** The name of the hub. */
  readonly eventHubName: string;
  /** The id of the partition. */
  readonly partitionId: string;
  /** The sequence number of the oldest event that is kept. */
  readonly beginningSequenceNumber: number;
  /** The sequence number of the newest event; -1 when there was none. */
  readonly lastEnqueuedSequenceNumber: number;
  /** The offset of the newest event. */
  readonly lastEnqueuedOffset: string;
  /** When the newest event was taken. */
  readonly lastEnqueuedOnUtc: Date;
  /** Whether no event is kept. */
  readonly isEmpty: boolean;
}

/** The newest event of a partition, and when the service said so. */
export interface LastEnqueuedEventProperties {
  /** Its sequence number. */
  readonly sequenceNumber?: number;
  /** When it was taken. */
  readonly enqueuedOn?: Date;
  /** Its offset. */
  readonly offset?: string;
  /** When the service said so. */
  readonly retrievedOn?: Date;
}

/** Whose checkpoint it is. */
export interface Checkpointing {
  readonly consumer: string;
  /** Whether its client had been told that the partition is closed when it began to store it. */
  readonly wasTold: boolean;
  /** How far the partition was checkpointed when it began to store it. */
  readonly begunAt: number;
}

/** How many receivers without an owner level may read one partition. */
const RECEIVERS_MAX = 5;

/**
 * The hub of the records: partitions, and the links of the receivers in one consumer group.
 *
 * Holds: a receiver with an owner level ends the links of all receivers with the same or a lower
 * one, or with none, and is refused while there is one with a higher; no event is ever locked or
 * settled here.
 *
 * Source: Event Hubs documentation, "Event processor host", "Epoch" and "Partition ownership"
 */
export class EventHub {
  readonly settings: HubSettings;
  readonly arrivals: Arrivals = new Arrivals();
  /** While on, other hubs take nothing. */
  readonly refusal: Refusal;
  readonly #world: World;
  readonly #settlements: SettlementLog;
  readonly #partitions: readonly Partition[];
  readonly #links = new Set<ReceiverLink>();
  #turn = 0;

  constructor(world: World, settlements: SettlementLog, settings: HubSettings) {
    this.refusal = new Refusal(world);
    this.#world = world;
    this.#settlements = settlements;
    this.settings = settings;
    const ids = Array.from({ length: settings.partitions }, (_, at) => String(at));
    this.#partitions = ids.map((id) => new Partition(id));
  }

  publish(publication: Publication): void {
    this.#settlements.published(publication);
    const { ref, key } = publication;
    this.#append({ body: { ref, key } }, key, this.#partitionFor(key), ref);
  }

  owed(): readonly string[] {
    return this.#settlements.owed();
  }

  /** Takes events for a hub; those for another hub than the records' are dead letters. */
  send(
    hub: string,
    events: readonly EventData[],
    {
      partitionKey,
      partitionId,
    }: { readonly partitionKey?: string; readonly partitionId?: string },
  ): void {
    if (hub !== this.settings.eventHub) {
      if (this.refusal.isOn) throw new MessagingError("The server is busy", "ServerBusyError");
      for (const event of events) this.#settlements.deadLettered(refIn(JSON.stringify(event)));
      return;
    }
    const partition =
      partitionId === undefined ? this.#partitionFor(partitionKey) : this.#partition(partitionId);
    for (const event of events) this.#append(event, partitionKey, partition, undefined);
  }

  /** @throws {MessagingError} `MessagingEntityNotFoundError` for another hub */
  properties(hub: string): EventHubProperties {
    this.#assertHub(hub);
    const partitionIds = this.#partitions.map(({ id }) => id);
    return {
      name: hub,
      createdOn: storedDate(this.#world.epochMs),
      partitionIds,
      isGeoDrEnabled: false,
    };
  }

  /** @throws {MessagingError} for another hub, or a partition that it does not have */
  partitionProperties(hub: string, partitionId: string): PartitionProperties {
    this.#assertHub(hub);
    const partition = this.#partition(partitionId);
    const last = partition.events.at(-1);
    return {
      eventHubName: hub,
      partitionId,
      beginningSequenceNumber: partition.from,
      lastEnqueuedSequenceNumber: partition.end - 1,
      lastEnqueuedOffset: String(last?.offset ?? -1),
      lastEnqueuedOnUtc: storedDate(last?.enqueuedAt ?? this.#world.epochMs),
      isEmpty: partition.events.length === 0,
    };
  }

  /**
   * Opens a link at a position.
   *
   * @throws {MessagingError} `ReceiverDisconnectedError` while a receiver has a higher owner level,
   * `QuotaExceededError` for a sixth receiver without one, `MessagingEntityNotFoundError` for a hub
   * or group that there is not
   */
  attach(link: ReceiverLink, hub: string, group: string, position: EventPosition): void {
    this.#assertHub(hub);
    const { eventHub, consumerGroup } = this.settings;
    if (group !== consumerGroup) throw notFound(`${eventHub}:consumergroup:${group}`);
    const partition = this.#partition(link.partitionId);
    const others = [...this.#links].filter((one) => one.partitionId === link.partitionId);
    const highest = Math.max(-1, ...others.map(({ epoch }) => epoch ?? -1));
    if ((link.epoch ?? -1) < highest) throw stolen(link.partitionId, highest);
    if (link.epoch === undefined && others.length >= RECEIVERS_MAX) {
      const words = `Exceeded the maximum number of receivers of partition ${link.partitionId}`;
      throw new MessagingError(words, "QuotaExceededError");
    }
    if (link.epoch !== undefined) {
      for (const other of others) this.#end(other, stolen(link.partitionId, link.epoch));
    }
    link.next = partition.sequenceAt(position);
    this.#links.add(link);
  }

  detach(link: ReceiverLink): void {
    this.#links.delete(link);
  }

  /** Ends all links, as when the service is updated. */
  detachAll(): void {
    const words = "The link is force detached by the service";
    for (const link of [...this.#links]) {
      this.#end(link, new MessagingError(words, "DetachForcedError"));
    }
  }

  /** Returns the next events of a link, at most `max`. */
  read(
    link: ReceiverLink,
    max: number,
  ): { readonly events: readonly StoredEvent[]; readonly last: LastEnqueuedEventProperties } {
    if (link.ended !== undefined) throw link.ended;
    const partition = this.#partition(link.partitionId);
    const events = partition.read(link.next, max);
    link.next = (events.at(-1)?.sequenceNumber ?? link.next - 1) + 1;
    const unit = `${this.settings.eventHub}/${partition.id}`;
    for (const { ref } of events) this.#settlements.delivered(ref, link.consumer, unit);
    return { events, last: this.#lastOf(partition) };
  }

  /**
   * A checkpoint was stored: the events up to this offset are not read again by the group.
   *
   * Why so: one that comes behind another owner's counts as that owner's, unless its client was
   * told before. 1. A client begins to store a checkpoint; 2. another one claims the partition,
   * reads on and stores a checkpoint, or a request of one before it arrives at last; 3. the first
   * one's arrives, and is taken, as the store takes any. No client can help that, but one that has
   * been told that its partition is closed can.
   */
  checkpointed(by: Checkpointing, partitionId: string, offset: string): void {
    const { consumer, wasTold, begunAt } = by;
    const partition = this.#partitions.find(({ id }) => id === partitionId);
    if (partition === undefined) return;
    const position = partition.sequenceAt({ offset });
    const handle = `${this.settings.eventHub}/${partitionId}@${position}`;
    const { ref } = partition.at(position - 1) ?? {};
    const isOnItsWay = begunAt <= position && partition.storedBy !== consumer;
    const storedTo = Math.max(partition.takenTo ?? 0, isOnItsWay ? partition.settledTo : 0);
    const isOvertaken = !wasTold && position < storedTo;
    const who = isOvertaken ? `overtaken ${consumer}` : consumer;
    this.#settlements.attempted({ ref, consumer: who, handle, act: "commit", refused: "" });
    partition.takenTo = undefined;
    if (position >= partition.settledTo) partition.storedBy = consumer;
    for (let at = partition.settledTo; at < position; at += 1) {
      this.#settlements.settled(partition.at(at)?.ref, consumer);
    }
    partition.settledTo = Math.max(partition.settledTo, position);
  }

  /** The second event of a partition that is not checkpointed, or the first, if there is one. */
  secondOf(partitionId: string): StoredEvent | undefined {
    const partition = this.#partitions.find(({ id }) => id === partitionId);
    if (partition === undefined) return undefined;
    return partition.at(partition.settledTo + 1) ?? partition.at(partition.settledTo);
  }

  /** Returns the first event of a partition that is not checkpointed. */
  settledTo(partitionId: string): number {
    return this.#partitions.find(({ id }) => id === partitionId)?.settledTo ?? 0;
  }

  /** Another owner has stored a checkpoint. */
  taken(partitionId: string): void {
    const partition = this.#partitions.find(({ id }) => id === partitionId);
    if (partition !== undefined) partition.takenTo = partition.settledTo;
  }

  /** Retention removes the oldest event that is owed, and all before it in its partition. */
  removeOldest(): void {
    const [owed] = this.#settlements.owed();
    if (owed === undefined) return;
    for (const partition of this.#partitions) {
      const event = partition.events.find(({ ref }) => ref === owed);
      if (event === undefined) continue;
      for (const { ref } of partition.removeTo(event.sequenceNumber)) {
        this.#settlements.expired(ref);
      }
    }
  }

  #append(
    data: EventData,
    key: string | undefined,
    partition: Partition,
    ref: string | undefined,
  ): void {
    partition.append(data, key, ref, this.#world.wallMs);
    this.arrivals.notify();
  }

  #end(link: ReceiverLink, reason: Error): void {
    this.#links.delete(link);
    link.ended = reason;
    link.onEnded();
  }

  #lastOf(partition: Partition): LastEnqueuedEventProperties {
    const last = partition.events.at(-1);
    if (last === undefined) return { retrievedOn: storedDate(this.#world.wallMs) };
    const { sequenceNumber, offset, enqueuedAt } = last;
    const retrievedOn = storedDate(this.#world.wallMs);
    return {
      sequenceNumber,
      enqueuedOn: storedDate(enqueuedAt),
      offset: String(offset),
      retrievedOn,
    };
  }

  #partitionFor(key: string | undefined): Partition {
    this.#turn += 1;
    const at = key === undefined ? this.#turn : hashOf(key);
    return this.#partitions[at % this.#partitions.length] as Partition;
  }

  #partition(partitionId: string): Partition {
    const partition = this.#partitions.find(({ id }) => id === partitionId);
    if (partition !== undefined) return partition;
    throw new MessagingError(
      `The specified partition is invalid for an EventHub partition sender or receiver: ${partitionId}`,
      "InvalidOperationError",
    );
  }

  #assertHub(hub: string): void {
    if (hub !== this.settings.eventHub) throw notFound(hub);
  }
}

function stolen(partitionId: string, epoch: number): MessagingError {
  return new MessagingError(
    `New receiver of partition '${partitionId}' with epoch of '${epoch}' is created, hence this receiver is disconnected`,
    "ReceiverDisconnectedError",
  );
}

function notFound(entity: string): MessagingError {
  return new MessagingError(
    `The messaging entity '${entity}' could not be found`,
    "MessagingEntityNotFoundError",
  );
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) % 65_521;
  return hash;
}
