import type { ClientPort } from "../broker.ts";
import { type RetryOptions, retried } from "./kafka-calls.ts";
import {
  isNamed,
  isRebalancing,
  isUnknownMember,
  KafkaJSError,
  KafkaJSProtocolError,
  KafkaJSRequestTimeoutError,
} from "./kafka-errors.ts";
import type { Assignment, Joined } from "./kafka-group.ts";
import type { Joining, KafkaGroups, OffsetCommit } from "./kafka-groups.ts";
import type { MemberLink } from "./kafka-link.ts";
import type { KafkaLog } from "./kafka-log.ts";

/** What a membership needs from its consumer. */
export interface MembershipParts {
  readonly port: ClientPort;
  readonly link: MemberLink;
  readonly log: KafkaLog;
  readonly groups: KafkaGroups;
  readonly consumer: string;
  readonly groupId: string;
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  readonly retry: RetryOptions;
  /** For each topic, whether a group without a committed offset starts at the beginning. */
  readonly topics: ReadonlyMap<string, boolean>;
  /** Called when a group without a committed offset starts at the end of a partition. */
  readonly onStartAtEnd: (topic: string, partition: number) => void;
}

/** How much longer than the rebalance timeout the library waits for the reply to a join. */
const JOIN_REPLY_MS = 5_000;
const NOBODY: Joined = { generation: -1, memberId: "", leaderId: "", assignment: new Map() };

/**
 * A consumer's membership of its group, and its position in each assigned partition.
 *
 * Holds: after each join, reading begins at the committed offsets.
 */
export class KafkaMembership {
  readonly #parts: MembershipParts;
  #joined: Joined = NOBODY;
  #memberId = "";
  #isMember = false;
  #isAbandoned = false;
  #giveUp: (() => void) | undefined;
  readonly #resolved = new Map<string, number>();
  readonly #committed = new Map<string, number>();
  /** Committed offsets that the library does not recognise as those that it has resolved. */
  readonly #unlike = new Set<string>();
  /** Positions that are the committed offsets themselves. */
  readonly #begun = new Set<string>();

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  get groupId(): string {
    return this.#parts.groupId;
  }

  get memberId(): string {
    return this.#memberId;
  }

  get generation(): number {
    return this.#joined.generation;
  }

  get leaderId(): string {
    return this.#joined.leaderId;
  }

  get assignment(): Assignment {
    return this.#joined.assignment;
  }

  owns(topic: string, partition: number): boolean {
    return this.#joined.assignment.get(topic)?.includes(partition) === true;
  }

  forget(): void {
    this.#isMember = false;
  }

