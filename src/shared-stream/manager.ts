import { systemClock } from "../platform/mod.ts";
import {
  type Clock,
  type DurationLike,
  type Logger,
  millisecondsFrom,
  silentLogger,
} from "../time/mod.ts";
import { Group } from "./group.ts";
import type { GroupPolicy, StreamSource } from "./group-ports.ts";
import { type StreamKey, textFromKey } from "./key.ts";
import type { Holdings } from "./ledger.ts";
import type { SharedStreamProducer } from "./producer.ts";
import { Seats } from "./seats.ts";
import { SeqIndex } from "./seq-index.ts";
import type { SharedStream } from "./shared-stream.ts";
import type { Subscription } from "./subscription.ts";

/** The part of an event trigger that a manager uses. */
export interface SharedStreamTrigger<Raw> {
  createSharedStreamProducer?(): SharedStreamProducer<Raw>;
  openSharedStream?(signal: AbortSignal): AsyncIterable<Raw>;
}

export interface SharedStreamManagerOptions {
  /** Default: the runtime's own. */
  readonly clock?: Clock;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Unprocessed raw events that a subscriber may have; 0 for no bound. Default 1024. */
  readonly maxSubscriberQueue?: number;
  /**
   * How long a subscriber may take over an event, its persist confirmations included. Default 300
   * s.
   */
  readonly ackTimeout?: DurationLike;
  /** How long a new group waits for siblings before it connects. Default 0. */
  readonly cohortGracePeriod?: DurationLike;
  /**
   * Whether an event is failed that a subscriber leaves while sitting on it with nothing bound, or
   * whose trigger event could not be bound because its group was evicted (I23). Default false, as
   * in Airflow.
   */
  readonly strictPersistence?: boolean;
}

const DEFAULT_SUBSCRIBER_QUEUE_MAX = 1_024;
const DEFAULT_ACK_TIMEOUT: DurationLike = Object.freeze({ seconds: 300 });
const DEFAULT_COHORT_GRACE_PERIOD: DurationLike = Object.freeze({ seconds: 0 });

/** How long a group that is being stopped keeps the next one waiting. */
const STOP_PATIENCE_MS = 60_000;

interface Place {
  readonly triggerId: number;
  readonly key: StreamKey;
}

/**
 * Coordinates triggers that share one stream: one poll per key, its events broadcast to all.
 *
 * Holds: a key is in the map exactly while its group's poll is alive and accepting, at every await
 * (I1). Not for use from several threads.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, SharedStreamManager
 */
export class SharedStreamManager {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #policy: GroupPolicy;
  readonly #groups = new Map<string, Group<unknown>>();
  readonly #seats = new Seats();
  readonly #seqs = new SeqIndex();

