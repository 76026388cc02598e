import type { TriggerEvent } from "./trigger-event.ts";

/** A trigger event on its way out, with the sequence number that gates its raw event. */
export interface OutboundEvent {
  readonly triggerId: number;
  readonly event: TriggerEvent;
  /** Null where there is nothing to gate: the fast path, a standalone trigger. */
  readonly seq: number | null;
}

/** What a runner tells its supervisor in one round. */
export interface SyncRequest {
  /**
   * Names this incarnation of the runner. Sequence numbers start at 0 in each, so a confirmation
   * must never reach another one (spec K28).
   */
  readonly runnerId: string;
  /**
   * Rises by one from round to round. A request that was not answered is sent again under its
   * number; the next number proves that the last answer arrived (spec K13).
   */
  readonly round: number;
  readonly events: readonly OutboundEvent[];
  /** Triggers that ended with an error before they fired anything. */
  readonly failures: readonly { readonly triggerId: number; readonly error: string }[];
  /** Triggers that are gone, however they ended. */
  readonly finished: readonly number[];
}

/** What the supervisor answers, at once: it does the storing later. */
export interface SyncReply<Workload> {
  readonly toCreate: readonly Workload[];
  readonly toCancel: readonly number[];
  /** Sequence numbers of this runner whose trigger events are stored. */
  readonly persistedSeqs: readonly number[];
}

/**
 * The runner's way to its supervisor.
 *
 * Holds, for whoever implements it: a request whose `round` was seen before is answered again
 * without taking its events twice; confirmations are repeated until a later round proves that they
 * arrived; what belongs to another `runnerId` is not confirmed.
 */
export interface SupervisorPort<Workload> {
  sync(request: SyncRequest): Promise<SyncReply<Workload>>;
  /** Throws when an event cannot be encoded: it then fails its trigger, and the others go out. */
  assertEncodable?(event: TriggerEvent): void;
}
