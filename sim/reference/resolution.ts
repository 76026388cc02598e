import { type AdvanceItem, AdvanceOutcome } from "../../src/shared-stream/mod.ts";

/** One subscriber's part in one outstanding event. */
interface Binding {
  isClosed: boolean;
  /** Sequence numbers that are not confirmed yet. */
  readonly seqs: Set<number>;
}

/** One broadcast event that is not advanced yet. */
interface OutstandingEvent {
  readonly brokerPayload: unknown;
  readonly createdAt: number;
  /** The subscribers that must still resolve it, by trigger id and not by subscription (E-06). */
  readonly pending: Map<number, Binding>;
  acked: number;
  failed: number;
  rejected: number;
}

type Fate = "acked" | "failed" | "rejected";

/** What resolution needs from its group. */
export interface ResolutionOwner {
  takeSeq(): number;
  /** Called when an event has been resolved by all. */
  wakePump(): void;
  /**
   * Whether the trigger id has a subscription, the one that received the event or a later one.
   */
  isSubscribed(triggerId: number): boolean;
  /**
   * Marks the subscriber as failed and puts the timeout in its queue; `scan` fails its events.
   */
  timeOut(triggerId: number, eventId: number): void;
}

/**
 * The bookkeeping of a group in ack mode, in Airflow's own maps: outstanding events by id, event
 * ids by lane, open windows by trigger id, owners by sequence number.
 */
export class Resolution {
  readonly #owner: ResolutionOwner;
  readonly #outstanding = new Map<number, OutstandingEvent>();
  readonly #lanes = new Map<string, number[]>();
  readonly #openWindows = new Map<number, number>();
  readonly #seqs = new Map<number, readonly [eventId: number, triggerId: number]>();
  #nextEventId = 0;

  constructor(owner: ResolutionOwner) {
    this.#owner = owner;
  }

  /** Returns the lanes with outstanding events, in the order in which they appeared. */
  laneTexts(): readonly string[] {
    return [...this.#lanes.keys()];
  }

  /** Adds an event that `members` must resolve; returns its id. */
  add(
    event: { readonly brokerPayload: unknown; readonly lane: string; readonly createdAt: number },
    members: readonly number[],
  ): number {
    const eventId = this.#nextEventId;
    this.#nextEventId += 1;
    const pending = new Map<number, Binding>();
    for (const triggerId of members) pending.set(triggerId, { isClosed: false, seqs: new Set() });
    const { brokerPayload, lane, createdAt } = event;
    this.#outstanding.set(eventId, {
      brokerPayload,
      createdAt,
      pending,
      acked: 0,
      failed: 0,
      rejected: 0,
    });
    const queue = this.#lanes.get(lane);
    if (queue === undefined) this.#lanes.set(lane, [eventId]);
    else queue.push(eventId);
    return eventId;
  }

  openWindow(triggerId: number, eventId: number): void {
    this.#openWindows.set(triggerId, eventId);
  }

  closeWindow(triggerId: number, eventId: number): void {
    if (this.#openWindows.get(triggerId) === eventId) this.#openWindows.delete(triggerId);
    const binding = this.#outstanding.get(eventId)?.pending.get(triggerId);
    if (binding === undefined) return;
    binding.isClosed = true;
    this.#complete(eventId, triggerId, binding);
  }

  /**
   * Returns a sequence number that the open event of the trigger waits for, or null if it has no
   * unresolved open event.
   */
  bind(triggerId: number): number | null {
    const eventId = this.#openWindows.get(triggerId);
    if (eventId === undefined) return null;
    const binding = this.#outstanding.get(eventId)?.pending.get(triggerId);
    if (binding === undefined) return null;
    const seq = this.#owner.takeSeq();
    binding.seqs.add(seq);
    this.#seqs.set(seq, [eventId, triggerId]);
    return seq;
  }

  confirm(seqs: readonly number[]): void {
    for (const seq of seqs) {
      const owner = this.#seqs.get(seq);
      if (owner === undefined) continue;
      this.#seqs.delete(seq);
      const [eventId, triggerId] = owner;
      const binding = this.#outstanding.get(eventId)?.pending.get(triggerId);
      if (binding === undefined) continue;
      binding.seqs.delete(seq);
      this.#complete(eventId, triggerId, binding);
    }
  }

  /**
   * Rejects an event, even if its window is closed (E-09); returns false when it is resolved.
   */
  reject(triggerId: number, eventId: number): boolean {
    return this.#resolve(eventId, triggerId, "rejected");
  }

  /** Fails everything pending for the trigger id. Looks at each outstanding event once. */
  failAll(triggerId: number): void {
    for (const eventId of [...this.#outstanding.keys()]) {
      this.#resolve(eventId, triggerId, "failed");
    }
  }

  /**
   * Removes a subscriber: what it passed and its open event count as passed, although its filter
   * may have raised or been cancelled there (E-03); what it never pulled is failed. Looks at each
   * outstanding event once.
   */
  leave(triggerId: number): void {
    const open = this.#openWindows.get(triggerId);
    this.#openWindows.delete(triggerId);
    for (const [eventId, event] of [...this.#outstanding]) {
      const binding = event.pending.get(triggerId);
      if (binding === undefined) continue;
      if (binding.isClosed || eventId === open) {
        binding.isClosed = true;
        this.#complete(eventId, triggerId, binding);
      } else {
        this.#resolve(eventId, triggerId, "failed");
      }
    }
  }

  /**
   * Looks at everything outstanding, and again at all of it for each trigger id that is late,
   * without yielding (E-13). It ignores the age of that trigger's other events (E-17), and whether
   * the id still belongs to the subscription that received them (E-06).
   */
  scan(now: number, timeoutMs: number): void {
    for (const [eventId, event] of [...this.#outstanding]) {
      if (now - event.createdAt < timeoutMs) continue;
      for (const triggerId of [...event.pending.keys()]) {
        if (this.#owner.isSubscribed(triggerId)) this.#owner.timeOut(triggerId, eventId);
        this.failAll(triggerId);
      }
    }
  }

  /** Removes the longest resolved prefix of a lane; empty when its head is unresolved. */
  harvest(lane: string): readonly AdvanceItem[] {
    const queue = this.#lanes.get(lane) ?? [];
    const batch: AdvanceItem[] = [];
    for (const eventId of queue) {
      const event = this.#outstanding.get(eventId);
      if (event === undefined || event.pending.size > 0) break;
      this.#outstanding.delete(eventId);
      const outcome = new AdvanceOutcome(event.acked, event.failed, event.rejected);
      batch.push({ brokerPayload: event.brokerPayload, outcome });
    }
    queue.splice(0, batch.length);
    if (queue.length === 0) this.#lanes.delete(lane);
    return batch;
  }

  #complete(eventId: number, triggerId: number, binding: Binding): void {
    if (binding.isClosed && binding.seqs.size === 0) this.#resolve(eventId, triggerId, "acked");
  }

  #resolve(eventId: number, triggerId: number, fate: Fate): boolean {
    const event = this.#outstanding.get(eventId);
    const binding = event?.pending.get(triggerId);
    if (event === undefined || binding === undefined) return false;
    event.pending.delete(triggerId);
    for (const seq of binding.seqs) this.#seqs.delete(seq);
    event[fate] += 1;
    if (event.pending.size === 0) this.#owner.wakePump();
    return true;
  }
}
