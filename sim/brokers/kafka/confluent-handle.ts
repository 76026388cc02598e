import { ConfluentCommits } from "./confluent-commits.ts";
import { ConfluentFetcher, type TopicPartitionAt } from "./confluent-fetcher.ts";
import type { ConsumerSettings } from "./confluent-settings.ts";
import { pause, request } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import { isRebalancing, isUnknownMember } from "./kafka-errors.ts";
import { unseenLink } from "./kafka-link.ts";
import { KafkaMembership } from "./kafka-membership.ts";

/** What a rebalance asks of the consumer, which answers when it has nothing in hand. */
export interface RebalanceEvent {
  readonly kind: "assign" | "revoke";
  readonly partitions: TopicPartitionAt[];
  /** Whether others may have the partitions already. */
  readonly isLost: boolean;
}

export interface HandleParts extends ClientParts {
  readonly name: string;
  readonly settings: ConsumerSettings;
  /** Called when there are records or events to take. */
  readonly onAvailable: () => void;
}

type Outcome = "rebalance" | "lost" | "closing";

const JOIN_RETRY_MS = 300;

/**
 * What librdkafka does in the background for one consumer: it joins the group, sends heartbeats,
 * fetches ahead, and commits.
 *
 * Holds: heartbeats go on while a handler works; a rebalance waits until the consumer has nothing
 * in hand and answers the event, for as long as `maxPollMs`; then the member leaves the group.
 *
 * Source: librdkafka 2.15.1, rdkafka_cgrp.c and rdkafka_assignment.c
 */
export class ConfluentHandle {
  readonly commits: ConfluentCommits;
  readonly fetcher: ConfluentFetcher;
  /** What was to be assigned when the callback failed at it: librdkafka waits for an answer then. */
  unanswered: readonly TopicPartitionAt[] | undefined;
  readonly #parts: HandleParts;
  readonly #membership: KafkaMembership;
  readonly #topics = new Map<string, boolean>();
  #patterns: readonly string[] = [];
  readonly #events: RebalanceEvent[] = [];
  #assigned: readonly TopicPartitionAt[] = [];
  #isRunning = false;
  #isClosing = false;
  /** Set when the coordinator has refused a commit. */
  #isFenced = false;
  #isResubscribed = false;
  #polledAt = 0;
  #heardAt = 0;
  #wake: (() => void) | undefined;
  #group: Promise<void> = Promise.resolve();

