import type { World } from "../kernel/world.ts";
import type { SettleAct } from "../trace/trace.ts";
import { Arrivals } from "./arrivals.ts";
import type { ClientPort, Publication } from "./broker.ts";
import type {
  HandleState,
  LeasedDelivery,
  LeasedQueueOptions,
  QueueCounts,
  SentMessage,
} from "./lease.ts";
import { isBarrier, type Lease, type LeasedRecord, tracedRef } from "./leased-record.ts";
import { refIn } from "./ref-in.ts";
import { SettlementLog } from "./settlement-log.ts";

/** Short enough to strike deliveries that are still in flight. */
const INTERRUPT_AFTER_MS = 100;

/**
 * A queue whose deliveries are leases: a visibility timeout, an ack deadline, a message lock.
 *
 * Holds:
 * - **Redelivery**: a record whose lease ends unsettled is delivered again, with a new handle.
 * - **Expiry**: a lease that is not renewed ends at its deadline and is traced as `lapsed`.
 * - **Order** is kept as the option `order` says, across redeliveries.
 * - **Finality**: a settled record is not delivered again, whatever handle a client presents.
 *
 * Each call takes place at one instant: a client makes it inside `port.call`. The queue traces what
 * happens to its records, but for attempts to settle, which the client traces by `traceSettle`.
 *
 * @example
 * ```ts
 * import { LeasedQueue } from "faultlane/brokers";
 * import { SeededChoices, World } from "faultlane/sim";
 *
 * const world = new World(new SeededChoices(1), { keepTrace: true });
 * const queue = new LeasedQueue(world, "broker", { order: "none", deliveriesMax: undefined });
 * queue.publish({ ref: "ref-000001", key: "key-1" });
 * const [delivery] = queue.take("me", 10, 5_000);
 * await world.run(6_000);
 * console.log(queue.stateOf(delivery?.handle ?? "")); // => lapsed
 * console.log(queue.take("me", 10, 5_000)[0]?.deliveries); // => 2
 * ```
 */
export class LeasedQueue {
  readonly #arrivals = new Arrivals();
  readonly #settlements: SettlementLog;
  readonly #world: World;
  readonly #host: string;
  readonly #options: LeasedQueueOptions;
  readonly #records: LeasedRecord[] = [];
  readonly #byHandle = new Map<string, LeasedRecord>();
  #strikeNext: (() => void) | undefined;
  /** All records before this index are gone. */
  #firstLeft = 0;

  /** Creates an empty queue; its events are those of `host`. */
  constructor(world: World, host: string, options: LeasedQueueOptions) {
    this.#world = world;
    this.#host = host;
    this.#options = options;
    this.#settlements = new SettlementLog(world, host);
  }

  /** Adds a record of the workload. */
  publish(publication: Publication): void {
    this.#add(publication);
    this.#settlements.published(publication);
    this.#arrivals.notify();
  }

  /**
   * Adds a message that a client has sent: it is delivered as a record is, and owed as the one that
   * it is a copy of, if any. Returns its number in the queue.
   *
   * Units: `delayMs` in virtual milliseconds; nobody gets it before.
   */
  send(message: SentMessage): number {
    const { key, content, text = "", delayMs } = message;
    const copyOf = this.#settlements.copied(refIn(text));
    const record = this.#add({ ref: "", key }, content, copyOf);
    if (delayMs > 0) this.#keepBack(record, delayMs);
    this.#arrivals.notify();
    return record.sequence;
  }

