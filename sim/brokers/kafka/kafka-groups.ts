import type { World } from "../../kernel/world.ts";
import { Copies } from "./copies.ts";
import { KafkaJSProtocolError } from "./kafka-errors.ts";
import {
  emptyGroup,
  type Group,
  type GroupState,
  isRival,
  type Joined,
  joinedAs,
  leaderOf,
  type Member,
} from "./kafka-group.ts";
import type { KafkaLog, Partition, StoredRecord } from "./kafka-log.ts";

/** A member that has joined, while the coordinator still waits for others. */
export interface Joining {
  readonly memberId: string;
  readonly generation: undefined;
  /** The number of the rebalance that is under way. */
  readonly rebalance: number;
}

/** The offset of one partition in a commit. */
export interface OffsetCommit {
  readonly topic: string;
  readonly partition: number;
  /** The next one to read; -1 or -2 have the group start anew, at its own choice. */
  readonly offset: number;
  readonly metadata?: string | null;
  /** The epoch of the leader from which the record before was read, if the client knows it. */
  readonly leaderEpoch?: number | null;
}

/**
 * The group coordinator: members, generations, committed offsets.
 *
 * Holds: a commit is cumulative per partition and names the next offset to read. It is refused if
 * the client is not a member or has an older generation; whether it owns the partition, or moves
 * the offset backwards, is not checked, as in Kafka. A rebalance begins when a member joins or
 * goes: heartbeats report it, commits of the generation that still is are taken, and nobody gets
 * partitions before all members have joined again or the rebalance timeout has put them out.
 *
 * Source: Apache Kafka 3.9, GroupCoordinator (classic protocol)
 */
export class KafkaGroups {
  readonly #world: World;
  readonly #host: string;
  readonly #copies: Copies;
  readonly #log: KafkaLog;
  readonly #groups = new Map<string, Group>();
  readonly #waiting = new Map<string, () => void>();
  #members = 0;
  #rebalances = 0;
  /** Of how many of the next commits the last partition is refused; set by a disturbance. */
  commitsToRefuse = 0;

  constructor(world: World, host: string, log: KafkaLog) {
    this.#world = world;
    this.#host = host;
    this.#log = log;
    this.#copies = new Copies(log);
  }

