import type { Step } from "../step.ts";
import type { SettleAct } from "../trace.ts";
import type { World } from "../world.ts";
import { Arrivals } from "./arrivals.ts";
import type { Publication, Wire } from "./broker.ts";
import { refIn } from "./ref-in.ts";

/**
 * What keeps records of one key in order.
 *
 * - `none`: nothing does.
 * - `group`: while one is in flight, no later receive brings another of its group (SQS FIFO).
 * - `key`: several may be in flight with one consumer; what befalls one befalls all later ones of
 *   its key, those included that were acknowledged already (Pub/Sub).
 * - `session`: whoever takes a key takes it as a whole, and asks for it by name (Service Bus).
 */
export type LeaseOrder = "none" | "group" | "key" | "session";

export interface LeasedQueueOptions {
  readonly order: LeaseOrder;
  /** Failed deliveries after which the broker itself dead-letters a record; undefined: never. */
  readonly deliveriesMax: number | undefined;
}

/** One delivery of a record to one consumer. */
export interface LeasedDelivery {
  readonly ref: string;
  readonly key: string;
  /** Counts the records of the queue from 1. */
  readonly sequence: number;
  /** Names this delivery and no other. */
  readonly handle: string;
  /** How often the record was delivered, this time included. */
  readonly deliveries: number;
  /** How often a delivery of it came to nothing before. */
  readonly failures: number;
  readonly publishedAt: number;
  readonly leasedUntil: number;
}

/**
 * What a handle is worth: `held` as long as its lease lasts, `lapsed` when the lease has ended and
 * nobody else has the record yet, `stale` when somebody has or had, `settled` when the record is
 * gone, `unknown` when the queue never gave it out.
 */
export type HandleState = "held" | "lapsed" | "stale" | "settled" | "unknown";

/** Traced as the reason when the broker takes a settlement that changes nothing. */
export const NO_EFFECT = "NoEffect";

/** Sooner than what was delivered is settled as a rule. */
const INTERRUPT_AFTER_MS = 100;

interface Lease {
  readonly consumer: string;
  readonly since: number;
  until: number;
  expiry: Step | undefined;
}

interface LeasedRecord extends Publication {
  readonly sequence: number;
  readonly publishedAt: number;
  deliveries: number;
  failures: number;
  handle: string;
  lease: Lease | undefined;
  /** Acknowledged, but an earlier one of its key is not: that is not final. */
  acknowledgedBy: string | undefined;
  isDeferred: boolean;
  isGone: boolean;
}

/**
 * A queue whose deliveries are leases: a visibility timeout, an ack deadline, a message lock.
 *
 * Holds:
 * - **A record comes again** when its lease ends before it was settled, and each delivery has a
 *   handle of its own.
 * - **A lease ends at one instant**, renewed or not, and its end is traced as `lapsed`.
 * - **Order** is kept as its `order` says, across redeliveries.
 * - **Nothing is decided twice**: a record that is gone stays gone, whatever handle is shown.
 */
export class LeasedQueue {
  readonly #arrivals = new Arrivals();
  /** How often there may have come something to take. */
  #changes = 0;
  readonly #world: World;
  readonly #host: string;
  readonly #options: LeasedQueueOptions;
  readonly #records: LeasedRecord[] = [];
  readonly #byHandle = new Map<string, LeasedRecord>();
  #strikeNext: (() => void) | undefined;
  /** Records before this index are gone. */
  #firstLeft = 0;

  constructor(world: World, host: string, options: LeasedQueueOptions) {
    this.#world = world;
    this.#host = host;
    this.#options = options;
  }

