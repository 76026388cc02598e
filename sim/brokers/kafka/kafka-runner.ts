import type { Wire } from "../broker.ts";
import {
  isRetriable,
  pause,
  request,
  RETRY_DEFAULT,
  type RetryOptions,
  retried,
} from "./kafka-calls.ts";
import {
  isRebalancing,
  isUnknownMember,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSOffsetOutOfRange,
} from "./kafka-errors.ts";
import { CONSUMER_EVENTS, type Instrumentation } from "./kafka-events.ts";
import type { OffsetCommit } from "./kafka-groups.ts";
import type { KafkaLog, StoredRecord } from "./kafka-log.ts";
import type { KafkaMembership } from "./kafka-membership.ts";
import { batchFrom, type KafkaBatch } from "./kafka-message.ts";
import {
  commitsFrom,
  type EachBatchPayload,
  type RunConfig,
  topicOffsets,
} from "./kafka-payloads.ts";

/** What the runner shares with its consumer: it outlives a crash and a restart. */
export interface ReadingState {
  readonly seeks: Map<
    string,
    { readonly topic: string; readonly partition: number; readonly offset: number }
  >;
  readonly paused: Set<string>;
}

export interface RunnerParts {
  readonly wire: Wire;
  readonly host: string;
  readonly log: KafkaLog;
  readonly membership: KafkaMembership;
  readonly events: Instrumentation;
  readonly state: ReadingState;
  readonly config: RunConfig;
  readonly retry: RetryOptions;
  readonly heartbeatMs: number;
  readonly maxWaitMs: number;
  readonly onCrash: (error: Error, retryTime: number) => void;
}

/**
 * The consumer's loop: joins, fetches, hands out batch by batch, heartbeats in between.
 *
 * Holds, as in the library: while a handler is at work nothing is fetched, and no heartbeat is sent
 * but those that the handler asks for; a commit whose answer got lost is tried again with whatever
 * generation the consumer has by then.
 */
export class KafkaRunner {
  readonly #parts: RunnerParts;
  #isRunning = false;
  #isStopped = false;
  #loop: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #heardAt = 0;
  #committedAt = 0;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const joining = this.#join();
    this.#loop = joining.catch(() => undefined);
    try {
      await joining;
    } catch (error) {
      this.#parts.onCrash(error as Error, RETRY_DEFAULT.initialRetryTime);
      return;
    }
    if (this.#isStopped) return;
    this.#isRunning = true;
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#isRunning = false;
    this.#wake?.();
    await this.#loop;
    await this.#leave();
  }

