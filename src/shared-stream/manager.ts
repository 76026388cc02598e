import { checkedOptions } from "../checked-options.ts";
import { systemClock } from "../platform/mod.ts";
import {
  type Clock,
  type DurationLike,
  type Logger,
  millisecondsFrom,
  consoleLogger,
} from "../time/mod.ts";
import { Group } from "./group.ts";
import type { GroupPolicy, StreamSource } from "./group-ports.ts";
import { type StreamKey, textFromKey } from "./key.ts";
import { SeqIndex } from "./ledger/seq-index.ts";
import type { SharedStreamObserver } from "./observer.ts";
import type { SharedStreamProducer } from "./producer.ts";
import { Reporter } from "./reporter.ts";
import type { SharedStream } from "./shared-stream.ts";
import type { Subscription } from "./subscription.ts";
import { SubscriptionRegistry } from "./subscription-registry.ts";

/**
 * The part of an event trigger that a manager uses: one of two ways to open the stream.
 *
 * With `createSharedStreamProducer` the stream is in ack mode: each event is settled on the broker
 * once all subscribers have resolved it. With `openSharedStream` alone it is on the fast path,
 * where nothing is settled. The trigger that subscribes first opens the stream for all.
 */
export interface SharedStreamTrigger<Raw> {
  /** Creates the producer of one poll: ack mode. Must be synchronous and not connect yet. */
  createSharedStreamProducer?(): SharedStreamProducer<Raw>;
  /** Opens the stream of one poll: the fast path. The signal aborts when the group stops. */
  openSharedStream?(signal: AbortSignal): AsyncIterable<Raw>;
}

/** The options of a `SharedStreamManager`. */
export interface SharedStreamManagerOptions {
  /** Default: the clock of the runtime. */
  readonly clock?: Clock;
  /** Default: `consoleLogger`: warnings and errors reach the console. */
  readonly logger?: Logger;
  /** Receives failures and rejects as they happen. Default: none. */
  readonly observer?: SharedStreamObserver;
  /**
   * How many events a subscriber may have that it has not pulled; one more and it is failed with
   * `SubscriberOverflow`. 0 for no bound. Default 1024.
   */
  readonly maxSubscriberQueue?: number;
  /**
   * How long a subscriber may take to resolve an event, from the broadcast to the last
   * confirmation; after that it is failed with `AckTimeout`. Default 300 s.
   */
  readonly ackTimeout?: DurationLike;
  /** How long a new group waits for more subscribers before it opens its stream. Default 0. */
  readonly cohortGracePeriod?: DurationLike;
  /**
   * Whether an event counts as failed, and not as acked, when a subscriber unsubscribes in its
   * window with nothing bound, or when a trigger event could not be bound because the group had
   * ended (I23). Default false, as in Airflow.
   */
  readonly strictPersistence?: boolean;
}

/** What the groups of a manager hold in memory; all zero at rest. */
export interface OutstandingCounts {
  /** Events that were broadcast and not advanced. */
  readonly outstanding: number;
  /** Lanes with outstanding events. */
  readonly lanes: number;
  /** Sequence numbers that were bound and not confirmed. */
  readonly unconfirmed: number;
  /** Subscribers with an open window. */
  readonly windows: number;
}

/** How many events a subscriber may have that it has not pulled, unless told otherwise. */
export const DEFAULT_SUBSCRIBER_QUEUE_MAX = 1_024;
/** How long a subscriber may take to resolve an event, unless told otherwise. */
export const DEFAULT_ACK_TIMEOUT: DurationLike = Object.freeze({ seconds: 300 });
const DEFAULT_COHORT_GRACE_PERIOD: DurationLike = Object.freeze({ seconds: 0 });

const OPTIONS: readonly (keyof SharedStreamManagerOptions)[] = [
  "clock",
  "logger",
  "observer",
  "maxSubscriberQueue",
  "ackTimeout",
  "cohortGracePeriod",
  "strictPersistence",
];

/** How long `stopAll` waits for one group before it stops the next. */
const STOP_PATIENCE_MS = 60_000;

/** Names a subscription. */
export interface SubscriptionAddress {
  /** The id of the trigger that subscribes. */
  readonly triggerId: number;
  /** The key of the stream. */
  readonly key: StreamKey;
}

