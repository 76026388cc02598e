import type { SharedStream, SharedStreamTrigger, StreamKey } from "../../src/shared-stream/mod.ts";
import {
  type Clock,
  type DurationLike,
  type Logger,
  millisecondsFrom,
  silentLogger,
} from "../../src/time/mod.ts";
import { textFromHashable } from "./equality.ts";
import type { EventQueue } from "./event-queue.ts";
import { type GroupPolicy, ReferenceGroup } from "./group.ts";
import { ReferenceStream } from "./stream.ts";

export interface ReferenceManagerOptions {
  readonly clock: Clock;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default 1024; 0 for no bound. */
  readonly maxSubscriberQueue?: number;
  /** Default 300 s. */
  readonly ackTimeout?: DurationLike;
  /** Default 0. */
  readonly cohortGracePeriod?: DurationLike;
}

const DEFAULT_SUBSCRIBER_QUEUE_MAX = 1_024;
const DEFAULT_ACK_TIMEOUT: DurationLike = Object.freeze({ seconds: 300 });
const DEFAULT_COHORT_GRACE_PERIOD: DurationLike = Object.freeze({ seconds: 0 });

interface Place {
  readonly triggerId: number;
  readonly key: StreamKey;
}

/**
 * Airflow's SharedStreamManager, with the face of ours.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, SharedStreamManager; spec, sections A and
 * E
 */
export class ReferenceSharedStreamManager {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #policy: GroupPolicy;
  readonly #groups = new Map<string, ReferenceGroup>();
  /** What each trigger id reads under a key, in whichever group: ended when it unsubscribes. */
  readonly #queues = new Map<string, EventQueue>();
  #nextSeq = 0;

  constructor(options: ReferenceManagerOptions) {
    const { ackTimeout = DEFAULT_ACK_TIMEOUT } = options;
    const { cohortGracePeriod = DEFAULT_COHORT_GRACE_PERIOD } = options;
    this.#clock = options.clock;
    this.#logger = options.logger ?? silentLogger;
    this.#policy = Object.freeze({
      maxSubscriberQueue: options.maxSubscriberQueue ?? DEFAULT_SUBSCRIBER_QUEUE_MAX,
      ackTimeoutMs: millisecondsFrom(ackTimeout, "ackTimeout"),
      cohortGraceMs: millisecondsFrom(cohortGracePeriod, "cohortGracePeriod"),
    });
  }

  /**
   * Subscribes a trigger; the first one of a key brings its group to life. Never suspends.
   *
   * @throws {TypeError} when `key` is null or unhashable, or the trigger opens no stream of
   * either mode
   * @throws {Error} "already subscribed" when the live group has the trigger id
   */
  subscribe<Raw>(s: Place & { readonly trigger: SharedStreamTrigger<Raw> }): SharedStream<Raw> {
    const { triggerId, key, trigger } = s;
    if (key === null || key === undefined) {
      throw new TypeError("Cannot subscribe to a shared stream: its key must not be None");
    }
    const text = textFromHashable(key);
    const known = this.#groups.get(text);
    if (known?.queues.has(triggerId) === true) {
      throw new Error(
        `Cannot subscribe trigger ${triggerId} to shared stream ${text}: it is already subscribed`,
      );
    }
    const group = known ?? this.#createGroup(text, key, trigger);
    const queue = group.add(triggerId);
    this.#queues.set(`${triggerId} ${text}`, queue);
    const { resolution } = group;
    const stream = new ReferenceStream(this.#logger, { triggerId, key, queue, resolution });
    return stream as SharedStream<unknown> as SharedStream<Raw>;
  }

  /**
   * Binds to the group that has the key now, not to the one that the subscriber is in: after an
   * eviction nothing is bound, so nothing gated (spec E-02), and after a replacement a stranger's
   * event may be (spec E-08).
   */
  bindPendingEvent({ triggerId, key }: Place): number | null {
    return this.#groups.get(textFromHashable(key))?.resolution?.bind(triggerId) ?? null;
  }

  /**
   * Broadcast to the groups in the map, each of which looks at all of `seqs`; not to draining
   * ones (spec E-25).
   */
  confirmPersisted(seqs: Iterable<number>): void {
    const list = [...seqs];
    for (const { resolution } of this.#groups.values()) resolution?.confirm(list);
  }

  /**
   * Takes out whoever has the id under the key now (spec E-08); the last one takes the group down.
   * Ends the stream, too: in Airflow the runner cancels the task that reads it.
   */
  async unsubscribe({ triggerId, key }: Place): Promise<void> {
    const text = textFromHashable(key);
    const name = `${triggerId} ${text}`;
    this.#queues.get(name)?.close();
    this.#queues.delete(name);
    const group = this.#groups.get(text);
    if (group?.queues.has(triggerId) !== true) return;
    group.remove(triggerId);
    if (group.queues.size > 0) return;
    this.#groups.delete(text);
    await group.stop();
  }

  /**
   * One after the other: the groups behind a stuck one go on, evicted, and are never stopped
   * (spec E-15).
   */
  async stopAll(): Promise<void> {
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    for (const group of groups) await group.stop();
  }

  /** The keys that the manager holds now. */
  groupKeys(): readonly StreamKey[] {
    return [...this.#groups.values()].map(({ key }) => key);
  }

  #createGroup(
    text: string,
    key: StreamKey,
    trigger: SharedStreamTrigger<unknown>,
  ): ReferenceGroup {
    if (
      trigger.createSharedStreamProducer === undefined &&
      trigger.openSharedStream === undefined
    ) {
      throw new TypeError(
        `Cannot open shared stream ${text}: the trigger opens none of either mode`,
      );
    }
    const group: ReferenceGroup = new ReferenceGroup(
      this.#clock,
      this.#logger,
      trigger,
      {
        evict: () => {
          if (this.#groups.get(text) === group) this.#groups.delete(text);
        },
        takeSeq: () => this.#nextSeq++,
      },
      { key, text, policy: this.#policy },
    );
    this.#groups.set(text, group);
    group.start();
    return group;
  }
}
