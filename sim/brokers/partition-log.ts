import { recogniseAnyCopy } from "../../src/any-copy.ts";
import { FAULT_WORDS } from "../trace/fault-words.ts";
import type { World } from "../kernel/world.ts";
import type { SettlementLog } from "./settlement-log.ts";

/** A record as a consumer gets it. */
export interface LogRecord {
  /** Its topic. */
  readonly topic: string;
  /** The number of its partition, from 0. */
  readonly partition: number;
  /** Its place in the partition, from 0. */
  readonly offset: number;
  /** What was produced; the member `ref` of an object names the record of the workload. */
  readonly value: unknown;
}

/** The partitions that a member of a consumer group may read, and the group's generation. */
export interface Assignment {
  /** Grows with each rebalance. */
  readonly generation: number;
  /** The numbers of the partitions. */
  readonly partitions: readonly number[];
}

/**
 * Thrown when the caller is not a member of the group, or has an old generation: it has to join
 * again.
 *
 * @example
 * ```ts
 * import { FencedMember, PartitionLog } from "faultlane/brokers";
 * import { SeededChoices, World } from "faultlane/sim";
 *
 * const world = new World(new SeededChoices(1), { keepTrace: false });
 * const log = new PartitionLog(world, "broker", { sessionTimeoutMs: 10_000 });
 * log.createTopic("orders", 1);
 * try {
 *   log.commit("billing", "nobody", 1, 0, 5);
 * } catch (error) {
 *   console.log(error instanceof FencedMember); // => true
 * }
 * ```
 */
export class FencedMember extends Error {
  static {
    recogniseAnyCopy(this, "FencedMember");
  }

  /** Always "FencedMember". */
  override readonly name = "FencedMember";
}

interface Member {
  readonly id: string;
  seenAt: number;
  partitions: number[];
  wake: (() => void) | undefined;
}

interface ConsumerGroup {
  readonly name: string;
  readonly topic: string;
  generation: number;
  readonly members: Map<string, Member>;
  readonly committed: Map<number, number>;
}

/** How a partition log is set up. */
export interface PartitionLogOptions {
  /**
   * A member that does not call for this long is removed from its group when another one calls, in
   * virtual milliseconds.
   */
  readonly sessionTimeoutMs: number;
  /**
   * Traces deliveries, commits and lost memberships, as the log of a broker model has to; default:
   * commits are traced as settled by their group, and nothing else is.
   */
  readonly settlements?: SettlementLog;
}

const FETCH_RECORDS_MAX = 64;
/** So many committed records of a partition are kept; where there are twice as many, half go. */
const RETAINED = 1_024;

/** The records of one partition; those before `from` are deleted. */
interface Partition {
  from: number;
  readonly records: LogRecord[];
}

/**
 * A broker like Kafka: topics with partitions, offsets, consumer groups.
 *
 * Holds: a commit is cumulative per partition and names the next offset to read; uncommitted
 * records are read again after a restart, a rebalance or a seek; a commit with an old generation is
 * refused. Every operation takes place at one instant; callers go through the network. Of the
 * records that every group has committed the last 1,024 are kept.
 *
 * The consumer that a delivery is traced for is the id of the member; give the members of your
 * client ids such as `${port.name}/1`. The workload's records are published by `published` of the
 * settlement log and `produce` of this one.
 *
 * @example
 * ```ts
 * import { PartitionLog } from "faultlane/brokers";
 * import { SeededChoices, World } from "faultlane/sim";
 *
 * const world = new World(new SeededChoices(1), { keepTrace: false });
 * const log = new PartitionLog(world, "broker", { sessionTimeoutMs: 10_000 });
 * log.createTopic("orders", 1);
 * log.produce("orders", 0, (offset) => ({ ref: "ref-000001", offset }));
 * const { generation } = log.join("billing", "orders", "me");
 * const { records } = log.fetch("billing", "me", new Map([[0, 0]]));
 * log.commit("billing", "me", generation, 0, records.length);
 * console.log(log.committed("billing", 0)); // => 1
 * ```
 */
export class PartitionLog {
  readonly #world: World;
  readonly #name: string;
  readonly #sessionTimeoutMs: number;
  readonly #settlements: SettlementLog | undefined;
  readonly #topics = new Map<string, Partition[]>();
  readonly #groups = new Map<string, ConsumerGroup>();
  readonly #groupsOf = new Map<string, ConsumerGroup[]>();

