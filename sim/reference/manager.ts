import { checkedOptions } from "../../src/checked-options.ts";
import type {
  SharedStream,
  SharedStreamObserver,
  SharedStreamTrigger,
  StreamKey,
} from "../../src/shared-stream/mod.ts";
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
  /** Receives failures and rejects as they happen; must not throw. */
  readonly observer?: SharedStreamObserver;
  /** Default 1024; 0 for no bound. */
  readonly maxSubscriberQueue?: number;
  /** Default 300 s. */
  readonly ackTimeout?: DurationLike;
  /** Default 0. */
  readonly cohortGracePeriod?: DurationLike;
}

const OPTIONS: readonly (keyof ReferenceManagerOptions)[] = [
  "clock",
  "logger",
  "observer",
  "maxSubscriberQueue",
  "ackTimeout",
  "cohortGracePeriod",
];
const DEFAULT_SUBSCRIBER_QUEUE_MAX = 1_024;
const DEFAULT_ACK_TIMEOUT: DurationLike = Object.freeze({ seconds: 300 });
const DEFAULT_COHORT_GRACE_PERIOD: DurationLike = Object.freeze({ seconds: 0 });

/**
 * Airflow's SharedStreamManager, with the same interface as the one in src/shared-stream.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, SharedStreamManager
 *
 * @example
 * ```ts
 * import { ReferenceSharedStreamManager, VirtualClock } from "faultlane/sim";
 *
 * const manager = new ReferenceSharedStreamManager({ clock: new VirtualClock() });
 * console.log(manager.groupKeys().length); // => 0
 * ```
 */
export class ReferenceSharedStreamManager {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #observer: SharedStreamObserver;
  readonly #policy: GroupPolicy;
  readonly #groups = new Map<string, ReferenceGroup>();
  /** The queue that each trigger id reads under a key; closed when it unsubscribes. */
  readonly #queues = new Map<string, EventQueue>();
  #nextSeq = 0;

  /**
   * Creates a manager without groups.
   *
   * @throws {TypeError} when an option is unknown
   */
  constructor(options: ReferenceManagerOptions) {
    checkedOptions(options, OPTIONS, "ReferenceSharedStreamManager");
    const { ackTimeout = DEFAULT_ACK_TIMEOUT } = options;
    const { cohortGracePeriod = DEFAULT_COHORT_GRACE_PERIOD } = options;
    this.#clock = options.clock;
    this.#logger = options.logger ?? silentLogger;
    this.#observer = options.observer ?? {};
    this.#policy = Object.freeze({
      maxSubscriberQueue: options.maxSubscriberQueue ?? DEFAULT_SUBSCRIBER_QUEUE_MAX,
      ackTimeoutMs: millisecondsFrom(ackTimeout, "ackTimeout"),
      cohortGraceMs: millisecondsFrom(cohortGracePeriod, "cohortGracePeriod"),
    });
  }

  /**
   * Subscribes a trigger. The first subscription of a key creates its group. Never suspends.
   *
   * @throws {TypeError} when `key` is null or unhashable, or the trigger opens no stream of
   * either mode
   * @throws {Error} "already subscribed" when the live group has the trigger id
   */
  subscribe<Raw>(s: {
    readonly triggerId: number;
    readonly key: StreamKey;
    readonly trigger: SharedStreamTrigger<Raw>;
  }): SharedStream<Raw> {
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
    const reader = { triggerId, key, queue, resolution };
    const stream = new ReferenceStream(this.#logger, this.#observer, reader);
    return stream as SharedStream<unknown> as SharedStream<Raw>;
  }

  /**
   * Binds in the group that has the key now, which may not be the subscriber's own: after an
   * eviction nothing is bound, so that nothing waits for a confirmation (E-02), and after a
   * replacement an event of another subscription may be bound (E-08).
   */
  bindPendingEvent({
    triggerId,
    key,
  }: {
    readonly triggerId: number;
    readonly key: StreamKey;
  }): number | null {
    return this.#groups.get(textFromHashable(key))?.resolution?.bind(triggerId) ?? null;
  }

  /**
   * Passes `seqs` to every group in the map, each of which looks at all of them, and not to groups
   * that are draining (E-25).
   */
  confirmPersisted(seqs: Iterable<number>): void {
    const list = [...seqs];
    for (const { resolution } of this.#groups.values()) resolution?.confirm(list);
  }

  /**
   * Removes the subscription that has the id under the key now (E-08). The last one stops the
   * group. It also ends the stream, because in Airflow the runner cancels the task that reads it.
   */
  async unsubscribe({
    triggerId,
    key,
  }: {
    readonly triggerId: number;
    readonly key: StreamKey;
  }): Promise<void> {
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
   * Stops one group after the other. Groups behind a stuck one are evicted, go on running and are
   * never stopped (E-15).
   */
  async stopAll(): Promise<void> {
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    for (const group of groups) await group.stop();
  }

  /** Returns the keys of the groups in the map. */
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
      { key, text, policy: this.#policy, observer: this.#observer },
    );
    this.#groups.set(text, group);
    group.start();
    return group;
  }
}
