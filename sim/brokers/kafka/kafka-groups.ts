import type { World } from "../../kernel/world.ts";
import { KafkaJSProtocolError } from "./kafka-errors.ts";
import type { KafkaLog, Partition, StoredRecord } from "./kafka-log.ts";

/** Partitions by topic. */
export type Assignment = ReadonlyMap<string, readonly number[]>;

export interface Joined {
  readonly generation: number;
  readonly memberId: string;
  readonly leaderId: string;
  readonly assignment: Assignment;
}

interface Member {
  readonly id: string;
  readonly topics: readonly string[];
  readonly sessionMs: number;
  readonly isAlive: () => boolean;
  seenAt: number;
  /** The generation in which it last joined. If the group's is higher, it has to rejoin. */
  generation: number;
  assignment: Map<string, number[]>;
}

interface Group {
  readonly name: string;
  generation: number;
  readonly members: Map<string, Member>;
  /** The next offset to read, by `topic/partition`; -1 or -2 for the end or the beginning. */
  readonly committed: Map<string, number>;
  /** What a commit said besides, by `topic/partition`. */
  readonly metadata: Map<string, string>;
}

/** The offset of one partition in a commit. */
export interface OffsetCommit {
  readonly topic: string;
  readonly partition: number;
  /** The next one to read; -1 or -2 have the group start anew, at its own choice. */
  readonly offset: number;
  readonly metadata?: string | null;
}

/**
 * The group coordinator: members, generations, committed offsets.
 *
 * Holds: a commit is cumulative per partition and names the next offset to read. It is refused if
 * the client is not a member or has an older generation; whether it owns the partition, or moves
 * the offset backwards, is not checked, as in Kafka.
 */
export class KafkaGroups {
  readonly #world: World;
  readonly #host: string;
  readonly #log: KafkaLog;
  readonly #groups = new Map<string, Group>();
  #members = 0;

  constructor(world: World, host: string, log: KafkaLog) {
    this.#world = world;
    this.#host = host;
    this.#log = log;
  }

  names(): readonly string[] {
    return [...this.#groups.keys()];
  }

  join(
    name: string,
    memberId: string | undefined,
    options: Pick<Member, "topics" | "sessionMs" | "isAlive"> & { readonly consumer: string },
  ): Joined {
    const group = this.#group(name);
    let member = memberId === undefined ? undefined : group.members.get(memberId);
    if (member === undefined) {
      if (memberId !== undefined) throw new KafkaJSProtocolError("UNKNOWN_MEMBER_ID");
      this.#members += 1;
      const id = `${options.consumer}/${this.#members}`;
      member = {
        ...options,
        id,
        seenAt: this.#world.now,
        generation: -1,
        assignment: new Map<string, number[]>(),
      };
      group.members.set(id, member);
      this.#rebalance(group);
      this.#watch(group, member);
    }
    member.seenAt = this.#world.now;
    member.generation = group.generation;
    const [leaderId = member.id] = group.members.keys();
    const assignment = new Map(member.assignment);
    return { generation: group.generation, memberId: member.id, leaderId, assignment };
  }

  heartbeat(name: string, memberId: string, generation: number): void {
    const { group, member } = this.#member(name, memberId);
    member.seenAt = this.#world.now;
    if (generation === group.generation) return;
    throw new KafkaJSProtocolError("REBALANCE_IN_PROGRESS");
  }

  leave(name: string, memberId: string): void {
    const group = this.#groups.get(name);
    if (group?.members.delete(memberId) === true) this.#rebalance(group);
  }

  /** Removes all members that match, as a coordinator does that has lost its state. */
  evict(name: string, matches: (memberId: string) => boolean): void {
    const group = this.#group(name);
    for (const id of [...group.members.keys()]) if (matches(id)) group.members.delete(id);
    this.#rebalance(group);
  }

  ownedBy(name: string, memberId: string): Assignment {
    return this.#groups.get(name)?.members.get(memberId)?.assignment ?? new Map();
  }

  committed(name: string, topic: string, partition: number): number | undefined {
    return this.#groups.get(name)?.committed.get(`${topic}/${partition}`);
  }

  /** Returns what the last commit of a partition said besides its offset. */
  metadataOf(name: string, topic: string, partition: number): string | null {
    return this.#groups.get(name)?.metadata.get(`${topic}/${partition}`) ?? null;
  }

  commit(
    name: string,
    memberId: string,
    generation: number,
    offsets: readonly OffsetCommit[],
  ): void {
    const refused = this.#refusal(name, memberId, generation);
    for (const offset of offsets) this.#traceCommit(memberId, offset, refused?.type ?? "");
    if (refused !== undefined) throw refused;
    for (const offset of offsets) this.#take(this.#group(name), memberId, offset);
  }

  #refusal(name: string, memberId: string, generation: number): KafkaJSProtocolError | undefined {
    const group = this.#groups.get(name);
    const member = group?.members.get(memberId);
    if (group === undefined || member === undefined) {
      return new KafkaJSProtocolError("UNKNOWN_MEMBER_ID");
    }
    member.seenAt = this.#world.now;
    if (generation === group.generation) return undefined;
    return new KafkaJSProtocolError("ILLEGAL_GENERATION");
  }

