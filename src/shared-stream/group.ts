import { invariant } from "../invariant.ts";
import type { Clock, Logger, TimerHandle } from "../time/mod.ts";
import type { Account } from "./account.ts";
import { closeSource } from "./close-source.ts";
import { AckTimeout, PollTerminated, SubscriberOverflow } from "./errors.ts";
import { keyFromLane, type StreamKey, textFromLaneKey } from "./key.ts";
import { type Holdings, Ledger } from "./ledger.ts";
import type { GroupOwner, GroupPolicy, StreamSource } from "./group-ports.ts";
import type { SharedStreamProducer } from "./producer.ts";
import { Pump } from "./pump.ts";
import {
  type AmbientWindow,
  enterVisit,
  enterWindow,
  leaveVisit,
  type RejectTarget,
  stayInWindow,
} from "./reject.ts";
import { Subscription, type SubscriptionOwner } from "./subscription.ts";

/**
 * `live`: in the map, accepting. `failed`: the failure was broadcast. `stopped`: taken down from
 * outside, nobody was told. From `failed` and `stopped` a group only drains and closes.
 */
type State = "live" | "failed" | "stopped";

/**
 * The shortest time between two scans for overdue events, and how many there are in one timeout.
 */
const SCAN_MS_MIN = 10;
const SCANS_PER_TIMEOUT = 10;

/**
 * All subscribers of one key and the one poll that feeds them.
 *
 * It owns three background acts, the poll, the pump and the scan; whichever fails first ends the
 * group through `#fail`.
 *
 * Holds: from the instant a failure is handled or a stop begins, the key is not in the map, and
 * everyone who is owed the failure has it, before anything is awaited (I1, I13).
 */
export class Group<Raw> implements SubscriptionOwner, RejectTarget {
  readonly key: StreamKey;
  readonly subscriptions: Set<Subscription<Raw>> = new Set();
  isAmbientRejectUsed = false;
  readonly #text: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #policy: GroupPolicy;
  readonly #owner: GroupOwner;
  readonly #source: StreamSource<Raw>;
  readonly #abort = new AbortController();
  readonly #ledger: Ledger<unknown> | undefined;
  /** Whether the lists that follow say who gets the next event. */
  #isSnapshotValid = false;
  #accounts: readonly Account[] = [];
  /** Of those, who iterates its stream, and who visits it. */
  #pulling: readonly Subscription<Raw>[] = [];
  #visiting: readonly Subscription<Raw>[] = [];
  /** Which of those is given an event at this moment. */
  #serving = 0;
  #state: State = "live";
  #pump: Pump | undefined;
  #producer: SharedStreamProducer<Raw> | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  #isStarted = false;
  #isPulling = false;
  #timer: TimerHandle | undefined;
  #ending: Promise<void> | undefined;
  #wakeFromGrace: (() => void) | undefined;

