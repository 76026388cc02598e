import type { TriggerEvent } from "./trigger-event.ts";

/** A trigger event on its way to the supervisor. */
export interface OutboundEvent {
  /** The trigger that fired it. */
  readonly triggerId: number;
  /** What it fired. */
  readonly event: TriggerEvent;
  /** The sequence number to confirm when it is stored; null when no raw event waits for it. */
  readonly seq: number | null;
}

/** How a trigger failed. */
export interface TriggerFailure {
  /** The trigger that failed. */
  readonly triggerId: number;
  /** The name of its error's class, or the type of what it threw otherwise. */
  readonly error: string;
  /** What the error says, for people: engines word their own errors differently. May be empty. */
  readonly message: string;
}

/** What a runner reports to its supervisor in one round. */
export interface SyncRequest {
  /**
   * Identifies this incarnation of the runner. Sequence numbers start at 0 in each incarnation, so
   * that a confirmation must not reach another one (K28).
   */
  readonly runnerId: string;
  /**
   * Rises by one from round to round. A request that got no reply is sent again under the same
   * number; the next number proves that the last reply arrived (K13).
   */
  readonly round: number;
  /** The trigger events to store. */
  readonly events: readonly OutboundEvent[];
  /**
   * The triggers that ended with an error before they fired anything. The trigger of a deferral has
   * failed, too, if it ended or timed out before that.
   */
  readonly failures: readonly TriggerFailure[];
  /** The triggers that have ended, for whatever reason. */
  readonly finished: readonly number[];
}

/** The supervisor's reply, which it sends before the events are stored. */
export interface SyncReply<Workload> {
  /** The triggers to create. */
  readonly toCreate: readonly Workload[];
  /** The ids of the triggers to cancel. */
  readonly toCancel: readonly number[];
  /** The ids of those to cancel whose deferred task a user has ended: their `onKill` is called. */
  readonly toKill?: readonly number[];
  /** The sequence numbers of this runner whose trigger events are stored by now. */
  readonly persistedSeqs: readonly number[];
}

/**
 * The runner's connection to its supervisor.
 *
 * Holds, for every implementation: a request whose `round` was seen before gets a reply, and its
 * events are not stored twice; confirmations are repeated until a later round proves that they
 * arrived; nothing of another `runnerId` is confirmed.
 */
export interface SupervisorPort<Workload> {
  /** Sends a request and returns the reply. Rejects when the supervisor cannot be reached. */
  sync(request: SyncRequest): Promise<SyncReply<Workload>>;
  /** Throws when an event cannot be encoded, which fails its trigger and no other. */
  assertEncodable?(event: TriggerEvent): void;
}
