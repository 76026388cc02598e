export type GroupState = "Dead" | "Empty" | "PreparingRebalance" | "Stable";

/** Partitions by topic. */
export type Assignment = ReadonlyMap<string, readonly number[]>;

/** What a member learns when a rebalance is complete. */
export interface Joined {
  readonly generation: number;
  readonly memberId: string;
  readonly leaderId: string;
  readonly assignment: Assignment;
}

export interface Member {
  readonly id: string;
  topics: readonly string[];
  readonly sessionMs: number;
  /** How long the coordinator waits for this member to join again, once a rebalance has begun. */
  readonly rebalanceMs: number;
  readonly isAlive: () => boolean;
  seenAt: number;
  /** Whether it has joined the generation that is being prepared. */
  hasJoined: boolean;
  assignment: Map<string, number[]>;
}

export interface Group {
  readonly name: string;
  generation: number;
  /** Counts the rebalances that were begun; undefined unless one is under way. */
  preparing: number | undefined;
  readonly members: Map<string, Member>;
  /** Ids that were given to clients that have yet to join with them; a rebalance waits for these. */
  readonly pending: Set<string>;
  /** The next offset to read, by `topic/partition`; -1 or -2 for the end or the beginning. */
  readonly committed: Map<string, number>;
  /** What a commit said besides, by `topic/partition`. */
  readonly metadata: Map<string, string>;
  readonly leaderEpochs: Map<string, number>;
}

export function emptyGroup(name: string): Group {
  return {
    ...{ name, generation: 0, preparing: undefined, members: new Map(), pending: new Set() },
    ...{ committed: new Map(), metadata: new Map(), leaderEpochs: new Map() },
  };
}

/** The first member leads. */
export function leaderOf({ members }: Group): string {
  const [leaderId = ""] = members.keys();
  return leaderId;
}

export function joinedAs(group: Group, { id: memberId, assignment }: Member): Joined {
  const { generation } = group;
  return { generation, memberId, leaderId: leaderOf(group), assignment: new Map(assignment) };
}

/** Whether a member belongs to a disturbance of the broker. */
export function isRival(memberId: string): boolean {
  return memberId.startsWith("a-rival");
}