  async #leave(): Promise<void> {
    try {
      await this.#parts.membership.leave();
    } catch {
      // The group puts it out by itself.
    }
  }

  /** Does nothing once the runner was stopped, as the library does. */
  async commit(offsets: readonly OffsetCommit[]): Promise<void> {
    const { wire, retry } = this.#parts;
    if (!this.#isRunning) return;
    await retried(wire, retry, async () => {
      try {
        await this.#commitNow(offsets);
      } catch (error) {
        if (this.#isRunning) throw error;
      }
    });
  }

  async #commitNow(offsets: readonly OffsetCommit[]): Promise<void> {
    const { membership, events } = this.#parts;
    this.#committedAt = this.#parts.wire.clock.now();
    if (offsets.length === 0) return;
    await membership.commit(offsets);
    events.emit(CONSUMER_EVENTS.COMMIT_OFFSETS, { topics: topicOffsets(offsets) });
  }

  async #run(): Promise<void> {
    const { wire, retry } = this.#parts;
    const { retries, initialRetryTime, multiplier } = { ...RETRY_DEFAULT, ...retry };
    let failures = 0;
    let retryTime = initialRetryTime;
    while (this.#isRunning) {
      try {
        await this.#cycle();
        failures = 0;
        retryTime = initialRetryTime;
      } catch (error) {
        if (await this.#rejoined(error)) continue;
        if (!this.#isRunning) return;
        const isHopeless = !isRetriable(error);
        if (isHopeless || failures >= retries) {
          this.#isRunning = false;
          await this.#leave();
          this.#parts.onCrash(crashFrom(error, { isHopeless, failures, retryTime }), retryTime);
          return;
        }
        failures += 1;
        await pause(wire, retryTime);
        retryTime *= multiplier;
      }
    }
  }

  /** Whether the error was about the membership, and is mended. */
  async #rejoined(error: unknown): Promise<boolean> {
    const { membership, events } = this.#parts;
    if (!isRebalancing(error) && !isUnknownMember(error)) return false;
    const { memberId } = membership;
    if (isRebalancing(error)) events.emit(CONSUMER_EVENTS.REBALANCING, { memberId });
    else membership.forget();
    try {
      if (this.#isRunning) await this.#join();
    } catch {
      return false;
    }
    return true;
  }

  async #join(): Promise<void> {
    const { membership, events, wire } = this.#parts;
    const startedAt = wire.clock.now();
    await membership.join();
    this.#heardAt = wire.clock.now();
    const { memberId, leaderId, assignment } = membership;
    events.emit(CONSUMER_EVENTS.GROUP_JOIN, {
      duration: wire.clock.now() - startedAt,
      memberId,
      leaderId,
      isLeader: memberId === leaderId,
      groupProtocol: "RoundRobinAssigner",
      memberAssignment: Object.fromEntries(assignment),
    });
  }

  async #heartbeat(): Promise<void> {
    const { wire, membership, events, heartbeatMs } = this.#parts;
    if (wire.clock.now() < this.#heardAt + heartbeatMs) return;
    await membership.heartbeat();
    this.#heardAt = wire.clock.now();
    events.emit(CONSUMER_EVENTS.HEARTBEAT, { memberId: membership.memberId });
  }

  async #cycle(): Promise<void> {
    this.#parts.events.emit(CONSUMER_EVENTS.FETCH_START, { nodeId: 0 });
    await this.#applySeeks();
    await this.#parts.membership.lookUp();
    const positions = this.#positions();
    if (positions.length === 0) {
      await this.#wait();
      await this.#heartbeat();
      return;
    }
    const batches = await this.#fetch(positions);
    if (batches.length === 0) await this.#heartbeat();
    for (const batch of batches) await this.#handle(batch);
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
        const offset = membership.position(topic, partition);
        if (offset === undefined || state.paused.has(`${topic}/${partition}`)) continue;
        positions.push({ topic, partition, offset });
      }
    }
    return positions;
  }

  async #fetch(positions: readonly OffsetCommit[]): Promise<readonly KafkaBatch[]> {
    const { wire, host, log, membership, events, state } = this.#parts;
    const { memberId: consumer } = membership;
    const read = (): readonly (readonly StoredRecord[])[] =>
      positions
        .map(({ topic, partition, offset }) => log.read(topic, partition, offset))
        .filter((records) => records.length > 0);
    let found: readonly (readonly StoredRecord[])[] = [];
    try {
      found = await request(wire, "broker.fetch", host, () => traced(wire, host, consumer, read()));
      if (found.length === 0) await this.#wait();
    } catch (error) {
      if (!(error instanceof KafkaJSOffsetOutOfRange)) throw error;
      await this.#recover(error);
    }
    events.emit(CONSUMER_EVENTS.FETCH, { numberOfBatches: 0, duration: 0, nodeId: 0 });
    const ends = (topic: string, number: number): number => log.partition(topic, number)?.end ?? 0;
    return found
      .map((records) => records as readonly [StoredRecord, ...StoredRecord[]])
      .filter(([{ topic, partition }]) => {
        const place = `${topic}/${partition}`;
        return !state.seeks.has(place) && !state.paused.has(place);
      })
      .map((records) => batchFrom(records, ends(records[0].topic, records[0].partition)));
  }

  /** Resets as configured, and commits where it reset to: as the library does. */
  async #recover({ topic, partition }: KafkaJSOffsetOutOfRange): Promise<void> {
    const { membership } = this.#parts;
    const offset = membership.resetOffset(topic, partition);
    await membership.commit([{ topic, partition, offset }]);
    membership.clear(topic, partition);
  }

  async #handle(batch: KafkaBatch): Promise<void> {
    const { config, membership, wire } = this.#parts;
    if (!this.#isRunning) return;
    try {
      if (config.eachMessage !== undefined) await this.#eachMessage(batch);
      else await config.eachBatch?.(this.#batchPayload(batch));
    } catch (error) {
      if (config.autoCommit !== false) await this.#commitNow(membership.uncommitted());
      throw error;
    }
    const { topic, partition } = batch;
    const isWhole = config.eachMessage === undefined && config.eachBatchAutoResolve !== false;
    if (isWhole) membership.resolve(topic, partition, Number(batch.lastOffset()) + 1);
    if (config.autoCommit !== false && wire.alive) await this.#commitNow(membership.uncommitted());
    await this.#heartbeat();
  }

  async #eachMessage({ topic, partition, messages }: KafkaBatch): Promise<void> {
    const { config, membership, state } = this.#parts;
    const place = `${topic}/${partition}`;
    for (const message of messages) {
      if (!this.#isRunning || state.seeks.has(place)) return;
      const heartbeat = (): Promise<void> => this.#heartbeat();
      const pausing = (): (() => void) => this.#pause(place);
      await config.eachMessage?.({ topic, partition, message, heartbeat, pause: pausing });
      membership.resolve(topic, partition, Number(message.offset) + 1);
      await this.#heartbeat();
      await this.#commitIfNecessary();
      if (state.paused.has(place)) return;
    }
  }

  async #commitIfNecessary(): Promise<void> {
    const { autoCommit, autoCommitInterval, autoCommitThreshold } = this.#parts.config;
    const { membership, wire } = this.#parts;
    if (autoCommit === false) return;
    const offsets = membership.uncommitted();
    const isDue =
      typeof autoCommitInterval === "number" &&
      wire.clock.now() >= this.#committedAt + autoCommitInterval;
    const isMuch = typeof autoCommitThreshold === "number" && offsets.length >= autoCommitThreshold;
    if (isDue || isMuch) await this.#commitNow(offsets);
  }

  #pause(place: string): () => void {
    const { state } = this.#parts;
    state.paused.add(place);
    return () => {
      state.paused.delete(place);
      this.#wake?.();
    };
  }

  #batchPayload(batch: KafkaBatch): EachBatchPayload {
    const { membership, state } = this.#parts;
    const { topic, partition } = batch;
    const place = `${topic}/${partition}`;
    return {
      batch,
      resolveOffset: (offset) => membership.resolve(topic, partition, Number(offset) + 1),
      heartbeat: () => this.#heartbeat(),
      pause: () => this.#pause(place),
      commitOffsetsIfNecessary: async (offsets) => {
        if (offsets === undefined) await this.#commitIfNecessary();
        else await this.#commitNow(commitsFrom(offsets.topics));
      },
      uncommittedOffsets: () => ({ topics: topicOffsets(membership.uncommitted()) }),
      isRunning: () => this.#isRunning,
      isStale: () => state.seeks.has(place),
    };
  }

  /** Until something new was appended, the longest wait is over, or the runner stops. */
  #wait(): Promise<void> {
    const { wire, log, maxWaitMs } = this.#parts;
    return new Promise((resolve) => {
      const done = (): void => {
        wire.clock.clearTimer(timer);
        news[Symbol.dispose]();
        this.#wake = undefined;
        resolve();
      };
      const timer = wire.clock.setTimer(maxWaitMs, done);
      const news = log.onAppend(() => void wire.after(1, done));
      this.#wake = done;
    });
  }
}

function crashFrom(
  error: unknown,
  how: { readonly isHopeless: boolean; readonly failures: number; readonly retryTime: number },
): Error {
  const cause = error instanceof Error ? error : new Error(String(error));
  if (how.isHopeless) return new KafkaJSNonRetriableError(cause.message, { cause });
  const { failures: retryCount, retryTime } = how;
  return new KafkaJSNumberOfRetriesExceeded(cause, { retryCount, retryTime });
}

function traced(
  wire: Wire,
  host: string,
  consumer: string,
  found: readonly (readonly StoredRecord[])[],
): readonly (readonly StoredRecord[])[] {
  for (const { topic, partition, offset, ref } of found.flat()) {
    if (ref === "") continue;
    const unit = `${topic}/${partition}`;
    const place = `partition ${partition}, offset ${offset}`;
    wire.world.trace.emit(host, { kind: "delivered", ref, consumer, unit, place });
  }
  return found;
}