  /** From now on it waits for no rebalance any more: a join that does fails. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#giveUp?.();
  }

  join(): Promise<void> {
    const { port, retry } = this.#parts;
    return retried(
      port,
      retry,
      async () => {
        try {
          if (!this.#parts.link.isUp) await this.#parts.link.findCoordinator();
          this.#joined = await this.#joinOnce();
          this.#resolved.clear();
          this.#committed.clear();
          this.#unlike.clear();
          this.#begun.clear();
        } catch (error) {
          if (isUnknownMember(error)) this.#isMember = false;
          if (!isUnknownMember(error) && !isRebalancing(error)) throw error;
          throw new KafkaJSError((error as Error).message);
        }
      },
      isFinal,
    );
  }

  /** Joins, and waits until all other members have joined, too, or were put out. */
  async #joinOnce(): Promise<Joined> {
    const { port, link, groups, groupId, topics, consumer } = this.#parts;
    const { sessionMs, rebalanceMs } = this.#parts;
    const isAlive = (): boolean => port.alive;
    const options = { topics: [...topics.keys()], sessionMs, rebalanceMs, isAlive, consumer };
    const memberId = this.#isMember
      ? this.#memberId
      : await link.request("broker.session", () => groups.enter(groupId, consumer, sessionMs));
    const reply = await link.request("broker.session", () =>
      groups.join(groupId, memberId, options),
    );
    this.#memberId = reply.memberId;
    this.#isMember = true;
    if (reply.generation !== undefined) return reply;
    await this.#untilRebalanced(reply);
    const joined = await link.request("broker.session", () =>
      groups.joined(groupId, reply.memberId),
    );
    if (joined === undefined) throw new KafkaJSProtocolError("REBALANCE_IN_PROGRESS");
    return joined;
  }

  /** Resolves at the end of the rebalance; rejects when that takes too long. */
  #untilRebalanced(joining: Joining): Promise<void> {
    const { port, link, groups, groupId, rebalanceMs } = this.#parts;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        port.clock.clearTimer(timer);
        news[Symbol.dispose]();
        closing[Symbol.dispose]();
        this.#giveUp = undefined;
        settle();
      };
      const fail = (): void =>
        end(() => reject(new KafkaJSRequestTimeoutError("Request JoinGroup timed out")));
      const timer = port.clock.setTimer(rebalanceMs + JOIN_REPLY_MS, fail);
      this.#giveUp = fail;
      const closing = link.onClosed((error) => void port.after(1, () => end(() => reject(error))));
      const news = groups.onRebalanced(
        groupId,
        joining,
        () => void port.after(1, () => end(resolve)),
      );
      if (this.#isAbandoned) fail();
    });
  }

  async leave(): Promise<void> {
    if (!this.#isMember) return;
    this.#isMember = false;
    const { link, groups, groupId } = this.#parts;
    const memberId = this.#memberId;
    await link.request("broker.session", () => groups.leave(groupId, memberId));
  }

  async heartbeat(): Promise<void> {
    const { link, groups, groupId } = this.#parts;
    const { generation } = this.#joined;
    const memberId = this.#memberId;
    await link.request("broker.session", () => groups.heartbeat(groupId, memberId, generation));
  }

  /**
   * Commits with the current generation, not that of the read, as the library does. What
   * `onCommitted` throws is thrown before the commit is remembered.
   */
  async commit(
    offsets: readonly OffsetCommit[],
    isAlike = true,
    onCommitted: () => void = () => undefined,
  ): Promise<void> {
    const { link, groups, groupId } = this.#parts;
    const { generation } = this.#joined;
    const memberId = this.#memberId;
    if (!link.isUp) await link.findBroker();
    await link.request("broker.settle", () =>
      groups.commit(groupId, memberId, generation, offsets),
    );
    onCommitted();
    for (const { topic, partition, offset } of offsets) {
      const place = `${topic}/${partition}`;
      this.#committed.set(place, offset);
      this.#begun.delete(place);
      if (isAlike) this.#unlike.delete(place);
      else this.#unlike.add(place);
    }
  }

  resolve(topic: string, partition: number, nextOffset: number): void {
    if (!this.owns(topic, partition)) return;
    const place = `${topic}/${partition}`;
    this.#resolved.set(place, nextOffset);
    this.#begun.delete(place);
  }

  /** Returns the offsets that are resolved and not committed yet. */
  uncommitted(): readonly OffsetCommit[] {
    const offsets: OffsetCommit[] = [];
    for (const [topic, partitions] of this.#joined.assignment) {
      for (const partition of partitions) {
        const place = `${topic}/${partition}`;
        const offset = this.#resolved.get(place);
        const isKnown =
          this.#begun.has(place) ||
          (offset === this.#committed.get(place) && !this.#unlike.has(place));
        if (offset === undefined || offset < 0 || isKnown) continue;
        offsets.push({ topic, partition, offset });
      }
    }
    return offsets;
  }

  /** Returns how many records are resolved and not committed, counted by their offsets. */
  resolvedCount(): number {
    let count = 0;
    for (const [place, offset] of this.#resolved)
      count += offset - (this.#committed.get(place) ?? 0);
    return count;
  }

  clear(topic: string, partition: number): void {
    const place = `${topic}/${partition}`;
    for (const known of [this.#resolved, this.#committed, this.#unlike, this.#begun]) {
      known.delete(place);
    }
  }

  /**
   * Returns where a fetch goes on. Where nothing was read yet it begins at the committed offset,
   * and from then on a commit no longer moves it.
   */
  nextOffset(topic: string, partition: number): number | undefined {
    const offset = this.#position(topic, partition);
    const place = `${topic}/${partition}`;
    if (offset === undefined || this.#resolved.has(place)) return offset;
    this.#resolved.set(place, offset);
    this.#begun.add(place);
    return offset;
  }

  #position(topic: string, partition: number): number | undefined {
    const place = `${topic}/${partition}`;
    return this.#resolved.get(place) ?? this.#committed.get(place);
  }

  /** Fetches the committed offsets of partitions whose position is not known yet. */
  async lookUp(): Promise<void> {
    const unknown: (readonly [topic: string, partition: number])[] = [];
    for (const [topic, partitions] of this.#joined.assignment) {
      for (const partition of partitions) {
        if (this.#position(topic, partition) === undefined) unknown.push([topic, partition]);
      }
    }
    if (unknown.length === 0) return;
    const { link } = this.#parts;
    const { generation } = this.#joined;
    if (!link.isUp) await link.findBroker();
    const found = await link.request("broker.fetch", () =>
      unknown.map(([topic, partition]) => this.#startOf(topic, partition)),
    );
    if (generation !== this.#joined.generation) return;
    for (const [at, [topic, partition]] of unknown.entries()) {
      this.#committed.set(`${topic}/${partition}`, found[at] as number);
    }
  }

  /** Whether a group without a committed offset starts at the beginning of this topic. */
  startsAtBeginning(topic: string): boolean {
    return this.#parts.topics.get(topic) === true;
  }

  #startOf(topic: string, number: number): number {
    const { groups, groupId, log, onStartAtEnd } = this.#parts;
    const committed = groups.committed(groupId, topic, number);
    if (committed !== undefined && committed >= 0) return committed;
    const partition = log.partition(topic, number);
    if (partition === undefined) throw new KafkaJSProtocolError("UNKNOWN_TOPIC_OR_PARTITION");
    if (this.startsAtBeginning(topic)) return partition.low;
    onStartAtEnd(topic, number);
    return partition.end;
  }
}

/** A join is tried again if the coordinator asks for it, and not after a network failure. */
function isFinal(error: unknown): boolean {
  return !isNamed(error, "KafkaJSError");
}