  names(): readonly string[] {
    return [...this.#groups.keys()];
  }

  /**
   * Returns the id with which a client that has none has to join, and waits for it.
   *
   * Why so: clients that begin at the same time join one rebalance, not two.
   */
  enter(name: string, consumer: string, sessionMs: number): string {
    const group = this.#group(name);
    const id = this.#newId(consumer);
    group.pending.add(id);
    this.#world.schedule(sessionMs, { lane: this.#host, hop: false }, () => {
      if (group.pending.delete(id)) this.#completeIfAllJoined(group);
    });
    return id;
  }

  /**
   * Joins a group, or joins it again; without an id, as one who is at the server itself.
   *
   * @returns the assignment, if no other member has to join again first
   * @throws {KafkaJSProtocolError} when the coordinator does not know the member
   */
  join(
    name: string,
    memberId: string | undefined,
    options: Pick<Member, "topics" | "sessionMs" | "rebalanceMs" | "isAlive"> & {
      readonly consumer: string;
    },
  ): Joined | Joining {
    const group = this.#group(name);
    let member = memberId === undefined ? undefined : group.members.get(memberId);
    if (member === undefined) {
      if (memberId !== undefined && !group.pending.delete(memberId)) {
        throw new KafkaJSProtocolError("UNKNOWN_MEMBER_ID");
      }
      member = this.#admit(group, memberId ?? this.#newId(options.consumer), options);
      this.#prepare(group);
    } else if (group.preparing === undefined && this.#asksAnew(group, member, options.topics)) {
      this.#prepare(group);
    }
    member.topics = options.topics;
    member.seenAt = this.#world.now;
    if (group.preparing !== undefined) {
      member.hasJoined = true;
      this.#completeIfAllJoined(group);
    }
    const { preparing: rebalance } = group;
    if (rebalance !== undefined) return { memberId: member.id, generation: undefined, rebalance };
    return joinedAs(group, member);
  }

  /**
   * Returns what a member learns at the end of a rebalance; undefined while one is under way.
   *
   * @throws {KafkaJSProtocolError} when the coordinator does not know the member
   */
  joined(name: string, memberId: string): Joined | undefined {
    const { group, member } = this.#member(name, memberId);
    if (group.preparing !== undefined) return undefined;
    member.seenAt = this.#world.now;
    return joinedAs(group, member);
  }

  /**
   * Calls `wake` once the rebalance that a member joined has ended, or it is put out; the returned
   * object's disposal prevents that.
   */
  onRebalanced(name: string, { memberId, rebalance }: Joining, wake: () => void): Disposable {
    const group = this.#groups.get(name);
    const isUnderWay = group?.preparing === rebalance && group.members.has(memberId);
    if (isUnderWay) this.#waiting.set(memberId, wake);
    else wake();
    return { [Symbol.dispose]: () => void this.#waiting.delete(memberId) };
  }

  heartbeat(name: string, memberId: string, generation: number): void {
    const { group, member } = this.#member(name, memberId);
    if (generation !== group.generation) throw new KafkaJSProtocolError("ILLEGAL_GENERATION");
    member.seenAt = this.#world.now;
    if (group.preparing !== undefined) throw new KafkaJSProtocolError("REBALANCE_IN_PROGRESS");
  }

  leave(name: string, memberId: string): void {
    const group = this.#groups.get(name);
    if (group?.members.delete(memberId) === true) this.#prepare(group);
  }

  /** Removes all members that match, as a coordinator does that has lost its state. */
  evict(name: string, matches: (memberId: string) => boolean): void {
    const group = this.#group(name);
    for (const id of [...group.pending].filter(matches)) group.pending.delete(id);
    for (const id of [...group.members.keys()].filter(matches)) {
      group.members.delete(id);
      this.#waiting.get(id)?.();
    }
    this.#prepare(group);
  }

  stateOf(name: string): GroupState {
    const group = this.#groups.get(name);
    if (group === undefined) return "Dead";
    if (group.members.size === 0) return "Empty";
    return group.preparing === undefined ? "Stable" : "PreparingRebalance";
  }

  membersOf(name: string): readonly string[] {
    return [...(this.#groups.get(name)?.members.keys() ?? [])];
  }

  /** Commits as an operator does, for a group without members. */
  set(name: string, who: string, offsets: readonly OffsetCommit[]): void {
    for (const offset of offsets) {
      this.#traceCommit(who, offset, "");
      this.#take(this.#group(name), who, offset);
    }
  }

  committed(name: string, topic: string, partition: number): number | undefined {
    return this.#groups.get(name)?.committed.get(`${topic}/${partition}`);
  }

  /** Returns what the last commit of a partition said besides its offset. */
  metadataOf(name: string, topic: string, partition: number): string | null {
    return this.#groups.get(name)?.metadata.get(`${topic}/${partition}`) ?? null;
  }

  /** Returns the epoch that the last commit of a partition said, if it said one. */
  leaderEpochOf(name: string, topic: string, partition: number): number | undefined {
    return this.#groups.get(name)?.leaderEpochs.get(`${topic}/${partition}`);
  }

  /**
   * Commits an offset for each of these partitions, cumulatively.
   *
   * @throws {KafkaJSProtocolError} when the member is not of this generation, and then nothing is
   *   committed; when one partition is refused, and then the others are
   */
  commit(
    name: string,
    memberId: string,
    generation: number,
    offsets: readonly OffsetCommit[],
  ): void {
    const refused = this.#refusal(name, memberId, generation);
    const partlyRefused = refused === undefined ? this.#refusalOfOne(memberId, offsets) : undefined;
    for (const [at, offset] of offsets.entries()) {
      const error = refused ?? (partlyRefused?.at === at ? partlyRefused.error : undefined);
      this.#traceCommit(memberId, offset, error?.type ?? "");
    }
    if (refused !== undefined) throw refused;
    const taken = offsets.filter((_, at) => at !== partlyRefused?.at);
    for (const offset of taken) this.#take(this.#group(name), memberId, offset);
    if (partlyRefused !== undefined) throw partlyRefused.error;
  }

  /** The error of one partition of a commit, whose others are taken. */
  #refusalOfOne(
    memberId: string,
    offsets: readonly OffsetCommit[],
  ): { readonly at: number; readonly error: KafkaJSProtocolError } | undefined {
    const unknown = offsets.findIndex(
      ({ topic, partition }) => this.#log.partition(topic, partition) === undefined,
    );
    if (unknown !== -1) {
      return { at: unknown, error: new KafkaJSProtocolError("UNKNOWN_TOPIC_OR_PARTITION") };
    }
    if (this.commitsToRefuse === 0 || isRival(memberId)) return undefined;
    this.commitsToRefuse -= 1;
    const error = new KafkaJSProtocolError("UNKNOWN_TOPIC_OR_PARTITION");
    return { at: offsets.length - 1, error };
  }

  #refusal(name: string, memberId: string, generation: number): KafkaJSProtocolError | undefined {
    const group = this.#groups.get(name);
    const member = group?.members.get(memberId);
    // Whoever is no member yet may commit in a group without any.
    if (generation < 0 && (group?.members.size ?? 0) === 0) return undefined;
    if (group === undefined || member === undefined) {
      return new KafkaJSProtocolError("UNKNOWN_MEMBER_ID");
    }
    member.seenAt = this.#world.now;
    if (generation !== group.generation) return new KafkaJSProtocolError("ILLEGAL_GENERATION");
    if (!this.#log.denial.isOn || isRival(memberId)) return undefined;
    return new KafkaJSProtocolError("TOPIC_AUTHORIZATION_FAILED");
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
    { topic, partition, offset, metadata, leaderEpoch }: OffsetCommit,
  ): void {
    const place = `${topic}/${partition}`;
    group.leaderEpochs.delete(place);
    if ((leaderEpoch ?? -1) >= 0) group.leaderEpochs.set(place, leaderEpoch as number);
    if (metadata === undefined || metadata === null || metadata === "")
      group.metadata.delete(place);
    else group.metadata.set(place, metadata);
    const from = group.committed.get(place) ?? 0;
    group.committed.set(place, offset);
    for (const record of this.#log.partition(topic, partition)?.records ?? []) {
      if (record.offset < from || record.offset >= offset || record.ref === "") continue;
      const { ref } = record;
      const consumer = this.#copies.settledBy(memberId, group.committed, ref);
      if (consumer === undefined) continue;
      this.#world.trace.emit(this.#host, { kind: "settled", ref, consumer });
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
    const group = emptyGroup(name);
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

  /** Whether a member that joins again has the partitions assigned anew. */
  #asksAnew(group: Group, { id, topics }: Member, now: readonly string[]): boolean {
    return leaderOf(group) === id || topics.join() !== now.join();
  }

  #newId(consumer: string): string {
    this.#members += 1;
    return `${consumer}/${this.#members}`;
  }

  #admit(group: Group, id: string, options: Parameters<KafkaGroups["join"]>[2]): Member {
    const { topics, sessionMs, rebalanceMs, isAlive } = options;
    const member: Member = {
      ...{ id, topics, sessionMs, rebalanceMs, isAlive },
      seenAt: this.#world.now,
      hasJoined: false,
      assignment: new Map(),
    };
    group.members.set(member.id, member);
    this.#watch(group, member);
    return member;
  }

  /** Removes a member whose session times out; one that waits for the others does not. */
  #watch(group: Group, member: Member): void {
    const dueMs = member.seenAt + member.sessionMs - this.#world.now;
    this.#world.schedule(Math.max(1, dueMs), { lane: this.#host, hop: false }, () => {
      if (group.members.get(member.id) !== member) return;
      if (member.hasJoined) member.seenAt = this.#world.now;
      if (this.#world.now - member.seenAt < member.sessionMs) {
        this.#watch(group, member);
        return;
      }
      this.#expire(group, member);
      this.#prepare(group);
    });
  }

  #expire(group: Group, member: Member): void {
    group.members.delete(member.id);
    if (!member.isAlive()) return;
    this.#world.trace.emit(this.#host, { kind: "lapsed", consumer: member.id, ref: "" });
  }

  /** Begins a rebalance: all members have to join again, within the longest time that one asked. */
  #prepare(group: Group): void {
    if (group.preparing === undefined) {
      this.#rebalances += 1;
      const number = this.#rebalances;
      group.preparing = number;
      const waitMs = Math.max(1, ...[...group.members.values()].map((one) => one.rebalanceMs));
      this.#world.schedule(waitMs, { lane: this.#host, hop: false }, () => {
        if (group.preparing === number) this.#complete(group);
      });
    }
    this.#completeIfAllJoined(group);
  }

  #completeIfAllJoined(group: Group): void {
    if (group.preparing === undefined || group.pending.size > 0) return;
    if ([...group.members.values()].every(({ hasJoined }) => hasJoined)) this.#complete(group);
  }

  /** Ends a rebalance: members that have not joined again are put out, the others get partitions. */
  #complete(group: Group): void {
    for (const member of [...group.members.values()]) {
      if (!member.hasJoined) this.#expire(group, member);
      member.hasJoined = false;
      member.seenAt = this.#world.now;
    }
    group.preparing = undefined;
    group.generation += 1;
    this.#assign(group);
    for (const id of [...group.members.keys()]) this.#waiting.get(id)?.();
  }

  /** Assigns partitions topic by topic, round robin over the members in order of their ids. */
  #assign(group: Group): void {
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
