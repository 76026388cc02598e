import { isTransportError } from "../library-call.ts";
import { type Checkpoint, groupOf, type PartitionOwnership } from "./checkpoint-blobs.ts";
import type { EventHubsLink } from "./link.ts";
import { RestError } from "./messaging-error.ts";

/** Keeps who owns which partition, and how far it is processed. */
export interface CheckpointStore {
  /** Lists the ownerships of a consumer group. */
  listOwnership(
    fullyQualifiedNamespace: string,
    eventHubName: string,
    consumerGroup: string,
  ): Promise<PartitionOwnership[]>;
  /** Claims or renews ownerships, and returns those that were granted. */
  claimOwnership(partitionOwnership: PartitionOwnership[]): Promise<PartitionOwnership[]>;
  /** Stores a checkpoint. */
  updateCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /** Lists the checkpoints of a consumer group. */
  listCheckpoints(
    fullyQualifiedNamespace: string,
    eventHubName: string,
    consumerGroup: string,
  ): Promise<Checkpoint[]>;
}

/**
 * The store in blobs, as `BlobCheckpointStore` of `@azure/eventhubs-checkpointstore-blob`.
 *
 * Holds: a claim whose reply was lost is sent again with its old etag, and so is not granted, as
 * there.
 */
export class BlobCheckpointStore implements CheckpointStore {
  readonly #link: EventHubsLink;

  constructor(link: EventHubsLink) {
    this.#link = link;
  }

  listOwnership(
    namespace: string,
    eventHub: string,
    consumerGroup: string,
  ): Promise<PartitionOwnership[]> {
    const group = groupOf(namespace, eventHub, consumerGroup);
    const list = (): PartitionOwnership[] => this.#link.blobs.ownerships(group);
    return this.#link.call("broker.session", list, { errorFrom: restErrorFrom });
  }

  async claimOwnership(ownerships: PartitionOwnership[]): Promise<PartitionOwnership[]> {
    const granted: PartitionOwnership[] = [];
    for (const ownership of ownerships) {
      const asked = { ...ownership };
      const claim = (): PartitionOwnership | undefined => this.#link.blobs.claim(asked);
      const options = { isRepeatable: false, errorFrom: restErrorFrom };
      const claimed = await this.#link.call("broker.session", claim, options);
      if (claimed !== undefined) granted.push(Object.assign(ownership, claimed));
    }
    return granted;
  }

  async updateCheckpoint(checkpoint: Checkpoint): Promise<void> {
    assertCheckpoint(checkpoint);
    const asked = { ...checkpoint };
    const { blobs, name, late } = this.#link;
    const begunAt = blobs.settledTo(asked.partitionId);
    const by = { consumer: name, wasTold: late.has(checkpoint), begunAt };
    const update = (): void => blobs.update(by, asked);
    await this.#link.call("broker.settle", update, { errorFrom: restErrorFrom });
  }

  listCheckpoints(
    namespace: string,
    eventHub: string,
    consumerGroup: string,
  ): Promise<Checkpoint[]> {
    const group = groupOf(namespace, eventHub, consumerGroup);
    const list = (): Checkpoint[] => this.#link.blobs.checkpoints(group);
    return this.#link.call("broker.session", list, { errorFrom: restErrorFrom });
  }
}

/** What a client uses that was given no store: it keeps checkpoints until its process ends. */
export class InMemoryCheckpointStore implements CheckpointStore {
  readonly #ownerships = new Map<string, PartitionOwnership>();
  readonly #checkpoints = new Map<string, Checkpoint>();
  #etags = 0;

  listOwnership(): Promise<PartitionOwnership[]> {
    return Promise.resolve([...this.#ownerships.values()].map((one) => ({ ...one })));
  }

  claimOwnership(ownerships: PartitionOwnership[]): Promise<PartitionOwnership[]> {
    const granted: PartitionOwnership[] = [];
    for (const ownership of ownerships) {
      const stored = this.#ownerships.get(ownership.partitionId);
      if (stored !== undefined && stored.etag !== ownership.etag) continue;
      this.#etags += 1;
      const claimed = { ...ownership, etag: String(this.#etags) };
      this.#ownerships.set(ownership.partitionId, claimed);
      granted.push(claimed);
    }
    return Promise.resolve(granted);
  }

  updateCheckpoint(checkpoint: Checkpoint): Promise<void> {
    assertCheckpoint(checkpoint);
    this.#checkpoints.set(checkpoint.partitionId, { ...checkpoint });
    return Promise.resolve();
  }

  listCheckpoints(): Promise<Checkpoint[]> {
    return Promise.resolve([...this.#checkpoints.values()].map((one) => ({ ...one })));
  }
}

export function isCheckpointStore(given: unknown): given is CheckpointStore {
  if (typeof given !== "object" || given === null) return false;
  const store = given as Partial<CheckpointStore>;
  const { claimOwnership, listCheckpoints, listOwnership, updateCheckpoint } = store;
  const members = [claimOwnership, listCheckpoints, listOwnership, updateCheckpoint];
  return members.every((member) => typeof member === "function");
}

/** @throws {TypeError} when the sequence number or the offset is missing */
function assertCheckpoint({ sequenceNumber, offset }: Partial<Checkpoint>): void {
  const words = (name: string): string =>
    `updateCheckpoint called without required argument "${name}"`;
  if (sequenceNumber === undefined) throw new TypeError(words("sequenceNumber"));
  if (offset === undefined) throw new TypeError(words("offset"));
}

function restErrorFrom(error: unknown): unknown {
  return isTransportError(error) ? new RestError(error.message) : error;
}