  /** Creates a log without topics; its events are those of `name`. */
  constructor(world: World, name: string, options: PartitionLogOptions) {
    this.#world = world;
    this.#name = name;
    this.#sessionTimeoutMs = options.sessionTimeoutMs;
    this.#settlements = options.settlements;
  }

  /** Creates a topic, unless it is there. */
  createTopic(topic: string, partitions: number): void {
    if (this.#topics.has(topic)) return;
    this.#topics.set(
      topic,
      Array.from({ length: partitions }, () => ({ from: 0, records: [] })),
    );
  }

  /** Appends a record; `valueFrom` is called with its offset. */
  produce(topic: string, partition: number, valueFrom: (offset: number) => unknown): LogRecord {
    const { from, records } = this.#logOf(topic, partition);
    const offset = from + records.length;
    const record = { topic, partition, offset, value: valueFrom(offset) };
    records.push(record);
    for (const group of this.#groupsOf.get(topic) ?? []) wakeReader(group, partition);
    return record;
  }

  /** Adds a member to a group, which is created for its first one: the partitions move. */
  join(groupName: string, topic: string, memberId: string): Assignment {
    const group = this.#groups.get(groupName) ?? this.#createGroup(groupName, topic);
    const member: Member = {
      id: memberId,
      seenAt: this.#world.now,
      partitions: [],
      wake: undefined,
    };
    group.members.set(memberId, member);
    this.#rebalance(group);
    return { generation: group.generation, partitions: member.partitions };
  }

  #createGroup(name: string, topic: string): ConsumerGroup {
    const group: ConsumerGroup = {
      name,
      topic,
      generation: 0,
      members: new Map(),
      committed: new Map(),
    };
    this.#groups.set(name, group);
    this.#groupsOf.set(topic, [...(this.#groupsOf.get(topic) ?? []), group]);
    return group;
  }

  /** Removes a member from its group: its partitions move to the others. */
  leave(groupName: string, memberId: string): void {
    const group = this.#groups.get(groupName);
    if (group?.members.delete(memberId) === true) this.#rebalance(group);
  }

  /** Moves the group to a new generation. */
  forceRebalance(groupName: string): void {
    const group = this.#groups.get(groupName);
    if (group !== undefined) this.#rebalance(group);
  }

  /** Whether the group has a member now. */
  hasMembers(groupName: string): boolean {
    return (this.#groups.get(groupName)?.members.size ?? 0) > 0;
  }

  /** Removes all members from the group, as if none had called within the session timeout. */
  expireAll(groupName: string): void {
    const group = this.#groups.get(groupName);
    if (group === undefined) return;
    this.#world.injector.count(`expire consumers of ${groupName}`);
    const fault = { kind: "fault", site: "broker.session", verdict: FAULT_WORDS.expire } as const;
    this.#world.trace.emit(this.#name, { ...fault, rule: groupName });
    for (const member of group.members.values()) {
      wakeMember(member);
      this.#settlements?.lapsed("", member.id);
    }
    group.members.clear();
    this.#rebalance(group);
  }

  /** Returns the offset at which a new reader of the partition starts. */
  committed(groupName: string, partition: number): number {
    return this.#groups.get(groupName)?.committed.get(partition) ?? 0;
  }

  /**
   * Returns the records from the given positions on, and the member's assignment.
   *
   * @throws {FencedMember} when the caller is not a member of the group
   */
  fetch(
    groupName: string,
    memberId: string,
    positions: ReadonlyMap<number, number>,
  ): { readonly assignment: Assignment; readonly records: readonly LogRecord[] } {
    const { group, member } = this.#memberOf(groupName, memberId);
    this.#expireOthers(group, member);
    const records: LogRecord[] = [];
    for (const partition of member.partitions) {
      const position = positions.get(partition);
      if (position === undefined) continue;
      const log = this.#logOf(group.topic, partition);
      const room = FETCH_RECORDS_MAX - records.length;
      const at = Math.max(0, position - log.from);
      records.push(...log.records.slice(at, at + room));
    }
    for (const { topic, partition, value } of records) {
      this.#settlements?.delivered(givenRefIn(value), memberId, `${topic}/${partition}`);
    }
    const assignment = { generation: group.generation, partitions: [...member.partitions] };
    return { assignment, records };
  }

  /** Calls `wake` once, when there may be new records for the member. */
  onArrival(groupName: string, memberId: string, wake: () => void): void {
    const member = this.#groups.get(groupName)?.members.get(memberId);
    if (member === undefined) wake();
    else member.wake = wake;
  }

  /**
   * Commits `offset` as the next one to read.
   *
   * @throws {FencedMember} when the caller is not a member, or has an old generation
   */
  commit(
    groupName: string,
    memberId: string,
    generation: number,
    partition: number,
    offset: number,
  ): void {
    const group = this.#groupToCommitIn(groupName, memberId, generation, { partition, offset });
    const log = this.#logOf(group.topic, partition);
    const from = group.committed.get(partition) ?? 0;
    group.committed.set(partition, offset);
    for (let at = from; at < offset; at += 1) {
      const value = log.records[at - log.from]?.value;
      if (this.#settlements !== undefined) {
        this.#settlements.settled(givenRefIn(value), memberId);
        continue;
      }
      const ref = refFrom(value, group.topic, partition, at);
      this.#world.trace.emit(this.#name, { kind: "settled", ref, consumer: groupName });
    }
    this.#trim(log, group.topic, partition);
  }

  /** @throws {FencedMember} when the caller is not a member, or has an old generation */
  #groupToCommitIn(
    groupName: string,
    memberId: string,
    generation: number,
    { partition, offset }: { readonly partition: number; readonly offset: number },
  ): ConsumerGroup {
    const topic = this.#groups.get(groupName)?.topic ?? "";
    const handle = `${topic}/${partition}@${offset}`;
    const attempt = { ref: undefined, consumer: memberId, handle, act: "commit" } as const;
    try {
      const { group } = this.#memberOf(groupName, memberId);
      if (generation !== group.generation) {
        throw new FencedMember(
          `Cannot commit in generation ${generation}: it is ${group.generation}`,
        );
      }
      this.#settlements?.attempted({ ...attempt, refused: "" });
      return group;
    } catch (error) {
      this.#settlements?.attempted({ ...attempt, refused: "FencedMember" });
      throw error;
    }
  }

