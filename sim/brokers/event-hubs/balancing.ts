import type { PartitionOwnership } from "./checkpoint-blobs.ts";

/** How a client shares the partitions with others of its consumer group. */
export interface LoadBalancingOptions {
  /** Whether one round claims one partition or all that it may have; default "balanced". */
  readonly strategy?: "balanced" | "greedy";
  /** The time between two rounds; default 10,000. */
  readonly updateIntervalInMs?: number;
  /** After how long without renewal a partition may be claimed; default 60,000. */
  readonly partitionOwnershipExpirationIntervalInMs?: number;
}

/** Draws one of `count`. */
export type Pick = (count: number) => number;

/** What a round of load balancing sees. */
export interface Claims {
  readonly us: string;
  /** The ownerships that were not given back. */
  readonly claimed: readonly PartitionOwnership[];
  readonly partitionIds: readonly string[];
  readonly wallNow: number;
  readonly expiryMs: number;
  readonly pick: Pick;
}

type Owners = Map<string, PartitionOwnership[]>;

/**
 * Returns the partitions that we may claim: unclaimed and expired ones first, then those of owners
 * that have more than their share.
 *
 * Source: @azure/event-hubs 6, loadBalancerStrategies/loadBalancingStrategy.js
 */
export function availablePartitions(claims: Claims): readonly string[] {
  const { us, claimed, partitionIds, wallNow, expiryMs, pick } = claims;
  const active = claimed.filter(
    ({ lastModifiedTimeInMs: at, ownerId }) =>
      at !== undefined && wallNow - at < expiryMs && ownerId !== "",
  );
  if (active.length === 0) return partitionIds;
  const owners: Owners = new Map();
  for (const ownership of active) {
    owners.set(ownership.ownerId, [...(owners.get(ownership.ownerId) ?? []), ownership]);
  }
  const ours = owners.get(us) ?? [];
  owners.set(us, ours);
  const least = Math.floor(partitionIds.length / owners.size);
  const extras = partitionIds.length % owners.size;
  const counts = [...owners.values()].map((list) => list.length);
  const withLeast = counts.filter((count) => count === least).length;
  const withOneMore = counts.filter((count) => count === least + 1).length;
  if (withOneMore === extras && withLeast + withOneMore === owners.size) return [];
  const withMore = counts.filter((count) => count > least + 1).length;
  const share = extras > 0 && withOneMore + withMore < extras ? least + 1 : least;
  let wanted = share - ours.length;
  if (wanted <= 0) return [];
  const taken: string[] = [];
  const free = partitionIds.filter((id) => active.every(({ partitionId }) => partitionId !== id));
  for (; wanted > 0 && free.length > 0; wanted -= 1) {
    taken.push(free.splice(pick(free.length), 1)[0] as string);
  }
  return [...taken, ...stolen(owners, us, { wanted, least, extras, pick })];
}

/** Returns partitions of the owners that have most. */
function stolen(
  owners: Owners,
  us: string,
  need: {
    readonly wanted: number;
    readonly least: number;
    readonly extras: number;
    readonly pick: Pick;
  },
): readonly string[] {
  const { least, extras, pick } = need;
  let { wanted } = need;
  const rich = [...owners]
    .filter(([owner, list]) => owner !== us && list.length > least)
    .map(([, list]) => [...list])
    .toSorted((a, b) => b.length - a.length);
  const taken: string[] = [];
  for (const [nth, list] of rich.entries()) {
    let spare = list.length - (nth < extras ? least + 1 : least);
    for (; wanted > 0 && spare > 0; wanted -= 1) {
      taken.push((list.splice(pick(list.length), 1)[0] as PartitionOwnership).partitionId);
      spare -= 1;
    }
  }
  return taken;
}
