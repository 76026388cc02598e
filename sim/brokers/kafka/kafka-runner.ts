import type { ClientPort } from "../broker.ts";
import { KafkaBatches, type ReadingState } from "./kafka-batches.ts";
import { isRetriable, pause, RETRY_DEFAULT, type RetryOptions, retried } from "./kafka-calls.ts";
import {
  isNamed,
  isOffsetOutOfRange,
  isRebalancing,
  isUnknownMember,
  KafkaJSNoBrokerAvailableError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  type KafkaJSOffsetOutOfRange,
  messageOf,
  type Thrown,
  KafkaJSProtocolError,
} from "./kafka-errors.ts";
import { CONSUMER_EVENTS, type Instrumentation } from "./kafka-events.ts";
import { tracedDelivery } from "./kafka-fetch.ts";
import type { Assignment } from "./kafka-group.ts";
import type { OffsetCommit } from "./kafka-groups.ts";
import type { KafkaLink } from "./kafka-link.ts";
import type { KafkaLog, StoredRecord } from "./kafka-log.ts";
import type { KafkaMembership } from "./kafka-membership.ts";
import { batchFrom, firstOf, type KafkaBatch, sizeOf } from "./kafka-message.ts";
import { commitsFrom, type RunConfig, type TopicCommits, topicOffsets } from "./kafka-payloads.ts";
import { NODE_ID } from "./kafka-topics.ts";
import { untilAppended } from "./kafka-wait.ts";

export interface RunnerParts {
  readonly port: ClientPort;
  readonly link: KafkaLink;
  readonly host: string;
  readonly log: KafkaLog;
  readonly membership: KafkaMembership;
  readonly events: Instrumentation;
  readonly state: ReadingState;
  readonly config: RunConfig;
  readonly retry: RetryOptions;
  readonly heartbeatMs: number;
  readonly maxWaitMs: number;
  /** A fetch waits until there is so much, and brings so much of one partition, about. */
  readonly minBytes: number;
  readonly maxBytesPerPartition: number;
  /** Connects the consumer if it is not. */
  readonly connect: () => Promise<void>;
  readonly onCrash: (error: Error) => void;
}

/**
 * The consumer's loop: it joins, fetches, calls the handler with each batch, and heartbeats in
 * between.
 *
 * Holds, as in the library: while a handler runs, nothing is fetched and only the handler sends
 * heartbeats; a commit whose reply was lost is retried with the consumer's generation at that time.
 */