  constructor(parts: HandleParts) {
    this.#parts = parts;
    const { port, host, log, groups, settings, onStartAtEnd, onAvailable } = parts;
    const { groupId, sessionMs, maxPollMs, resetTo } = settings;
    const membership = new KafkaMembership({
      ...{ port, log, groups, groupId, sessionMs, onStartAtEnd },
      link: unseenLink(port, host),
      ...{ consumer: parts.name, rebalanceMs: maxPollMs, retry: {}, topics: this.#topics },
    });
    this.#membership = membership;
    this.fetcher = new ConfluentFetcher({
      ...{ port, host, log, groups, groupId, resetTo, onStartAtEnd, onRecords: onAvailable },
      consumer: () => membership.memberId,
    });
    this.commits = new ConfluentCommits({
      ...{ port, host, groups, groupId },
      identity: () => ({ memberId: membership.memberId, generation: membership.generation }),
      onFenced: (isUnknown) => this.#fence(isUnknown),
    });
  }

  /** Has the group read these topics: names, or patterns that begin with "^". */
  subscribe(patterns: readonly string[]): void {
    this.#patterns = patterns;
    this.#isResubscribed = true;
    this.#wake?.();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#polledAt = this.#parts.port.clock.now();
    this.#group = this.#run();
    void this.#autoCommit();
  }

  /** Notes that the consumer has asked, and returns the event that it has to answer first. */
  poll(): RebalanceEvent | undefined {
    this.#polledAt = this.#parts.port.clock.now();
    return this.#events.shift();
  }

  get hasEvent(): boolean {
    return this.#events.length > 0;
  }

  get assignment(): readonly TopicPartitionAt[] {
    return this.#assigned;
  }

  assign(partitions: readonly TopicPartitionAt[]): void {
    this.#assigned = partitions.map(({ topic, partition }) => ({ topic, partition }));
    this.commits.forget();
    this.fetcher.assign(partitions);
  }

  /** Gives the partitions up, and commits what is stored, unless others have them already. */
  unassign(isLost: boolean): void {
    this.fetcher.stop();
    if (this.#parts.settings.isAutoCommit && !isLost) this.commits.commitStored();
    this.#assigned = [];
    this.#wake?.();
  }

  /** Returns the committed offsets; -1001, librdkafka's "none", becomes undefined. */
  async committed(
    partitions: readonly TopicPartitionAt[],
  ): Promise<readonly (number | undefined)[]> {
    const { port, host, groups, settings } = this.#parts;
    // One connection has both: what was committed before is answered before.
    await this.commits.settled();
    return await request(port, "broker.fetch", host, () =>
      partitions.map(({ topic, partition }) =>
        groups.committed(settings.groupId, topic, partition),
      ),
    );
  }

  metadataOf({ topic, partition }: TopicPartitionAt): string | null {
    const { groups, settings } = this.#parts;
    return groups.metadataOf(settings.groupId, topic, partition);
  }

  leaderEpochOf({ topic, partition }: TopicPartitionAt): number | undefined {
    const { groups, settings } = this.#parts;
    return groups.leaderEpochOf(settings.groupId, topic, partition);
  }

  /** Leaves the group, after what was queued to be committed. The partitions are given up. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.commits.close();
    this.#membership.abandon();
    this.fetcher.stop();
    this.#wake?.();
    await this.commits.settled();
    await this.#group;
    await this.#leave();
  }

  async #leave(): Promise<void> {
    try {
      await this.#membership.leave();
    } catch {
      // The coordinator removes the member when its session times out.
    }
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      if (!(await this.#join())) continue;
      const { assignment } = this.#membership;
      const partitions = [...assignment].flatMap(([topic, numbers]) =>
        numbers.map((partition) => ({ topic, partition })),
      );
      this.#tell({ kind: "assign", partitions, isLost: false });
      const outcome = await this.#stay();
      if (this.unanswered !== undefined) await this.#untilClosing(outcome);
      if (this.#isClosing) return;
      this.fetcher.suspend();
      this.#tell({ kind: "revoke", partitions, isLost: outcome === "lost" });
      await this.#untilAnswered();
      await this.commits.settled();
    }
  }

  #tell(event: RebalanceEvent): void {
    this.#events.push(event);
    this.#parts.onAvailable();
  }

  /** Returns whether it has joined; it has not if the network failed, which takes a pause. */
  async #join(): Promise<boolean> {
    const { port } = this.#parts;
    this.#isResubscribed = false;
    this.#isFenced = false;
    this.#findTopics();
    try {
      await this.#membership.join();
      this.#heardAt = port.clock.now();
      return true;
    } catch {
      await pause(port, JOIN_RETRY_MS);
      return false;
    }
  }

  /** The library refreshes what it knows of the topics in the background. */
  #findTopics(): void {
    const { log, settings } = this.#parts;
    const names = this.#patterns.flatMap((one) =>
      one.startsWith("^") ? log.topics().filter((name) => new RegExp(one).test(name)) : [one],
    );
    log.offer(names);
    this.#topics.clear();
    for (const name of names) this.#topics.set(name, settings.resetTo === "beginning");
  }

  /** Sends heartbeats until the member has to give up its partitions. */
  async #stay(): Promise<Outcome> {
    for (;;) {
      if (!this.#isTold()) await this.#pauseUntilWoken();
      if (this.#isClosing) return "closing";
      if (this.#isFenced) return "lost";
      if (this.#isResubscribed) return "rebalance";
      const outcome = await this.#beat();
      if (outcome !== undefined) return outcome;
    }
  }

  #isTold(): boolean {
    return this.#isClosing || this.#isFenced || this.#isResubscribed;
  }

  async #beat(): Promise<Outcome | undefined> {
    const { port, settings } = this.#parts;
    const { maxPollMs, sessionMs } = settings;
    if (port.clock.now() - this.#polledAt > maxPollMs) {
      await this.#leave();
      return "lost";
    }
    try {
      await this.#membership.heartbeat();
      this.#heardAt = port.clock.now();
    } catch (error) {
      if (isUnknownMember(error)) {
        this.#membership.forget();
        return "lost";
      }
      if (isRebalancing(error)) return isStale(error) ? "lost" : "rebalance";
      if (port.clock.now() - this.#heardAt >= sessionMs) return "lost";
    }
    return undefined;
  }

  /** Sends heartbeats until the consumer has given its partitions up. */
  async #untilAnswered(): Promise<void> {
    while (!this.#isClosing && (this.hasEvent || this.#assigned.length > 0)) {
      await this.#pauseUntilWoken();
      const isDue = !this.#isClosing && (this.hasEvent || this.#assigned.length > 0);
      if (isDue) await this.#beat();
    }
  }

  /** Sends heartbeats and takes part in no rebalance, which holds up the others of the group. */
  async #untilClosing(left: Outcome): Promise<void> {
    let outcome: Outcome | undefined = left;
    while (!this.#isClosing) {
      await this.#pauseUntilWoken();
      if (!this.#isClosing && outcome !== "lost") outcome = await this.#beat();
    }
  }

  #fence(isUnknown: boolean): void {
    if (isUnknown) this.#membership.forget();
    this.#isFenced = true;
    this.#wake?.();
  }

  async #autoCommit(): Promise<void> {
    const { port, settings } = this.#parts;
    if (!settings.isAutoCommit) return;
    while (!this.#isClosing) {
      await pause(port, settings.autoCommitMs);
      if (!this.#isClosing && this.#assigned.length > 0) this.commits.commitStored();
    }
  }

  #pauseUntilWoken(): Promise<void> {
    const { port, settings } = this.#parts;
    return new Promise((resolve) => {
      const done = (): void => {
        port.clock.clearTimer(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = port.clock.setTimer(settings.heartbeatMs, done);
      this.#wake = done;
    });
  }
}

/** Whether the coordinator has moved on without this member. */
function isStale(error: unknown): boolean {
  return (error as { readonly type?: unknown }).type === "ILLEGAL_GENERATION";
}