  #traceCommit(
    memberId: string,
    { topic, partition, offset }: OffsetCommit,
    refused: string,
  ): void {
    const records = this.#log.partition(topic, partition)?.records ?? [];
    const ref = records.findLast((record) => record.offset < offset)?.ref ?? "";
    const handle = `${topic}/${partition}@${offset}`;
    const body = { kind: "settle", ref, consumer: memberId, handle, act: "commit" } as const;
    this.#world.trace.emit(this.#host, { ...body, refused });
  }

  #take(
    group: Group,
    memberId: string,
    { topic, partition, offset, metadata }: OffsetCommit,
  ): void {
    const place = `${topic}/${partition}`;
    if (metadata === undefined || metadata === null || metadata === "")
      group.metadata.delete(place);
    else group.metadata.set(place, metadata);
    const from = group.committed.get(place) ?? 0;
    group.committed.set(place, offset);
    for (const record of this.#log.partition(topic, partition)?.records ?? []) {
      if (record.offset < from || record.offset >= offset || record.ref === "") continue;
      const { ref } = record;
      this.#world.trace.emit(this.#host, { kind: "settled", ref, consumer: memberId });
    }
  }

  /** Returns the records of a partition from the group's committed offset on. */
  uncommitted(name: string, { topic, number, records }: Partition): readonly StoredRecord[] {
    const from = this.committed(name, topic, number) ?? 0;
    return records.filter(({ offset }) => offset >= from);
  }

  #group(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group: Group = {
      ...{ name, generation: 0, members: new Map(), committed: new Map(), metadata: new Map() },
    };
    this.#groups.set(name, group);
    return group;
  }

  #member(name: string, memberId: string): { readonly group: Group; readonly member: Member } {
    const group = this.#groups.get(name);
    const member = group?.members.get(memberId);
    if (group === undefined || member === undefined) {
      throw new KafkaJSProtocolError("UNKNOWN_MEMBER_ID");
    }
    return { group, member };
  }

  /** Removes a member whose session times out. */
  #watch(group: Group, member: Member): void {
    const dueMs = member.seenAt + member.sessionMs - this.#world.now;
    this.#world.schedule(Math.max(1, dueMs), { lane: this.#host, hop: false }, () => {
      if (group.members.get(member.id) !== member) return;
      if (this.#world.now - member.seenAt < member.sessionMs) {
        this.#watch(group, member);
        return;
      }
      group.members.delete(member.id);
      if (member.isAlive()) {
        this.#world.trace.emit(this.#host, { kind: "lapsed", consumer: member.id, ref: "" });
      }
      this.#rebalance(group);
    });
  }

  /** Assigns partitions topic by topic, round robin over the members in order of their ids. */
  #rebalance(group: Group): void {
    group.generation += 1;
    const members = [...group.members.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const topics = new Set(members.flatMap((member) => member.topics));
    for (const member of members) member.assignment = new Map();
    for (const topic of [...topics].toSorted()) {
      const readers = members.filter((member) => member.topics.includes(topic));
      for (const { number } of this.#log.partitionsOf(topic)) {
        const { assignment } = readers[number % readers.length] as Member;
        assignment.set(topic, [...(assignment.get(topic) ?? []), number]);
      }
    }
  }
}