  publish({ ref, key }: Publication): void {
    this.#records.push({
      ref,
      key,
      sequence: this.#records.length + 1,
      publishedAt: this.#world.now,
      deliveries: 0,
      failures: 0,
      handle: "",
      lease: undefined,
      acknowledgedBy: undefined,
      isDeferred: false,
      isGone: false,
    });
    this.#world.trace.emit(this.#host, { kind: "published", ref, key });
    this.#ring();
  }

  owed(): readonly string[] {
    return this.#left().map(({ ref }) => ref);
  }

  /** A producer writes a dead letter of its own: the text names its record somewhere. */
  keepDeadLetter(text: string): void {
    const ref = refIn(text);
    if (ref !== undefined) this.#world.trace.emit(this.#host, { kind: "dead-lettered", ref });
  }

  /** Leases what is ready, at most `countMax`, in order; only records of `key` when one is given. */
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
      } else if (this.#isBarrier(record, consumer)) {
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

  /** Leases one deferred record by its sequence number, which deferring alone makes possible. */
  takeDeferred(consumer: string, sequence: number, leaseMs: number): LeasedDelivery | undefined {
    const record = this.#records[sequence - 1];
    if (record === undefined || record.isGone || !record.isDeferred) return undefined;
    return record.lease === undefined ? this.#lease(record, consumer, leaseMs) : undefined;
  }

  /** Keys that have something ready, in order, for a consumer that takes a key at a time. */
  readyKeys(): readonly string[] {
    const ready = this.#left().filter((record) => this.#isReady(record));
    return [...new Set(ready.map(({ key }) => key))];
  }

  stateOf(handle: string): HandleState {
    const record = this.#byHandle.get(handle);
    if (record === undefined) return "unknown";
    if (record.isGone || record.acknowledgedBy !== undefined) return "settled";
    if (record.handle !== handle) return "stale";
    return record.lease === undefined ? "lapsed" : "held";
  }

  /** When the record was leased under this handle; undefined when it is not held. */
  leasedSince(handle: string): number | undefined {
    return this.#held(handle)?.lease?.since;
  }

  /** Ends the record's life: no delivery of it comes any more. */
  settle(consumer: string, handle: string): void {
    const record = this.#byHandle.get(handle);
    if (record === undefined || record.isGone) return;
    this.#endLease(record);
    record.acknowledgedBy = consumer;
    if (this.#options.order === "key") {
      this.#settlePrefix(record.key);
    } else {
      this.#remove(record);
      this.#world.trace.emit(this.#host, { kind: "settled", ref: record.ref, consumer });
    }
    this.#ring();
  }

  /** Moves the lease's end; 0 ms gives the record back at once, as a failed delivery. */
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

  /** Sets the record aside: it is delivered only to who asks for it by its sequence number. */
  defer(handle: string): void {
    const record = this.#held(handle);
    if (record === undefined) return;
    this.#endLease(record);
    record.isDeferred = true;
  }

  /** The broker keeps the record as a dead letter, and delivers it no more. */
  deadLetter(consumer: string, handle: string): void {
    const record = this.#byHandle.get(handle);
    if (record !== undefined && !record.isGone) this.#moveAway(record, consumer);
  }

  /** Who held a key as a whole has lost it: its deliveries lapse. */
  lapseKey(key: string): void {
    for (const record of this.#left()) {
      if (record.key === key && record.lease !== undefined) this.#lapse(record, record.lease);
    }
  }

  /** Who held a key as a whole lets go of it: its deliveries are void, and none of them failed. */
  releaseKey(key: string): void {
    for (const record of this.#left()) if (record.key === key) this.#endLease(record);
    this.#ring();
  }

  /** Ends all leases early, as failed deliveries that nobody is to blame for. */
  giveBackAll(): void {
    for (const record of this.#left()) if (record.lease !== undefined) this.#giveBack(record);
  }

  /**
   * Strikes leases in flight: an operator makes them visible, a broker moves. With none in flight
   * those that come next, a moment after they began.
   */
  interrupt(strike: () => void): void {
    if (this.#left().some(({ lease }) => lease !== undefined)) strike();
    else this.#strikeNext = strike;
  }

  /** What a look at the queue is worth: it is out of date when the number has changed. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Resolves when there may be something to take that was not there at `changes`, after `ms`, or
   * when `signal` aborts.
   */
  async changed(wire: Wire, changes: number, ms: number, signal?: AbortSignal): Promise<void> {
    // News that came while the last answer was on its way must not be waited for.
    if (this.#changes === changes) await this.#arrivals.wait(wire, ms, signal);
  }

  /** A client tries to settle a delivery; `refused` names the broker's error. */
  traceSettle(consumer: string, handle: string, act: SettleAct, refused = ""): void {
    const ref = this.#byHandle.get(handle)?.ref ?? "";
    this.#world.trace.emit(this.#host, { kind: "settle", ref, consumer, handle, act, refused });
  }

  #ring(): void {
    this.#changes += 1;
    this.#arrivals.ring();
  }

  #left(): LeasedRecord[] {
    while (this.#records[this.#firstLeft]?.isGone === true) this.#firstLeft += 1;
    return this.#records.slice(this.#firstLeft).filter(({ isGone }) => !isGone);
  }

  #isReady(record: LeasedRecord): boolean {
    return record.lease === undefined && record.acknowledgedBy === undefined && !record.isDeferred;
  }

  /** Whether a record that cannot be had keeps the later ones of its key back. */
  #isBarrier(record: LeasedRecord, consumer: string): boolean {
    if (record.isDeferred) return false;
    switch (this.#options.order) {
      case "none":
      case "session":
        return false;
      case "group":
        return true;
      case "key":
        return record.acknowledgedBy === undefined && record.lease?.consumer !== consumer;
      default:
        return this.#options.order satisfies never;
    }
  }

  #lease(record: LeasedRecord, consumer: string, leaseMs: number): LeasedDelivery {
    record.deliveries += 1;
    record.handle = `${record.ref}.${record.deliveries}`;
    this.#byHandle.set(record.handle, record);
    const { now } = this.#world;
    const lease: Lease = { consumer, since: now, until: now, expiry: undefined };
    record.lease = lease;
    this.#runUntil(record, lease, now + leaseMs);
    const { ref, key, sequence, handle, deliveries, failures, publishedAt } = record;
    const unit = this.#options.order === "none" ? "" : key;
    this.#world.trace.emit(this.#host, { kind: "delivered", ref, consumer, unit });
    const leasedUntil = lease.until;
    return { ref, key, sequence, handle, deliveries, failures, publishedAt, leasedUntil };
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

  #lapse(record: LeasedRecord, { consumer }: Lease): void {
    this.#world.trace.emit(this.#host, { kind: "lapsed", consumer, ref: record.ref });
    this.#giveBack(record);
  }

  /** A delivery came to nothing; with ordering keys, that of all later ones of its key, too. */
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
      this.#moveAway(record, this.#host);
    }
    this.#ring();
  }

  #settlePrefix(key: string): void {
    for (const record of this.#left()) {
      if (record.key !== key) continue;
      const consumer = record.acknowledgedBy;
      if (consumer === undefined) return;
      this.#remove(record);
      this.#world.trace.emit(this.#host, { kind: "settled", ref: record.ref, consumer });
    }
  }

  #moveAway(record: LeasedRecord, consumer: string): void {
    const { ref } = record;
    this.#remove(record);
    this.#world.trace.emit(this.#host, { kind: "dead-lettered", ref });
    this.#world.trace.emit(this.#host, { kind: "settled", ref, consumer });
    if (this.#options.order === "key") this.#settlePrefix(record.key);
    this.#ring();
  }

  #remove(record: LeasedRecord): void {
    this.#endLease(record);
    record.isGone = true;
  }

  #held(handle: string): LeasedRecord | undefined {
    return this.stateOf(handle) === "held" ? this.#byHandle.get(handle) : undefined;
  }
}