/**
 * Coordinates triggers that share streams: one poll per key, its events broadcast to all.
 *
 * Holds: a key is in the map exactly as long as its group's poll is alive and accepts subscribers,
 * at every await (I1). A manager belongs to one thread.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, SharedStreamManager
 *
 * @example
 * ```ts
 * import { type AdvanceItem, SharedStreamManager } from "faultlane";
 *
 * const trigger = {
 *   createSharedStreamProducer: () => ({
 *     async *openStream(signal: AbortSignal) {
 *       yield ["order 17", { offset: 0 }] as const;
 *       // A stream lives until its group stops.
 *       await new Promise((resolve) => signal.addEventListener("abort", resolve));
 *     },
 *     async advance(batch: readonly AdvanceItem[]) {
 *       for (const { brokerPayload, outcome } of batch) {
 *         console.log(brokerPayload, outcome.isClean ? "commit" : "redeliver");
 *       }
 *     },
 *   }),
 * };
 *
 * const manager = new SharedStreamManager({ ackTimeout: { minutes: 5 } });
 * const address = { triggerId: 1, key: ["orders", 3] };
 * const stream = manager.subscribe({ ...address, trigger });
 * console.log((await stream.next()).value); // => order 17
 * const seq = manager.bindPendingEvent(address);
 * // Here the trigger event that was made from the order is stored. Then:
 * manager.confirmPersisted(seq === null ? [] : [seq]);
 * await manager.unsubscribe(address); // => { offset: 0 } commit
 * ```
 */
export class SharedStreamManager {
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  readonly #policy: GroupPolicy;
  readonly #groups = new Map<string, Group<unknown>>();
  readonly #subscriptions = new SubscriptionRegistry();
  readonly #seqs = new SeqIndex();

