import { invariant } from "../invariant.ts";
import type { Clock, Logger, TimerHandle } from "../time/mod.ts";
import { Broadcast } from "./broadcast.ts";
import { closeSource } from "./close-source.ts";
import { AckTimeout, PollTerminated, SubscriberOverflow } from "./errors.ts";
import type { GroupOwner, GroupPolicy, StreamSource } from "./group-ports.ts";
import { keyFromLane, type StreamKey, textFromLaneKey } from "./key.ts";
import type { SubscriberCursor } from "./ledger/cursor.ts";
import { Ledger } from "./ledger/ledger.ts";
import type { LedgerCounts } from "./ledger/ledger-results.ts";
import type { GroupFailure } from "./observer.ts";
import type { SharedStreamProducer } from "./producer.ts";
import { Pump } from "./pump.ts";
import type { Reporter } from "./reporter.ts";
import { Subscription, type SubscriptionOwner } from "./subscription.ts";

/**
 * `live`: in the map, accepting subscribers. `failed`: its subscribers have the failure. `stopped`:
 * taken down from outside, with no failure. A failed or stopped group only drains and closes.
 */
type State = "live" | "failed" | "stopped";

/** The ack timeout is scanned for this many times per timeout, but not more often than this. */
const SCANS_PER_TIMEOUT = 10;
const SCAN_MS_MIN = 10;

/**
 * The life cycle of one key's stream: its poll, its pump, its scan for ack timeouts, and its end.
 *
 * Whichever of the three background activities fails first ends the group through `#fail`.
 *
 * Holds: when a failure is handled or a stop begins, the key leaves the map and every subscriber
 * gets the failure before anything is awaited (I1, I13).
 */
export class Group<Raw> implements SubscriptionOwner {
  readonly key: StreamKey;
  readonly #text: string;
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  readonly #policy: GroupPolicy;
  readonly #owner: GroupOwner;
  readonly #source: StreamSource<Raw>;
  readonly #abort = new AbortController();
  /** Undefined on the fast path. */
  readonly #ledger: Ledger<unknown> | undefined;
  readonly #broadcast = new Broadcast<Raw>((subscription) => this.#overflow(subscription));
  #state: State = "live";
  #pump: Pump | undefined;
  #producer: SharedStreamProducer<Raw> | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  #isStarted = false;
  /** Whether `#iterator` has a `next()` pending. */
  #isPulling = false;
  #scanTimer: TimerHandle | undefined;
  #closed: Promise<void> | undefined;
  #endGrace: (() => void) | undefined;

  constructor(
    clock: Clock,
    reporter: Reporter,
    source: StreamSource<Raw>,
    owner: GroupOwner,
    options: { readonly key: StreamKey; readonly text: string; readonly policy: GroupPolicy },
  ) {
    this.#clock = clock;
    this.#reporter = reporter;
    this.#source = source;
    this.#owner = owner;
    this.key = options.key;
    this.#text = options.text;
    this.#policy = options.policy;
    if (source.createSharedStreamProducer !== undefined) {
      const { ackTimeoutMs } = options.policy;
      this.#ledger = new Ledger(ackTimeoutMs, owner.seqs, () => this.#pump?.wake());
    }
  }

  get logger(): Logger {
    return this.#reporter.logger;
  }

  get isLive(): boolean {
    return this.#state === "live";
  }

  /** Whether nothing is outstanding and no advance is in flight. */
  get isIdle(): boolean {
    return this.#ledger?.isEmpty !== false && this.#pump?.isRunning !== true;
  }

  get hasSubscribers(): boolean {
    return this.#broadcast.size > 0;
  }

