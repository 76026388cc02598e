import type { Step } from "../../kernel/step.ts";
import type { World } from "../../kernel/world.ts";
import type { LeasedDelivery } from "../lease.ts";
import { LeasedQueue } from "../leased-queue.ts";
import { Refusal } from "../refusal.ts";
import { ServiceBusError, type ServiceBusErrorCode } from "./service-bus-error.ts";

export interface ServiceBusQueueOptions {
  readonly lockMs: number;
  /** The queue dead-letters a message after this many failed deliveries. */
  readonly maxDeliveryCount: number;
  readonly requiresSession: boolean;
}

export type ServiceBusSettlement = "complete" | "abandon" | "defer" | "deadLetter";

const ACTS = {
  complete: "ack",
  abandon: "nack",
  defer: "defer",
  deadLetter: "terminate",
} as const;

/** Longer than any run: a message of a session is locked for as long as its session. */
const SESSION_MESSAGE_LEASE_MS = 1e12;

/** A session that a receiver has locked. */
export interface AcceptedSession {
  readonly id: string;
  readonly lockedUntil: number;
}

interface SessionLock {
  readonly consumer: string;
  until: number;
  expiry: Step | undefined;
}

/**
 * The server side of one queue, in peek-lock mode.
 *
 * Holds:
 * - settling or renewing a message whose lock has ended fails with `MessageLockLost`, or with
 *   `SessionLockLost` in a session;
 * - a session is locked by one receiver at a time; when the lock ends, so do its deliveries;
 * - an abandoned or lapsed delivery counts as failed; at the maximum the message is dead-lettered.
 */
export class ServiceBusQueue {
  readonly leases: LeasedQueue;
  readonly options: ServiceBusQueueOptions;
  /** While it is on, the account may not listen. */
  readonly denial: Refusal;
  readonly #world: World;
  readonly #host: string;
  readonly #sessions = new Map<string, SessionLock>();

  constructor(world: World, host: string, options: ServiceBusQueueOptions) {
    this.#world = world;
    this.#host = host;
    this.options = options;
    this.denial = new Refusal(world);
    this.leases = new LeasedQueue(world, host, {
      order: options.requiresSession ? "session" : "none",
      deliveriesMax: options.maxDeliveryCount,
    });
  }

  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  get epochMs(): number {
    return this.#world.epochMs;
  }

  receive(consumer: string, countMax: number, session?: string): readonly LeasedDelivery[] {
    if (session === undefined) return this.leases.take(consumer, countMax, this.options.lockMs);
    this.#assertSession(consumer, session);
    return this.leases.take(consumer, countMax, SESSION_MESSAGE_LEASE_MS, session);
  }

  /** @throws {ServiceBusError} `MessageNotFound` for a message that is not deferred, or locked */
  receiveDeferred(
    consumer: string,
    sequences: readonly number[],
    session?: string,
  ): readonly LeasedDelivery[] {
    if (session !== undefined) this.#assertSession(consumer, session);
    const leaseMs = session === undefined ? this.options.lockMs : SESSION_MESSAGE_LEASE_MS;
    return sequences.map((sequence) => {
      const delivery = this.leases.takeDeferred(consumer, sequence, leaseMs);
      if (delivery !== undefined) return delivery;
      throw new ServiceBusError(`No deferred message ${sequence}`, "MessageNotFound");
    });
  }

  /** @throws {ServiceBusError} when the lock, or that of its session, has ended */
  settle(consumer: string, handle: string, how: ServiceBusSettlement): void {
    const { leases } = this;
    const act = ACTS[how];
    if (leases.stateOf(handle) !== "held") {
      const error = this.#lockLost(handle);
      leases.traceSettle(consumer, handle, act, error.code);
      throw error;
    }
    leases.traceSettle(consumer, handle, act);
    switch (how) {
      case "complete":
        leases.settle(consumer, handle);
        break;
      case "abandon":
        leases.extend(handle, 0);
        break;
      case "defer":
        leases.defer(handle);
        break;
      case "deadLetter":
        leases.deadLetter(consumer, handle);
        break;
      default:
        how satisfies never;
    }
  }