export class KafkaRunner {
  readonly #parts: RunnerParts;
  readonly #batches: KafkaBatches;
  #isRunning = false;
  #isStopped = false;
  #loop: Promise<void> | undefined;
  /** As in the library, a join is no heartbeat: the next one is due from the last one, or the start. */
  #heardAt: number;
  #committedAt = 0;
  #beating: Promise<void> | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const { config, state, membership, events, port } = parts;
    this.#heardAt = port.clock.now();
    this.#batches = new KafkaBatches({
      ...{ config, state, membership, events },
      now: () => port.clock.now(),
      isRunning: () => this.#isRunning,
      heartbeat: () => this.#heartbeat(),
      commit: (topics = topicOffsets(membership.uncommitted())) => this.#commitNow(topics),
      commitIfNecessary: () => this.#commitIfNecessary(),
    });
  }

  get assignment(): Assignment {
    return this.#parts.membership.assignment;
  }

  async start(): Promise<void> {
    const joining = this.#begin();
    this.#loop = joining.catch(() => undefined);
    try {
      await joining;
    } catch (error) {
      this.#parts.onCrash(error as Error);
      return;
    }
    if (this.#isStopped) return;
    this.#isRunning = true;
    this.#loop = this.#run();
  }

  async #begin(): Promise<void> {
    const { link, connect } = this.#parts;
    await connect();
    if (!link.knowsBroker) await link.refresh();
    await this.#join();
  }

  /** Waits for the fetch that is under way, as the library does. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#isRunning = false;
    await this.#loop;
    await this.#leave();
  }

  async #leave(): Promise<void> {
    try {
      await this.#parts.membership.leave();
    } catch {
      // The coordinator removes the member when its session times out.
    }
  }

  /** Does nothing once the runner is stopped, as in the library. */
  async commit(topics: readonly TopicCommits[]): Promise<void> {
    const { port, retry } = this.#parts;
    if (!this.#isRunning) return;
    await retried(port, retry, async () => {
      try {
        await this.#commitNow(topics);
      } catch (error) {
        if (this.#isRunning) throw error;
      }
    });
  }

  async #commitNow(
    topics: readonly TopicCommits[] = topicOffsets(this.#parts.membership.uncommitted()),
  ): Promise<void> {
    const { membership, events, port } = this.#parts;
    if (topics.length > 0) {
      const { groupId, memberId, generation: groupGenerationId } = membership;
      // The library does not take its own text for what a caller has given as something else.
      const isText = ({ offset }: { readonly offset: unknown }): boolean =>
        typeof offset === "string";
      const isAlike = topics.every(({ partitions }) => partitions.every(isText));
      await membership.commit(commitsFrom(topics), isAlike, () => {
        const payload = { groupId, memberId, groupGenerationId, topics };
        events.emit(CONSUMER_EVENTS.COMMIT_OFFSETS, payload);
      });
    }
    this.#committedAt = port.clock.now();
  }

  async #run(): Promise<void> {
    const { port, retry } = this.#parts;
    const { retries, initialRetryTime, multiplier } = { ...RETRY_DEFAULT, ...retry };
    let failures = 0;
    let retryTime = initialRetryTime;
    let isFirst = true;
    while (this.#isRunning) {
      try {
        if (isFirst && !this.#parts.link.knowsBroker) throw new KafkaJSNoBrokerAvailableError();
        isFirst = false;
        await this.#cycle();
        failures = 0;
        retryTime = initialRetryTime;
      } catch (caught) {
        isFirst = true;
        const error = await this.#rejoin(caught);
        if (error === undefined) continue;
        if (!this.#isRunning) return;
        const isFatal = !isRetriable(error) || isNamed(error, "KafkaJSNoBrokerAvailableError");
        if (isFatal || failures >= retries) {
          this.#isRunning = false;
          await this.#leave();
          this.#parts.onCrash(crashFrom(error as Thrown, { isFatal, failures, retryTime }));
          return;
        }
        failures += 1;
        await pause(port, retryTime);
        retryTime *= multiplier;
      }
    }
  }

  /**
   * Joins again if the error was about the membership. Returns undefined if that succeeded,
   * otherwise the error that remains.
   */
  async #rejoin(error: unknown): Promise<unknown> {
    const { membership, events } = this.#parts;
    if (!isRebalancing(error) && !isUnknownMember(error)) return error;
    const { groupId, memberId } = membership;
    try {
      if (isRebalancing(error)) events.emit(CONSUMER_EVENTS.REBALANCING, { groupId, memberId });
      else membership.forget();
      if (this.#isRunning) await this.#join();
    } catch (failure) {
      return failure;
    }
    return undefined;
  }

  async #join(): Promise<void> {
    const { membership, events, port } = this.#parts;
    const startedAt = port.clock.now();
    await membership.join();
    this.#committedAt = port.clock.now();
    const { groupId, memberId, leaderId, assignment } = membership;
    events.emit(CONSUMER_EVENTS.GROUP_JOIN, {
      duration: port.clock.now() - startedAt,
      groupId,
      memberId,
      leaderId,
      isLeader: memberId === leaderId,
      groupProtocol: "RoundRobinAssigner",
      memberAssignment: Object.fromEntries(assignment),
    });
  }

  /** Partitions that are handled at the same time share one heartbeat. */
  async #heartbeat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    try {
      await this.#beating;
    } catch (error) {
      const { config } = this.#parts;
      const isDue = isRebalancing(error) && config.autoCommit !== false;
      if (isDue) await this.#commitNow();
      throw error;
    }
  }

  async #beat(): Promise<void> {
    const { port, membership, events, heartbeatMs } = this.#parts;
    if (port.clock.now() < this.#heardAt + heartbeatMs) return;
    const { groupId, memberId, generation: groupGenerationId } = membership;
    await membership.heartbeat();
    events.emit(CONSUMER_EVENTS.HEARTBEAT, { groupId, memberId, groupGenerationId });
    this.#heardAt = port.clock.now();
  }

  async #cycle(): Promise<void> {
    const { events, membership, link, port, maxWaitMs } = this.#parts;
    events.emit(CONSUMER_EVENTS.FETCH_START, { nodeId });
    let batches: readonly KafkaBatch[] = [];
    try {
      if (!link.knowsBroker) await link.refresh();
      await this.#applySeeks();
      await membership.lookUp();
      const positions = this.#positions();
      // Nothing wakes it before, as in the library: neither a resume nor a stop.
      if (positions.length === 0) await pause(port, atLeast(maxWaitMs));
      batches = positions.length === 0 ? [] : await this.#fetch(positions);
    } catch (error) {
      await this.#reconnect(error);
    }
    events.emit(CONSUMER_EVENTS.FETCH, { numberOfBatches: 0, duration: 0, nodeId });
    if (batches.length === 0) await this.#heartbeat();
    await this.#batches.work(batches);
  }

  /** A fetch that found no broker, or whose connection was closed, is taken to have brought nothing. */
  async #reconnect(error: unknown): Promise<void> {
    const { link } = this.#parts;
    if (isNamed(error, "KafkaJSConnectionClosedError")) link.forgetBroker();
    else if (isNamed(error, "KafkaJSBrokerNotFound")) await link.refresh();
    else throw error;
  }

  async #applySeeks(): Promise<void> {
    const { state, membership, config } = this.#parts;
    for (const [place, { topic, partition, offset }] of state.seeks) {
      state.seeks.delete(place);
      if (!membership.owns(topic, partition)) continue;
      if (config.autoCommit === false) {
        membership.resolve(topic, partition, offset);
      } else {
        await membership.commit([{ topic, partition, offset }]);
        membership.clear(topic, partition);
      }
    }
  }

  #positions(): readonly OffsetCommit[] {
    const { membership, state } = this.#parts;
    const positions: OffsetCommit[] = [];
    for (const [topic, partitions] of membership.assignment) {
      for (const partition of partitions) {
        if (state.paused.isPaused(topic, partition)) continue;
        const offset = membership.nextOffset(topic, partition);
        if (offset === undefined) continue;
        positions.push({ topic, partition, offset: Math.max(0, offset) });
      }
    }
    return positions;
  }

  async #fetch(positions: readonly OffsetCommit[]): Promise<readonly KafkaBatch[]> {
    const { port, host, link, log, membership, state } = this.#parts;
    const { minBytes, maxWaitMs, maxBytesPerPartition } = this.#parts;
    const { memberId: consumer } = membership;
    const read = (): readonly (readonly StoredRecord[])[] => {
      if (log.denial.isOn) throw new KafkaJSProtocolError("TOPIC_AUTHORIZATION_FAILED");
      return positions
        .map(({ topic, partition, offset }) =>
          firstOf(log.read(topic, partition, offset), maxBytesPerPartition),
        )
        .filter((records) => records.length > 0);
    };
    let found: readonly (readonly StoredRecord[])[] = [];
    const ends = new Map<string, number>();
    try {
      if (!link.isUp) await link.findBroker();
      if (minBytes > 1) await this.#untilEnough(read);
      const { records, appended } = await link.request("broker.fetch", () => {
        for (const { topic, partition } of positions) {
          ends.set(`${topic}/${partition}`, log.partition(topic, partition)?.end ?? 0);
        }
        const taken = tracedDelivery(port, host, consumer, read());
        return { records: taken, appended: log.appended };
      });
      found = records;
      if (found.length === 0) await untilAppended(this.#parts, appended, atLeast(maxWaitMs)).over;
    } catch (error) {
      if (!isOffsetOutOfRange(error)) throw error;
      await this.#recover(error);
    }
    return found
      .map((records) => records as readonly [StoredRecord, ...StoredRecord[]])
      .filter(([{ topic, partition }]) => {
        const place = `${topic}/${partition}`;
        return !state.seeks.has(place) && !state.paused.isPaused(topic, partition);
      })
      .map((records) => {
        const [{ topic, partition }] = records;
        return batchFrom(records, ends.get(`${topic}/${partition}`) as number);
      });
  }

  /** Commits that the group starts anew, at the beginning or the end, as the library does. */
  async #recover({ topic, partition }: KafkaJSOffsetOutOfRange): Promise<void> {
    const { membership } = this.#parts;
    const offset = membership.startsAtBeginning(topic) ? EARLIEST : LATEST;
    await membership.commit([{ topic, partition, offset }]);
    membership.clear(topic, partition);
  }

  async #commitIfNecessary(): Promise<void> {
    const { autoCommitInterval, autoCommitThreshold } = this.#parts.config;
    const { membership, port } = this.#parts;
    const isDue =
      typeof autoCommitInterval === "number" &&
      port.clock.now() >= this.#committedAt + autoCommitInterval;
    const isMuch =
      typeof autoCommitThreshold === "number" && membership.resolvedCount() >= autoCommitThreshold;
    if (isDue || isMuch) await this.#commitNow();
  }

  /** Resolves when there is as much as a fetch asks for, or after the maximum wait. */
  async #untilEnough(read: () => readonly (readonly StoredRecord[])[]): Promise<void> {
    const { port, minBytes, maxWaitMs, log } = this.#parts;
    const until = port.clock.now() + maxWaitMs;
    while (port.clock.now() < until) {
      const known = log.appended;
      const bytes = read()
        .flat()
        .reduce((sum, record) => sum + sizeOf(record), 0);
      if (bytes >= minBytes) return;
      await untilAppended(this.#parts, known, until - port.clock.now()).over;
    }
  }
}

/** A timer of the runtime takes a millisecond at least. */
function atLeast(ms: number): number {
  return Math.max(1, ms);
}

/** The library gives it as text. */
const nodeId = String(NODE_ID);
/** What a commit says instead of an offset. */
const EARLIEST = -2;
const LATEST = -1;

function crashFrom(
  error: Thrown,
  how: { readonly isFatal: boolean; readonly failures: number; readonly retryTime: number },
): Error {
  if (error instanceof Error && isNamed(error, "KafkaJSNoBrokerAvailableError")) return error;
  if (how.isFatal) {
    return new KafkaJSNonRetriableError(messageOf(error), { cause: error.cause || error });
  }
  const { failures: retryCount, retryTime } = how;
  return new KafkaJSNumberOfRetriesExceeded(error, { retryCount, retryTime });
}