  counts(): LedgerCounts & { readonly windows: number } {
    let windows = 0;
    for (const { cursor } of this.#broadcast) if (cursor.isOpen) windows += 1;
    return { ...(this.#ledger?.counts() ?? { outstanding: 0, lanes: 0 }), windows };
  }

  /** Starts the poll. The trigger's code first runs in a later turn. */
  start(): void {
    invariant(!this.#isStarted, "The group was already started");
    this.#isStarted = true;
    this.#poll().catch((error: unknown) => this.#fail("poll", error));
  }

  subscribe(triggerId: number): Subscription<Raw> {
    const { maxSubscriberQueue } = this.#policy;
    const subscription = new Subscription<Raw>(triggerId, maxSubscriberQueue, this, this.#ledger);
    this.#broadcast.add(subscription);
    return subscription;
  }

  bind(cursor: SubscriberCursor): number | null {
    const ledger = this.#ledger;
    if (ledger === undefined || !cursor.canBind) return null;
    return this.isLive ? ledger.bind(cursor) : this.#bindLate(ledger, cursor);
  }

  /** Binds nothing: the group ends, so that nothing can wait for a confirmation (E-02). */
  #bindLate(ledger: Ledger<unknown>, cursor: SubscriberCursor): null {
    if (this.#policy.strictPersistence) ledger.fail(cursor);
    return null;
  }

  /**
   * Ends a subscription of a group that ends itself: nothing is resolved (C-167). A group that
   * waits for its turn to stop broadcasts on (C-175), to those who are left.
   */
  abandon(subscription: Subscription<Raw>): void {
    this.#broadcast.delete(subscription);
    subscription.leave();
    this.#ledger?.abandon(subscription.cursor);
  }

  /** Takes a subscription out. Stopping a group that has none left is the caller's job. */
  remove(subscription: Subscription<Raw>): void {
    this.#broadcast.delete(subscription);
    subscription.leave();
    const ledger = this.#ledger;
    if (ledger === undefined) return;
    const { cursor } = subscription;
    if (this.#policy.strictPersistence && !cursor.hasBound) ledger.fail(cursor);
    ledger.leave(cursor);
  }

  /** Takes the group down without failing anybody; resolves when it has drained and closed. */
  stop(): Promise<void> {
    if (this.#state === "live") {
      this.#state = "stopped";
      this.#shutDown();
    }
    return this.#closed ?? Promise.resolve();
  }

  rejectOpenEvent(cursor: SubscriberCursor, triggerId: number): void {
    const ledger = this.#ledger;
    if (ledger === undefined || !cursor.canBind) return;
    const eventId = ledger.openEventId(cursor);
    ledger.reject(cursor);
    this.#reporter.eventRejected({ key: this.key, triggerId, eventId });
  }

  warnOutsideWindow(triggerId: number): void {
    this.#reporter.rejectedOutsideWindow(this.key, triggerId);
  }

  visitorsChanged(): void {
    this.#broadcast.invalidateSnapshot();
  }

  async #poll(): Promise<void> {
    await this.#waitForCohort();
    if (!this.isLive) return;
    const { createSharedStreamProducer, openSharedStream } = this.#source;
    const { signal } = this.#abort;
    if (createSharedStreamProducer === undefined) {
      await this.#readSource(openSharedStream?.(signal) as AsyncIterable<Raw>);
      return;
    }
    const producer = createSharedStreamProducer();
    if (typeof producer?.openStream !== "function" || typeof producer.advance !== "function") {
      throw new TypeError(
        `Cannot poll shared stream ${this.#text}: its factory returned no producer with openStream and advance`,
      );
    }
    this.#producer = producer;
    // If the factory took its own group down, its producer is only closed.
    if (!this.isLive) return;
    this.#pump = new Pump(this.#ledger as Ledger<unknown>, producer, (error, batch) => {
      const lane = textFromLaneKey(batch.lane);
      const batchSize = batch.items.length;
      try {
        this.#reporter.advanceFailed({ key: this.key, lane, batchSize, error });
      } finally {
        this.#fail("advance", error);
      }
    });
    this.#scheduleScan();
    await this.#readSource(producer.openStream(signal));
  }

  /** Waits until the grace period is over or the group stops. */
  async #waitForCohort(): Promise<void> {
    const { cohortGraceMs } = this.#policy;
    if (cohortGraceMs <= 0) return await Promise.resolve();
    await new Promise<void>((resolve) => {
      const timer = this.#clock.setTimer(cohortGraceMs, resolve);
      this.#endGrace = () => {
        this.#clock.clearTimer(timer);
        resolve();
      };
    });
  }

  async #readSource(source: AsyncIterable<unknown>): Promise<void> {
    const iterator = source[Symbol.asyncIterator]();
    this.#iterator = iterator;
    for (;;) {
      this.#isPulling = true;
      const result = await iterator.next();
      this.#isPulling = false;
      if (!this.isLive) return;
      if (result.done === true) throw new PollTerminated(this.#text);
      if (this.#ledger === undefined) this.#broadcastRaw(result.value as Raw);
      else this.#fanOut(this.#ledger, result.value);
      // A visitor runs during the delivery and may have taken the group down.
      if (!this.isLive) return;
    }
  }

  #broadcastRaw(raw: Raw): void {
    this.#broadcast.snapshot();
    this.#broadcast.deliver(raw);
  }

  /** Lane, snapshot, ledger and delivery, without an await: no half-finished broadcast is seen. */
  #fanOut(ledger: Ledger<unknown>, item: unknown): void {
    if (!Array.isArray(item) || item.length !== 2) {
      throw new TypeError(
        `Cannot broadcast an item of shared stream ${this.#text}: a producer yields [rawEvent, brokerPayload] pairs`,
      );
    }
    const [raw, brokerPayload] = item as [Raw, unknown];
    const lane = keyFromLane(this.#producer?.getAdvanceLane?.(brokerPayload));
    const members = this.#broadcast.snapshot();
    ledger.fanOut({ raw, brokerPayload, lane }, members, this.#clock.now());
    this.#broadcast.deliver(raw);
  }

  #overflow(subscription: Subscription<Raw>): void {
    const { triggerId, cursor } = subscription;
    const { maxSubscriberQueue } = this.#policy;
    const error = new SubscriberOverflow(this.#text, triggerId, maxSubscriberQueue);
    const eventId = this.#ledger?.newestEventId;
    this.#broadcast.invalidateSnapshot();
    if (this.#ledger === undefined) cursor.hasFailed = true;
    this.#ledger?.failAll(cursor);
    subscription.fail(error);
    const reason = "overflow";
    this.#reporter.forceFailed({ reason, key: this.key, triggerId, eventId, error });
  }

  #scheduleScan(): void {
    const { ackTimeoutMs } = this.#policy;
    const everyMs = Math.max(SCAN_MS_MIN, ackTimeoutMs / SCANS_PER_TIMEOUT);
    this.#scanTimer = this.#clock.setTimer(everyMs, () => {
      this.#scan();
      if (this.isLive) this.#scheduleScan();
    });
  }