  #trim(log: Partition, topic: string, partition: number): void {
    const groups = this.#groupsOf.get(topic) ?? [];
    const committed = Math.min(...groups.map((one) => one.committed.get(partition) ?? 0));
    if (committed - log.from < 2 * RETAINED) return;
    const deleted = committed - RETAINED - log.from;
    log.records.splice(0, deleted);
    log.from += deleted;
  }

  #logOf(topic: string, partition: number): Partition {
    const log = this.#topics.get(topic)?.[partition];
    if (log === undefined) throw new RangeError(`No partition ${partition} in topic "${topic}"`);
    return log;
  }

  #memberOf(groupName: string, memberId: string): { group: ConsumerGroup; member: Member } {
    const group = this.#groups.get(groupName);
    const member = group?.members.get(memberId);
    if (group === undefined || member === undefined) {
      throw new FencedMember(`Member "${memberId}" is not in group "${groupName}"`);
    }
    member.seenAt = this.#world.now;
    return { group, member };
  }

  #expireOthers(group: ConsumerGroup, alive: Member): void {
    const limit = this.#world.now - this.#sessionTimeoutMs;
    let expired = false;
    for (const member of group.members.values()) {
      if (member === alive || member.seenAt >= limit) continue;
      group.members.delete(member.id);
      this.#settlements?.lapsed("", member.id);
      expired = true;
    }
    if (expired) this.#rebalance(group);
  }

  #rebalance(group: ConsumerGroup): void {
    group.generation += 1;
    const members = [...group.members.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const member of members) member.partitions = [];
    const count = this.#topics.get(group.topic)?.length ?? 0;
    for (let partition = 0; partition < count && members.length > 0; partition += 1) {
      (members[partition % members.length] as Member).partitions.push(partition);
    }
    for (const member of members) wakeMember(member);
  }
}

function wakeReader(group: ConsumerGroup, partition: number): void {
  for (const member of group.members.values()) {
    if (member.partitions.includes(partition)) wakeMember(member);
  }
}

function wakeMember(member: Member): void {
  const { wake } = member;
  member.wake = undefined;
  wake?.();
}

function refFrom(value: unknown, topic: string, partition: number, offset: number): string {
  return givenRefIn(value) ?? `${topic}/${partition}@${offset}`;
}

/** Returns the ref that a value has; undefined for what the workload has not published. */
function givenRefIn(value: unknown): string | undefined {
  if (typeof value === "object" && value !== null && "ref" in value) return String(value.ref);
  return undefined;
}