  /**
   * @throws {RangeError} when the queue bound is negative or no whole number, or a duration is
   * negative
   * @throws {TypeError} when a duration is a bare number
   */
  constructor(options: SharedStreamManagerOptions = {}) {
    const { maxSubscriberQueue = DEFAULT_SUBSCRIBER_QUEUE_MAX } = options;
    if (!Number.isSafeInteger(maxSubscriberQueue) || maxSubscriberQueue < 0) {
      throw new RangeError(
        `Cannot use ${maxSubscriberQueue} as maxSubscriberQueue: use a whole number, 0 for no bound`,
      );
    }
    const { ackTimeout = DEFAULT_ACK_TIMEOUT } = options;
    const { cohortGracePeriod = DEFAULT_COHORT_GRACE_PERIOD } = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#policy = Object.freeze({
      maxSubscriberQueue,
      ackTimeoutMs: millisecondsFrom(ackTimeout, "ackTimeout"),
      cohortGraceMs: millisecondsFrom(cohortGracePeriod, "cohortGracePeriod"),
      strictPersistence: options.strictPersistence ?? false,
    });
  }

  /**
   * Subscribes a trigger to the stream of `key`; the first one brings the group to life.
   *
   * Holds: never suspends; nothing of the trigger has run yet when it returns. When it throws,
   * nothing half-registered stays behind.
   *
   * @throws {TypeError} when `key` is null or cannot be compared by value, or the trigger has
   * neither a
   *   producer factory nor a fast-path source
   * @throws {Error} "already subscribed" when the trigger id takes part in the live group already
   */
  subscribe<Raw>(s: Place & { readonly trigger: SharedStreamTrigger<Raw> }): SharedStream<Raw> {
    const { triggerId, key, trigger } = s;
    const text = textFromKey(key);
    const known = this.#groups.get(text);
    if (known !== undefined && this.#seats.isIn(triggerId, known)) {
      throw new Error(
        `Cannot subscribe trigger ${triggerId} to shared stream ${text}: it is already subscribed`,
      );
    }
    const group = known ?? this.#createGroup(text, key, trigger);
    const subscription = group.subscribe(triggerId);
    this.#seats.add(triggerId, group, subscription);
    return subscription as Subscription<Raw>;
  }

  /**
   * Binds a trigger event that a subscriber just yielded to the raw event that it sits on.
   *
   * Shape: a sequence number from 0 to report through `confirmPersisted`, or null when there is
   * nothing to gate: no group, no ack mode, no open window, or the event is resolved already.
   * Holds: synchronous; call it between taking the event off the filter and queueing it, no await
   * between.
   */
  bindPendingEvent({ triggerId, key }: Place): number | null {
    const seat = this.#seats.find(triggerId, key);
    if (seat !== undefined) return seat.group.bind(seat.subscription.account);
    // Nobody is known by it: either so, or because it is none.
    textFromKey(key);
    return null;
  }

  /**
   * Records that the trigger events behind `seqs` are persisted; what nobody waits for is ignored.
   */
  confirmPersisted(seqs: Iterable<number>): void {
    this.#seqs.confirm(seqs);
  }

  /**
   * Takes a subscriber out and ends its stream; the last one to leave takes the group down.
   *
   * Holds: the key is out of the map before anything is awaited. Each subscribe is answered by one
   * unsubscribe, in order: when a dead group's trigger came back under its id, the first
   * unsubscribe is the old one's.
   */
  async unsubscribe({ triggerId, key }: Place): Promise<void> {
    const text = textFromKey(key);
    const seat = this.#seats.takeOldest(triggerId, key);
    if (seat === undefined) return;
    const { group, subscription } = seat;
    if (this.#groups.get(text) !== group) {
      group.abandon(subscription);
      return;
    }
    group.remove(subscription);
    if (group.subscriptions.size > 0) return;
    this.#groups.delete(text);
    await group.stop();
  }

  /**
   * Stops every group and waits for them all.
   *
   * Holds: the map is empty before anything is awaited. Idle groups are stopped at once, busy ones
   * one after the other, in the order in which they came to life; one that does not come to its end
   * within a minute is not waited for any longer before the next is stopped (spec E-15).
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

  /** The keys that the manager holds now. */
  groupKeys(): readonly StreamKey[] {
    return [...this.#groups.values()].map(({ key }) => key);
  }

  /** What the live groups have outstanding; all zero at rest. For metrics and tests. */
  holdings(): Holdings & { readonly windows: number } {
    let [outstanding, lanes, windows] = [0, 0, 0];
    for (const group of this.#groups.values()) {
      const holdings = group.holdings();
      outstanding += holdings.outstanding;
      lanes += holdings.lanes;
      windows += holdings.windows;
    }
    // A group on its way out waits for none any more.
    return { outstanding, lanes, unconfirmed: this.#seqs.waiting, windows };
  }

  /** Resolves when `stop` does, or when the patience with it is over. */
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
      this.#logger,
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

/** The key as it is now, whatever the caller does with its array later. */
function snapshotOf(key: StreamKey): StreamKey {
  return typeof key === "object" ? Object.freeze([...key]) : key;
}

/** Ack mode when the trigger, or any class that it descends from, has the factory (spec C-011). */
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