  #scan(): void {
    const { ackTimeoutMs } = this.#policy;
    const overdue = this.#ledger?.failOverdue(this.#clock.now()) ?? [];
    if (overdue.length === 0) return;
    this.#broadcast.invalidateSnapshot();
    const byCursor = new Map([...this.#broadcast].map((one) => [one.cursor, one] as const));
    for (const { cursor, eventId } of overdue) {
      const subscription = byCursor.get(cursor);
      invariant(subscription !== undefined, "Whoever is overdue is subscribed");
      const { triggerId } = subscription;
      const error = new AckTimeout(this.#text, triggerId, eventId, ackTimeoutMs);
      subscription.fail(error);
      const reason = "ackTimeout";
      this.#reporter.forceFailed({ reason, key: this.key, triggerId, eventId, error });
    }
  }

  /**
   * The one way in which a group fails: evict it, fail every subscriber, then drain and close. An
   * advance that throws while a stopped group drains also fails those who are still subscribed
   * (C-130); a poll that throws then is only the source's way to end.
   */
  #fail(cause: GroupFailure["cause"], error: unknown): void {
    const wasLive = this.isLive;
    if (this.#state === "failed" || (cause === "poll" && !wasLive)) return;
    this.#state = "failed";
    if (wasLive) this.#owner.evict();
    // All subscribers get the same error object (C-132).
    for (const subscription of [...this.#broadcast]) subscription.fail(error);
    try {
      this.#reporter.groupFailed({ key: this.key, cause, error });
    } finally {
      if (wasLive) this.#shutDown();
    }
  }

  /** Synchronous up to the first await, so that nothing more is broadcast after a stop. */
  #shutDown(): void {
    if (this.#scanTimer !== undefined) this.#clock.clearTimer(this.#scanTimer);
    this.#endGrace?.();
    // From here on confirmations are ignored, and the events that wait for one abandoned (C-062).
    this.#ledger?.forgetSeqs();
    this.#abort.abort();
    this.#closed = this.#close();
  }

  async #close(): Promise<void> {
    // What is resolved while the source closes is still advanced (C-124).
    await closeSource(this.#iterator, this.#isPulling, (error) => {
      this.#reporter.closeFailed({ key: this.key, part: "source", error });
    });
    await this.#pump?.drain();
    try {
      await this.#producer?.aclose?.();
    } catch (error) {
      this.#reporter.closeFailed({ key: this.key, part: "producer", error });
    }
  }
}