  constructor(
    clock: Clock,
    logger: Logger,
    source: StreamSource<Raw>,
    owner: GroupOwner,
    options: { readonly key: StreamKey; readonly text: string; readonly policy: GroupPolicy },
  ) {
    this.#clock = clock;
    this.#logger = logger;
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

  get isLive(): boolean {
    return this.#state === "live";
  }

  /** Whether nothing is outstanding and no advance is under way. */
  get isIdle(): boolean {
    return this.#ledger?.isEmpty !== false && this.#pump?.isRunning !== true;
  }

  holdings(): Omit<Holdings, "unconfirmed"> & { readonly windows: number } {
    let windows = 0;
    for (const { account } of this.subscriptions) if (account.isOpen) windows += 1;
    const none = { outstanding: 0, lanes: 0 };
    return { ...(this.#ledger?.holdings() ?? none), windows };
  }

  /**
   * Starts the poll; its first step runs after the current turn, so nothing of the trigger's yet.
   */
  start(): void {
    invariant(!this.#isStarted, "The group was already started");
    this.#isStarted = true;
    this.#poll().catch((error: unknown) => this.#fail(error, "The shared stream poll failed"));
  }

  subscribe(triggerId: number): Subscription<Raw> {
    const { maxSubscriberQueue } = this.#policy;
    const subscription = new Subscription<Raw>(triggerId, maxSubscriberQueue, this, this.#ledger);
    this.subscriptions.add(subscription);
    this.#isSnapshotValid = false;
    return subscription;
  }

  bind(account: Account): number | null {
    const ledger = this.#ledger;
    if (ledger === undefined || !account.canBind) return null;
    return this.isLive ? ledger.bind(account) : this.#bindLate(ledger, account);
  }

  /** What it derived cannot be gated any more (spec E-02). */
  #bindLate(ledger: Ledger<unknown>, account: Account): null {
    if (this.#policy.strictPersistence) ledger.fail(account);
    return null;
  }

  /**
   * Ends the stream of a subscription whose group is on its way out: its books stay as they are
   * (C-167).
   */
  abandon(subscription: Subscription<Raw>): void {
    if (!this.subscriptions.delete(subscription)) return;
    subscription.leave();
    subscription.account.close();
  }

  /**
   * Takes a subscription out; answers at once, and the caller stops the group if it was the last.
   */
  remove(subscription: Subscription<Raw>): void {
    if (!this.subscriptions.delete(subscription)) return;
    this.#isSnapshotValid = false;
    subscription.leave();
    const ledger = this.#ledger;
    if (ledger === undefined) return;
    const { account } = subscription;
    if (this.#policy.strictPersistence && !account.hasBound) ledger.fail(account);
    ledger.leave(account);
  }

  /** Takes the group down without telling anybody; resolves when it has drained and closed. */
  stop(): Promise<void> {
    if (this.#state === "live") {
      this.#state = "stopped";
      this.#shutDown();
    }
    return this.#ending ?? Promise.resolve();
  }

  rejectWindow(account: Account, triggerId: number): void {
    const ledger = this.#ledger;
    if (ledger === undefined || !account.canBind) return;
    const eventId = ledger.openEventId(account);
    this.#logger.info("A subscriber rejected a shared stream event", {
      key: this.key,
      triggerId,
      eventId,
    });
    ledger.reject(account);
  }

  warnOutsideWindow(triggerId: number): void {
    this.#logger.warn("Cannot reject a shared stream event outside an ack-mode binding window", {
      key: this.key,
      triggerId,
    });
  }

  visitChanged(): void {
    this.#isSnapshotValid = false;
  }

  enterWindow(target: RejectTarget): AmbientWindow | undefined {
    return enterWindow(target, this.#logger);
  }

  stayInWindow(window: AmbientWindow): boolean {
    return stayInWindow(window, this.#logger);
  }

  async #poll(): Promise<void> {
    await this.#waitForCohort();
    if (!this.isLive) return;
    const { createSharedStreamProducer, openSharedStream } = this.#source;
    const { signal } = this.#abort;
    if (createSharedStreamProducer === undefined) {
      await this.#broadcastAll(openSharedStream?.(signal) as AsyncIterable<Raw>);
      return;
    }
    const producer = createSharedStreamProducer();
    if (typeof producer?.openStream !== "function" || typeof producer.advance !== "function") {
      throw new TypeError(
        `Cannot poll shared stream ${this.#text}: its factory returned no producer with openStream and advance`,
      );
    }
    this.#producer = producer;
    // A factory that took its own group down has a producer that is only to be closed.
    if (!this.isLive) return;
    this.#pump = new Pump(this.#ledger as Ledger<unknown>, producer, (error, batch) => {
      const lane = textFromLaneKey(batch.lane);
      const fields = { key: this.key, lane, batchSize: batch.items.length, error };
      this.#logger.error("The shared stream advance failed", fields);
      this.#fail(error, undefined);
    });
    this.#scheduleScan();
    await this.#broadcastAll(producer.openStream(signal));
  }

  /** Resolves after the grace, or at once when there is none; a stop ends the wait. */
  async #waitForCohort(): Promise<void> {
    const { cohortGraceMs } = this.#policy;
    if (cohortGraceMs <= 0) return await Promise.resolve();
    await new Promise<void>((resolve) => {
      const timer = this.#clock.setTimer(cohortGraceMs, resolve);
      this.#wakeFromGrace = () => {
        this.#clock.clearTimer(timer);
        resolve();
      };
    });
  }

  async #broadcastAll(source: AsyncIterable<unknown>): Promise<void> {
    const iterator = source[Symbol.asyncIterator]();
    this.#iterator = iterator;
    for (;;) {
      this.#isPulling = true;
      const result = await iterator.next();
      this.#isPulling = false;
      if (!this.isLive) return;
      if (result.done === true) throw new PollTerminated(this.#text);
      if (this.#ledger === undefined) this.#broadcast(result.value as Raw);
      else this.#fanOut(this.#ledger, result.value);
      // A visitor, other than a filter that is pulled, may have taken the group down meanwhile.
      if (!this.isLive) return;
    }
  }

  #broadcast(raw: Raw): void {
    this.#takeSnapshot();
    this.#deliver(raw);
  }

  /** Lane, snapshot, entry, delivery: at one stretch, so that nobody sees half a broadcast. */
  #fanOut(ledger: Ledger<unknown>, item: unknown): void {
    if (!Array.isArray(item) || item.length !== 2) {
      throw new TypeError(
        `Cannot broadcast an item of shared stream ${this.#text}: a producer yields [rawEvent, brokerPayload] pairs`,
      );
    }
    const [raw, brokerPayload] = item as [Raw, unknown];
    const lane = keyFromLane(this.#producer?.getAdvanceLane?.(brokerPayload));
    this.#takeSnapshot();
    ledger.fanOut({ raw, brokerPayload, lane }, this.#accounts, this.#clock.now());
    this.#deliver(raw);
  }

  /** Who is there and was not force-failed; a list that was taken once does not change. */
  #takeSnapshot(): void {
    if (this.#isSnapshotValid) return;
    const members = [...this.subscriptions].filter(({ account }) => !account.hasFailed);
    this.#accounts = members.map(({ account }) => account);
    this.#pulling = members.filter(({ isVisited }) => !isVisited);
    this.#visiting = members.filter(({ isVisited }) => isVisited);
    this.#isSnapshotValid = true;
  }

  /** Hands an event to all; those who visit see it when everybody else has it. */
  #deliver(raw: Raw): void {
    const [pulling, visiting] = [this.#pulling, this.#visiting];
    for (const member of pulling) if (!member.deliver(raw)) this.#overflow(member);
    if (visiting.length === 0) return;
    enterVisit(this);
    try {
      for (this.#serving = 0; this.#serving < visiting.length; this.#serving += 1) {
        const member = visiting[this.#serving] as Subscription<Raw>;
        if (!member.serve(raw)) this.#overflow(member);
      }
    } finally {
      leaveVisit();
    }
  }

  /** An ambient reject out of a visit is about the window of who is visiting. */
  rejectIfOpen(window: number | undefined): void {
    this.#visiting[this.#serving]?.rejectIfOpen(window);
  }

  #overflow(subscription: Subscription<Raw>): void {
    const { triggerId } = subscription;
    const { maxSubscriberQueue } = this.#policy;
    const error = new SubscriberOverflow(this.#text, triggerId, maxSubscriberQueue);
    this.#logger.warn("A shared stream subscriber was force-failed", {
      key: this.key,
      triggerId,
      reason: "overflow",
      eventId: this.#ledger?.newestEventId,
    });
    this.#isSnapshotValid = false;
    if (this.#ledger === undefined) subscription.account.hasFailed = true;
    this.#ledger?.failAll(subscription.account);
    subscription.fail(error);
  }

  #scheduleScan(): void {
    const { ackTimeoutMs } = this.#policy;
    const everyMs = Math.max(SCAN_MS_MIN, ackTimeoutMs / SCANS_PER_TIMEOUT);
    this.#timer = this.#clock.setTimer(everyMs, () => {
      this.#scan();
      if (this.isLive) this.#scheduleScan();
    });
  }

  #scan(): void {
    const { ackTimeoutMs } = this.#policy;
    const overdue = this.#ledger?.failOverdue(this.#clock.now()) ?? [];
    this.#isSnapshotValid = false;
    const holders = new Map(overdue.length > 0 ? [...this.subscriptions].map(entryOf) : []);
    for (const { account, eventId } of overdue) {
      const subscription = holders.get(account);
      if (subscription === undefined) continue;
      const { triggerId } = subscription;
      this.#logger.warn("A shared stream subscriber was force-failed", {
        key: this.key,
        triggerId,
        reason: "ackTimeout",
        eventId,
      });
      subscription.fail(new AckTimeout(this.#text, triggerId, eventId, ackTimeoutMs));
    }
  }

  /**
   * The one way in which a group fails: evict, tell everyone, then drain and close. A stopped group
   * that fails while it drains tells those who are still there, too (spec C-130).
   */
  #fail(error: unknown, message: string | undefined): void {
    const wasLive = this.isLive;
    if (message !== undefined && wasLive) {
      this.#logger.error(message, { key: this.key, error });
    }
    if (this.#state === "failed") return;
    if (!wasLive && message !== undefined) return;
    this.#state = "failed";
    if (wasLive) this.#owner.evict();
    // All get the same error object: it says the same thing to all of them (spec C-132).
    for (const subscription of [...this.subscriptions]) subscription.fail(error);
    if (wasLive) this.#shutDown();
  }

  /**
   * Synchronous up to the first await, so that the caller may promise that nothing more happens.
   */
  #shutDown(): void {
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    this.#wakeFromGrace?.();
    // From here on confirmations are ignored, and their events abandoned (spec C-062).
    this.#ledger?.forgetSeqs();
    this.#abort.abort();
    this.#ending = this.#close();
  }

  async #close(): Promise<void> {
    const closing = closeSource(this.#iterator, this.#isPulling, (error) => {
      this.#logger.warn("The shared stream source failed to close", { key: this.key, error });
    });
    // What is resolved while the source comes to its end still goes (spec C-124).
    await closing;
    await this.#pump?.drain();
    try {
      await this.#producer?.aclose?.();
    } catch (error) {
      this.#logger.warn("The shared stream producer failed to close", { key: this.key, error });
    }
  }
}

function entryOf<Raw>(subscription: Subscription<Raw>): [Account, Subscription<Raw>] {
  return [subscription.account, subscription];
}