  /** Renews the lock of one message; returns when it ends. */
  renew(consumer: string, handle: string): number {
    if (this.leases.stateOf(handle) !== "held") {
      const error = this.#lockLost(handle);
      this.leases.traceSettle(consumer, handle, "extend", error.code);
      throw error;
    }
    this.leases.traceSettle(consumer, handle, "extend");
    return this.leases.extend(handle, this.options.lockMs);
  }

  /**
   * Locks the wanted session, or else the first unlocked one with messages, if there is one.
   *
   * @throws {ServiceBusError} `SessionCannotBeLocked` when another receiver has locked it
   */
  acceptSession(consumer: string, wanted: string | undefined): AcceptedSession | undefined {
    const id = wanted ?? this.leases.readyKeys().find((key) => !this.#sessions.has(key));
    if (id === undefined) return undefined;
    if (this.#sessions.has(id)) {
      throw new ServiceBusError(`Session ${id} is locked already`, "SessionCannotBeLocked");
    }
    const lock: SessionLock = { consumer, until: 0, expiry: undefined };
    this.#sessions.set(id, lock);
    this.#extendLock(id, lock);
    return { id, lockedUntil: lock.until };
  }

  /** @throws {ServiceBusError} `SessionLockLost` when the receiver's lock has ended */
  renewSession(consumer: string, session: string): number {
    const lock = this.#assertSession(consumer, session);
    this.leases.traceSettle(consumer, `session ${session}`, "extend");
    this.#extendLock(session, lock);
    return lock.until;
  }

  /** Releases a session; its deliveries end without counting as failed. */
  releaseSession(consumer: string, session: string): void {
    const lock = this.#sessions.get(session);
    if (lock?.consumer !== consumer) return;
    this.#unlock(session, lock);
    this.leases.releaseKey(session);
  }

  /** @throws {ServiceBusError} `UnauthorizedAccess`, while the account may not listen */
  assertMayListen(): void {
    if (!this.denial.isOn) return;
    const claims = "'Listen' claim(s) are required to perform this operation";
    throw new ServiceBusError(`Unauthorized access. ${claims}.`, "UnauthorizedAccess");
  }

  /** Ends all links, and with them the locks of sessions; those of messages stay. */
  detachAll(): void {
    for (const [session, lock] of this.#sessions) {
      this.#unlock(session, lock);
      this.leases.releaseKey(session);
    }
    this.leases.wake();
  }

  /** Ends all locks, as when the service moves the queue to another node. */
  loseLocks(name: string): void {
    this.leases.interrupt(name, () => {
      for (const [session, lock] of this.#sessions) this.#unlock(session, lock);
      this.leases.giveBackAll();
    });
  }

  #extendLock(session: string, lock: SessionLock): void {
    if (lock.expiry !== undefined) lock.expiry.cancelled = true;
    const { lockMs } = this.options;
    lock.until = this.#world.now + lockMs;
    lock.expiry = this.#world.schedule(lockMs, { lane: `${this.#host} leases`, hop: false }, () => {
      this.#unlock(session, lock);
      this.leases.lapseKey(session);
      this.leases.releaseKey(session);
    });
  }

  #unlock(session: string, lock: SessionLock): void {
    if (lock.expiry !== undefined) lock.expiry.cancelled = true;
    this.#sessions.delete(session);
  }

  #assertSession(consumer: string, session: string): SessionLock {
    const lock = this.#sessions.get(session);
    if (lock?.consumer === consumer) return lock;
    throw new ServiceBusError(`The lock of session ${session} is lost`, "SessionLockLost");
  }

  #lockLost(handle: string): ServiceBusError {
    const code: ServiceBusErrorCode = this.options.requiresSession
      ? "SessionLockLost"
      : "MessageLockLost";
    return new ServiceBusError(`The lock ${handle} is invalid: it has expired`, code);
  }
}