  /**
   * Creates a manager without groups.
   *
   * @throws {RangeError} when `maxSubscriberQueue` is negative or not an integer, or a duration is
   * negative or not a whole number of milliseconds
   * @throws {TypeError} when an option is unknown, or a duration is a bare number or has an unknown
   * unit
   */
  constructor(options: SharedStreamManagerOptions = {}) {
    checkedOptions(options, OPTIONS, "SharedStreamManager");
    const { maxSubscriberQueue = DEFAULT_SUBSCRIBER_QUEUE_MAX } = options;
    if (!Number.isSafeInteger(maxSubscriberQueue) || maxSubscriberQueue < 0) {
      throw new RangeError(
        `Cannot use ${maxSubscriberQueue} as maxSubscriberQueue: use a whole number, 0 for no bound`,
      );
    }
    const { ackTimeout = DEFAULT_ACK_TIMEOUT } = options;
    const { cohortGracePeriod = DEFAULT_COHORT_GRACE_PERIOD } = options;
    this.#clock = options.clock ?? systemClock;
    this.#reporter = new Reporter(options.logger ?? consoleLogger, options.observer ?? {});
    this.#policy = Object.freeze({
      maxSubscriberQueue,
      ackTimeoutMs: millisecondsFrom(ackTimeout, "ackTimeout"),
      cohortGraceMs: millisecondsFrom(cohortGracePeriod, "cohortGracePeriod"),
      strictPersistence: options.strictPersistence ?? false,
    });
  }

  /**
   * Subscribes a trigger to the stream of `key`. The first subscription of a key creates its group.
   *
   * Holds: never suspends, and none of the trigger's methods has been called when it returns. When
   * it throws, nothing has changed.
   *
   * @throws {TypeError} when `key` is null or cannot be compared by value, or when a group is
   * needed and the trigger has neither a producer factory nor a fast-path source
   * @throws {Error} "already subscribed" when the trigger id is subscribed to the live group
   */
  subscribe<Raw>(
    s: SubscriptionAddress & { readonly trigger: SharedStreamTrigger<Raw> },
  ): SharedStream<Raw> {
    const { triggerId, key, trigger } = s;
    const text = textFromKey(key);
    const known = this.#groups.get(text);
    if (known !== undefined && this.#subscriptions.isIn(triggerId, known)) {
      throw new Error(
        `Cannot subscribe trigger ${triggerId} to shared stream ${text}: it is already subscribed`,
      );
    }
    const group = known ?? this.#createGroup(text, key, trigger);
    const subscription = group.subscribe(triggerId);
    this.#subscriptions.add(triggerId, group, subscription);
    return subscription as Subscription<Raw>;
  }

  /**
   * Binds a trigger event, which the subscriber's filter has just yielded, to the raw event of the
   * open window: the raw event is not acked before the trigger event is confirmed.
   *
   * Returns a sequence number, from 0, to pass to `confirmPersisted`, or null when there is nothing
   * to wait for: the trigger id is not subscribed, the stream is on the fast path or has ended, no
   * window is open, or the event is resolved already.
   *
   * Holds: synchronous. Call it right after the filter yielded, without an await in between.
   *
   * @throws {TypeError} when `key` is null or cannot be compared by value
   */
  bindPendingEvent({ triggerId, key }: SubscriptionAddress): number | null {
    const registration = this.#subscriptions.find(triggerId, key);
    if (registration !== undefined) return registration.subscription.bind();
    // Not subscribed. Validate the key, so that an invalid one still throws.
    textFromKey(key);
    return null;
  }

  /**
   * Records that the trigger events behind `seqs` are stored. Numbers that are unknown, repeated or
   * late are ignored (I17).
   */
  confirmPersisted(seqs: Iterable<number>): void {
    this.#seqs.confirm(seqs);
  }

  /**
   * Ends a subscription and its stream. The last subscription of a group stops the group; the
   * promise then resolves when the group has advanced what is resolved and closed its producer.
   *
   * Does nothing when the trigger id is not subscribed. When it is subscribed twice, because its
   * first group failed and it subscribed again, the older subscription ends first.
   *
   * Holds: the key is out of the map before anything is awaited.
   *
   * @throws {TypeError} when `key` is null or cannot be compared by value
   */
  async unsubscribe({ triggerId, key }: SubscriptionAddress): Promise<void> {
    const text = textFromKey(key);
    const registration = this.#subscriptions.takeOldest(triggerId, key);
    if (registration === undefined) return;
    const { group, subscription } = registration;
    if (this.#groups.get(text) !== group) {
      group.abandon(subscription);
      return;
    }
    group.remove(subscription);
    if (group.hasSubscribers) return;
    this.#groups.delete(text);
    await group.stop();
  }

  /**
   * Stops every group and waits for all of them.
   *
   * Holds: the map is empty before anything is awaited. Idle groups are stopped at once, the others
   * one after the other in the order of their creation. A group that does not end within a minute
   * no longer delays the next one (E-15), but the promise still waits for it.
   */
  async stopAll(): Promise<void> {
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    const stops = groups.filter((group) => group.isIdle).map((group) => group.stop());
    for (const group of groups) {
      const stop = group.stop();
      stops.push(stop);
      await this.#withinPatience(stop);
    }
    await Promise.all(stops);
  }

  /** Returns the keys of the live groups, in the order of their creation. */
  groupKeys(): readonly StreamKey[] {
    return [...this.#groups.values()].map(({ key }) => key);
  }

  /** Returns what the live groups hold in memory, for metrics and tests. */
  outstandingCounts(): OutstandingCounts {
    let [outstanding, lanes, windows] = [0, 0, 0];
    for (const group of this.#groups.values()) {
      const counts = group.counts();
      outstanding += counts.outstanding;
      lanes += counts.lanes;
      windows += counts.windows;
    }
    // Groups that have ended have abandoned theirs.
    return { outstanding, lanes, unconfirmed: this.#seqs.unconfirmed, windows };
  }

  /** Resolves when `stop` does, or after a minute. */
  #withinPatience(stop: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(STOP_PATIENCE_MS, resolve);
      void stop.finally(() => {
        this.#clock.clearTimer(timer);
        resolve();
      });
    });
  }

  #createGroup(
    text: string,
    key: StreamKey,
    trigger: SharedStreamTrigger<unknown>,
  ): Group<unknown> {
    const group: Group<unknown> = new Group(
      this.#clock,
      this.#reporter,
      sourceFrom(text, trigger),
      {
        evict: () => {
          if (this.#groups.get(text) === group) this.#groups.delete(text);
        },
        seqs: this.#seqs,
      },
      { key: snapshotOf(key), text, policy: this.#policy },
    );
    this.#groups.set(text, group);
    group.start();
    return group;
  }
}

/** Returns a copy of the key, which the caller cannot change. */
function snapshotOf(key: StreamKey): StreamKey {
  return typeof key === "object" ? Object.freeze([...key]) : key;
}

/** Chooses ack mode when the trigger, or a class that it extends, has the factory (C-011). */
function sourceFrom(text: string, trigger: SharedStreamTrigger<unknown>): StreamSource<unknown> {
  if (typeof trigger.createSharedStreamProducer === "function") {
    return {
      createSharedStreamProducer: () =>
        trigger.createSharedStreamProducer?.() as SharedStreamProducer<unknown>,
    };
  }
  if (typeof trigger.openSharedStream === "function") {
    return {
      openSharedStream: (signal) => trigger.openSharedStream?.(signal) as AsyncIterable<unknown>,
    };
  }
  throw new TypeError(
    `Cannot open shared stream ${text}: the trigger has neither createSharedStreamProducer nor openSharedStream`,
  );
}
