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
  /**
   * Who must still resolve it, by bare trigger id: of which subscription is not known (spec
   * E-06).
   */
  readonly pending: Map<number, Binding>;
  acked: number;
  failed: number;
  rejected: number;
}

type Fate = "acked" | "failed" | "rejected";

/** What resolution needs from its group. */
export interface ResolutionOwner {
  takeSeq(): number;
  /** Some event has nobody pending any more. */
  wakePump(): void;
  /**
   * Whether the trigger id has a subscription, be it the one that got the event or a later one.
   */
  isSubscribed(triggerId: number): boolean;
  /**
   * Marks the subscriber failed and puts the timeout in its queue; its events are failed by
   * `scan`.
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

  /** The lanes that have outstanding events, in the order in which they came up. */
  laneTexts(): readonly string[] {
    return [...this.#lanes.keys()];
  }

  /** Enters an event that `members` must resolve; answers its id. */
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
   * A sequence number that gates the event which the trigger sits on, or null when none can be
   * gated.
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
   * Rejects an event whether or not its window is still open (spec E-09); false when it is
   * resolved.
   */
  reject(triggerId: number, eventId: number): boolean {
    return this.#resolve(eventId, triggerId, "rejected");
  }

  /** Fails everything that is pending on the trigger id: one look at each outstanding event. */
  failAll(triggerId: number): void {
    for (const eventId of [...this.#outstanding.keys()]) {
      this.#resolve(eventId, triggerId, "failed");
    }
  }

  /**
   * A subscriber leaves: what it passed or sits on counts as passed, although it may have raised
   * on it or been cancelled (spec E-03); what it never pulled is failed. One look at each
   * outstanding event.
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
   * Looks at everything outstanding, and again at all of it for each trigger id that is late, in
   * one stretch (spec E-13). Neither the age of its other events nor whether the id is the same
   * subscription as then is asked (spec E-17, E-06).
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

  /** Takes the longest resolved prefix off a lane; empty when its head is unresolved. */
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