  /** Forgets all records: nobody gets them any more, and what is owed stays so. */
  drop(): void {
    for (const record of this.#left()) this.#remove(record);
    this.#arrivals.notify();
  }

  /** Counts the messages that are left: ready, in flight and delayed. */
  counts(): QueueCounts {
    const left = this.#left();
    const ready = left.filter((record) => this.#isReady(record)).length;
    const inFlight = left.filter(({ lease }) => lease !== undefined).length;
    const delayed = left.filter(({ isDelayed }) => isDelayed).length;
    return { ready, inFlight, delayed };
  }

  /** Returns the records that are neither settled nor dead-lettered, oldest first. */
  owed(): readonly string[] {
    return this.#settlements.owed();
  }

  /** Records that a producer has written a dead letter; `text` contains the record's ref. */
  deadLettered(text: string): void {
    this.#settlements.deadLettered(refIn(text));
  }

  /**
   * Leases up to `countMax` ready records in order; only those of `key`, if it is given.
   *
   * Units: `leaseMs` in virtual milliseconds.
   */
  take(
    consumer: string,
    countMax: number,
    leaseMs: number,
    key?: string,
  ): readonly LeasedDelivery[] {
    const taken: LeasedDelivery[] = [];
    const blocked = new Set<string>();
    for (const record of this.#left()) {
      if (taken.length >= countMax) break;
      if (key !== undefined && record.key !== key) continue;
      if (this.#isReady(record) && !blocked.has(record.key)) {
        taken.push(this.#lease(record, consumer, leaseMs));
      } else if (isBarrier(record, consumer, this.#options.order)) {
        blocked.add(record.key);
      }
    }
    const strike = this.#strikeNext;
    if (taken.length > 0 && strike !== undefined) {
      this.#strikeNext = undefined;
      const options = { lane: `${this.#host} leases`, hop: false };
      this.#world.schedule(INTERRUPT_AFTER_MS, options, strike);
    }
    return taken;
  }

  /**
   * Returns the deliveries with the first one under a handle that is not of this queue. Nobody can
   * renew its lease, which ends at its deadline, as a failed delivery but not as one that lapsed.
   */
  misnamed([first, ...others]: readonly LeasedDelivery[]): readonly LeasedDelivery[] {
    if (first === undefined) return others;
    const record = this.#byHandle.get(first.handle);
    if (record?.lease !== undefined) record.lease.isMisnamed = true;
    return [{ ...first, handle: `another-${first.handle}` }, ...others];
  }

  /** Leases a deferred record by its sequence number. */
  takeDeferred(consumer: string, sequence: number, leaseMs: number): LeasedDelivery | undefined {
    const record = this.#records[sequence - 1];
    if (record === undefined || record.isGone || !record.isDeferred) return undefined;
    return record.lease === undefined ? this.#lease(record, consumer, leaseMs) : undefined;
  }

  /** Returns the keys that have ready records, oldest first. */
  readyKeys(): readonly string[] {
    const ready = this.#left().filter((record) => this.#isReady(record));
    return [...new Set(ready.map(({ key }) => key))];
  }

  /** Returns the state of a delivery by its handle. */
  stateOf(handle: string): HandleState {
    const record = this.#byHandle.get(handle);
    if (record === undefined) return "unknown";
    if (record.isGone || record.acknowledgedBy !== undefined) return "settled";
    if (record.handle !== handle) return "stale";
    return record.lease === undefined ? "lapsed" : "held";
  }

  /** Returns when the delivery was made; undefined when its lease has ended. */
  leasedSince(handle: string): number | undefined {
    return this.#held(handle)?.lease?.since;
  }

  /** Settles the record: it is not delivered again. */
  settle(consumer: string, handle: string): void {
    const record = this.#byHandle.get(handle);
    if (record === undefined || record.isGone) return;
    this.#endLease(record);
    record.acknowledgedBy = consumer;
    if (this.#options.order === "key") {
      this.#settlePrefix(record.key);
    } else {
      this.#remove(record);
      this.#settlements.settled(tracedRef(record), consumer);
    }
    this.#arrivals.notify();
  }

  /**
   * Makes the lease end `leaseMs` from now; 0 gives the record back at once, as a failed delivery.
   * Returns when the lease ends.
   */
  extend(handle: string, leaseMs: number): number {
    const record = this.#held(handle);
    if (record?.lease === undefined) return this.#world.now;
    if (leaseMs <= 0) {
      this.#giveBack(record);
      return this.#world.now;
    }
    this.#runUntil(record, record.lease, this.#world.now + leaseMs);
    return record.lease.until;
  }

  /** Sets the record aside: from now on it is delivered only by `takeDeferred`. */
  defer(handle: string): void {
    const record = this.#held(handle);
    if (record === undefined) return;
    this.#endLease(record);
    record.isDeferred = true;
  }

  /** Moves the record to the broker's dead-letter queue. */
  deadLetter(consumer: string, handle: string): void {
    const record = this.#byHandle.get(handle);
    if (record !== undefined && !record.isGone) this.#moveToDeadLetters(record, consumer);
  }

  /** The lock of a key has ended: the deliveries of the key lapse. */
  lapseKey(key: string): void {
    for (const record of this.#left()) {
      if (record.key === key && record.lease !== undefined) this.#lapse(record, record.lease);
    }
  }

  /** The lock of a key was released: its deliveries end without counting as failed. */
  releaseKey(key: string): void {
    for (const record of this.#left()) if (record.key === key) this.#endLease(record);
    this.#arrivals.notify();
  }

  /** Ends all leases early, as failed deliveries. */
  giveBackAll(): void {
    for (const record of this.#left()) if (record.lease !== undefined) this.#giveBack(record);
  }

  /**
   * Calls `strike` while leases are in flight: at once, or shortly after the next ones begin, which
   * may be long after the disturbance was traced, and is traced anew then. For faults such as an
   * operator who makes all records visible.
   */
  interrupt(name: string, strike: () => void): void {
    if (this.#left().some(({ lease }) => lease !== undefined)) return strike();
    this.#strikeNext = () => {
      this.#world.trace.emit(this.#host, { kind: "disturbed", name });
      strike();
    };
  }

  /** Counts the changes of the queue. Read it with the records, and pass it to `changed`. */
  get version(): number {
    return this.#arrivals.version;
  }

  /** Has those that wait for a change look at the queue. */
  wake(): void {
    this.#arrivals.notify();
  }

  /** Resolves when the queue has changed after `version`, after `ms`, or when `signal` aborts. */
  async changed(
    port: ClientPort,
    version: number,
    ms: number,
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.#arrivals.version === version) await this.#arrivals.wait(port, ms, signal);
  }

  /** Traces a client's attempt to settle; `refused` is the name of the broker's error. */
  traceSettle(consumer: string, handle: string, act: SettleAct, refused = ""): void {
    const record = this.#byHandle.get(handle);
    const ref = record === undefined ? undefined : tracedRef(record);
    this.#settlements.attempted({ ref, consumer, handle, act, refused });
  }

  #add({ ref, key, isGarbled }: Publication, content?: unknown, copyOf?: string): LeasedRecord {
    const record: LeasedRecord = {
      ...{ ref, key, isGarbled, content, copyOf, sequence: this.#records.length + 1 },
      ...{ publishedAt: this.#world.now, deliveries: 0, failures: 0, handle: "", isDelayed: false },
      ...{ lease: undefined, acknowledgedBy: undefined, isDeferred: false, isGone: false },
    };
    this.#records.push(record);
    return record;
  }

  #left(): LeasedRecord[] {
    while (this.#records[this.#firstLeft]?.isGone === true) this.#firstLeft += 1;
    return this.#records.slice(this.#firstLeft).filter(({ isGone }) => !isGone);
  }

  #isReady(record: LeasedRecord): boolean {
    if (record.isDeferred || record.isDelayed) return false;
    return record.lease === undefined && record.acknowledgedBy === undefined;
  }

  #keepBack(record: LeasedRecord, ms: number): void {
    record.isDelayed = true;
    this.#world.schedule(ms, { lane: `${this.#host} leases`, hop: false }, () => {
      record.isDelayed = false;
      this.#arrivals.notify();
    });
  }

  #lease(record: LeasedRecord, consumer: string, leaseMs: number): LeasedDelivery {
    record.deliveries += 1;
    const name = record.ref === "" ? `sent-${record.sequence}` : record.ref;
    record.handle = `${name}.${record.deliveries}`;
    this.#byHandle.set(record.handle, record);
    const { now } = this.#world;
    const lease: Lease = { consumer, since: now, until: now, expiry: undefined };
    record.lease = lease;
    this.#runUntil(record, lease, now + leaseMs);
    const { ref, key, isGarbled, sequence, handle, deliveries, failures, publishedAt } = record;
    const unit = this.#options.order === "none" ? "" : key;
    this.#settlements.delivered(tracedRef(record), consumer, unit);
    const numbers = { sequence, deliveries, failures, publishedAt, leasedUntil: lease.until };
    return { ref, key, isGarbled, handle, content: record.content, ...numbers };
  }

  #runUntil(record: LeasedRecord, lease: Lease, until: number): void {
    if (lease.expiry !== undefined) lease.expiry.cancelled = true;
    lease.until = until;
    const options = { lane: `${this.#host} leases`, hop: false };
    lease.expiry = this.#world.schedule(until - this.#world.now, options, () => {
      if (record.lease === lease) this.#lapse(record, lease);
    });
  }

  #endLease(record: LeasedRecord): void {
    if (record.lease?.expiry !== undefined) record.lease.expiry.cancelled = true;
    record.lease = undefined;
  }

  #lapse(record: LeasedRecord, { consumer, isMisnamed }: Lease): void {
    const ref = tracedRef(record);
    if (isMisnamed !== true && ref !== undefined) this.#settlements.lapsed(ref, consumer);
    this.#giveBack(record);
  }

  /** A delivery has failed; with order "key", so have all later ones of its key. */
  #giveBack(record: LeasedRecord): void {
    this.#endLease(record);
    record.failures += 1;
    if (this.#options.order === "key") {
      const later = this.#left().filter(
        ({ key, sequence }) => key === record.key && sequence > record.sequence,
      );
      for (const other of later) {
        other.acknowledgedBy = undefined;
        this.#endLease(other);
      }
    }
    if (record.failures >= (this.#options.deliveriesMax ?? Infinity)) {
      this.#moveToDeadLetters(record, this.#host);
    } else {
      const backoffMs = this.#options.backoffMs?.(record.failures) ?? 0;
      if (backoffMs > 0) this.#keepBack(record, backoffMs);
    }
    this.#arrivals.notify();
  }

  #settlePrefix(key: string): void {
    for (const record of this.#left()) {
      if (record.key !== key) continue;
      const consumer = record.acknowledgedBy;
      if (consumer === undefined) return;
      this.#remove(record);
      this.#settlements.settled(tracedRef(record), consumer);
    }
  }

  #moveToDeadLetters(record: LeasedRecord, consumer: string): void {
    const ref = tracedRef(record);
    this.#remove(record);
    this.#options.deadLettered?.(record);
    this.#settlements.deadLettered(ref, consumer === this.#host);
    this.#settlements.settled(ref, consumer);
    if (this.#options.order === "key") this.#settlePrefix(record.key);
    this.#arrivals.notify();
  }

  #remove(record: LeasedRecord): void {
    this.#endLease(record);
    record.isGone = true;
  }

  #held(handle: string): LeasedRecord | undefined {
    return this.stateOf(handle) === "held" ? this.#byHandle.get(handle) : undefined;
  }
}
