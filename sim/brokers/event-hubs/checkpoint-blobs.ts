import type { World } from "../../kernel/world.ts";
import type { Checkpointing, EventHub } from "./hub.ts";

/** A checkpoint: how far a consumer group has processed a partition. */
export interface Checkpoint {
  /** The namespace of the hub. */
  fullyQualifiedNamespace: string;
  /** The name of the hub. */
  eventHubName: string;
  /** The consumer group. */
  consumerGroup: string;
  /** The partition. */
  partitionId: string;
  /** The last event that was processed, by its sequence number. */
  sequenceNumber: number;
  /** The last event that was processed, by its offset. */
  offset: string;
}

/** Who processes a partition for a consumer group. */
export interface PartitionOwnership {
  /** The namespace of the hub. */
  fullyQualifiedNamespace: string;
  /** The name of the hub. */
  eventHubName: string;
  /** The consumer group. */
  consumerGroup: string;
  /** The partition. */
  partitionId: string;
  /** The identifier of a client; empty when its owner gave the partition back. */
  ownerId: string;
  /** When the ownership was claimed or renewed last, in milliseconds since the epoch. */
  lastModifiedTimeInMs?: number;
  /** The version; a claim with another one than is stored is not granted. */
  etag?: string;
}

interface OwnershipBlob {
  readonly ownership: PartitionOwnership;
  readonly etag: string;
  /** In milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
}

/** The fields that name what a blob is about. */
type Place = Pick<
  Checkpoint,
  "fullyQualifiedNamespace" | "eventHubName" | "consumerGroup" | "partitionId"
>;

/**
 * The container in a blob storage with the ownerships and checkpoints; it survives its clients.
 *
 * Holds: a claim with an etag is granted only while that etag is stored, one without overwrites; a
 * checkpoint overwrites whatever is there, also one that is ahead of it.
 *
 * Source: @azure/eventhubs-checkpointstore-blob 2, blobCheckpointStore.js
 */
export class CheckpointBlobs {
  readonly #world: World;
  readonly #hub: EventHub;
  readonly #ownerships = new Map<string, OwnershipBlob>();
  readonly #checkpoints = new Map<string, Checkpoint>();
  #etags = 0;

  constructor(world: World, hub: EventHub) {
    this.#world = world;
    this.#hub = hub;
  }

  ownerships(group: string): PartitionOwnership[] {
    return sorted(this.#ownerships)
      .filter(([name]) => name.startsWith(group))
      .map(([, { ownership, etag, modifiedAt }]) => {
        return { ...ownership, etag, lastModifiedTimeInMs: modifiedAt };
      });
  }

  checkpoints(group: string): Checkpoint[] {
    return sorted(this.#checkpoints)
      .filter(([name]) => name.startsWith(group))
      .map(([, checkpoint]) => ({ ...checkpoint }));
  }

  /** Stores the ownership and returns it with its new etag; undefined when another one came first. */
  claim(ownership: PartitionOwnership): PartitionOwnership | undefined {
    const name = nameOf(ownership);
    const stored = this.#ownerships.get(name);
    if (ownership.etag !== undefined && stored?.etag !== ownership.etag) return undefined;
    this.#etags += 1;
    const etag = `"0x${this.#etags.toString(16).padStart(8, "0")}"`;
    const modifiedAt = this.#world.wallMs;
    this.#ownerships.set(name, { ownership: { ...ownership }, etag, modifiedAt });
    return { ...ownership, etag, lastModifiedTimeInMs: modifiedAt };
  }

  /** Returns the first event of a partition of the hub that its group has not checkpointed. */
  settledTo(partitionId: string): number {
    return this.#hub.settledTo(partitionId);
  }

  update(by: Checkpointing, checkpoint: Checkpoint): void {
    this.#checkpoints.set(nameOf(checkpoint), { ...checkpoint });
    const { eventHub, consumerGroup } = this.#hub.settings;
    const { eventHubName, consumerGroup: group, partitionId, offset } = checkpoint;
    if (eventHubName.toLowerCase() !== eventHub.toLowerCase()) return;
    if (group.toLowerCase() !== consumerGroup.toLowerCase()) return;
    this.#hub.checkpointed(by, partitionId, offset);
  }
}

/** The beginning of the names of a consumer group's blobs. */
export function groupOf(namespace: string, eventHub: string, consumerGroup: string): string {
  return `${namespace}/${eventHub}/${consumerGroup}/`.toLowerCase();
}

function nameOf(place: Place): string {
  const { fullyQualifiedNamespace, eventHubName, consumerGroup, partitionId } = place;
  return `${groupOf(fullyQualifiedNamespace, eventHubName, consumerGroup)}${partitionId}`;
}

function sorted<T>(blobs: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...blobs].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
