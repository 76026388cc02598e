/**
 * Shared streams: one poll of a source per key, its events broadcast to every trigger that shares
 * the key, and, in ack mode, settled on the broker once every subscriber is done with them.
 *
 * ```ts
 * import { type AdvanceItem, SharedStreamManager } from "faultlane";
 *
 * const trigger = {
 *   createSharedStreamProducer: () => ({
 *     async *openStream(signal: AbortSignal) {
 *       yield ["order 17", { offset: 0 }] as const;
 *       await new Promise((resolve) => signal.addEventListener("abort", resolve));
 *     },
 *     async advance(batch: readonly AdvanceItem[]) {
 *       for (const { brokerPayload, outcome } of batch) {
 *         console.log(brokerPayload, outcome.acked, outcome.rejected);
 *       }
 *     },
 *   }),
 * };
 *
 * const manager = new SharedStreamManager();
 * const one = manager.subscribe({ triggerId: 1, key: "orders", trigger });
 * const two = manager.subscribe({ triggerId: 2, key: "orders", trigger });
 * await Promise.all([one.next(), two.next()]);
 * two.reject();
 * await manager.unsubscribe({ triggerId: 1, key: "orders" });
 * await manager.unsubscribe({ triggerId: 2, key: "orders" }); // => { offset: 0 } 1 1
 * ```
 *
 * - Which subscribers must resolve an event is fixed when it is broadcast (I2); each is counted
 *   once (I3).
 * - A subscriber acks an event when its window is closed and everything derived from it is stored
 *   (I4).
 * - In each lane, the batches form a prefix of the broadcast order without gaps (I5); one advance
 *   at a time (I6).
 * - A lane whose head is resolved waits for no other lane (I10). A subscriber that exceeds the ack
 *   timeout is failed (I11).
 * - A key is in the manager's map exactly as long as its poll is alive (I1). A failure reaches
 *   every subscriber once (I13).
 * - The producer is closed once, after the last advance (I14); what is resolved is advanced first
 *   (I15).
 *
 * What a subscriber has to know:
 * - **Its effects must be idempotent.** What was broadcast and not advanced when a process dies, a
 *   group stops or an ack times out is delivered again, so a trigger event can fire more than once.
 * - One that unsubscribes with an event in its queue that it never pulled counts as failed there,
 *   so that the broker delivers it again; one that unsubscribes in the window of an event has
 *   passed it, unless `strictPersistence` is set.
 * - A task that the filter starts while a window is open may reject in it until the window closes.
 *
 * Where this differs from Airflow 3.3:
 * - E-01, E-04: an abort-like error out of `advance` or `openStream` is an ordinary failure.
 * - E-06 to E-08: bookkeeping is by subscription. `bindPendingEvent` and `unsubscribe` take a bare
 *   id: the newest subscription of the id is bound, the oldest one ends first.
 * - E-09: a reject checks that the window in which it was called is still open.
 * - E-11: the stream is closed before `aclose`.
 * - E-12, E-13: a wakeup costs O(ready lanes), a scan O(subscriptions) and only if one is overdue.
 * - E-12: of several resolved lanes the one goes first that has been ready longest; there the one
 *   that has been known longest.
 * - E-15: a group that is stuck while it stops delays the others by a minute at most, and idle
 *   groups are stopped at once; there each waits for the one before it.
 * - E-20: what a source throws because it was stopped is no failure of its subscribers.
 * - E-30: "one advance at a time" is a promise per group, as it is there.
 * - E-02, E-03: only with `strictPersistence` (I23). E-33: 1, 1n, "1" and true are different keys.
 * - C-038: a burst that a source yields without awaiting anything is broadcast in one stretch
 *   there. JavaScript awaits each item, so that a subscriber gets its turn between two of them.
 * - C-070: a second reject of one event is not logged. C-139: that a source returned is.
 *
 * A stream is iterated, or, by a filter that awaits nothing, visited: `visit` costs no promise per
 * event. What happens is reported to a `SharedStreamObserver` and logged.
 *
 * Why so: the ledger (`ledger/`) is synchronous and knows no promise; the files around it do all
 * the waiting and keep no counts. Races can then only be between synchronous sections.
 *
 * @module
 */
export { clearAmbientWindow, rejectSharedStreamEvent } from "./ambient.ts";
export { AckTimeout, PollTerminated, SubscriberOverflow } from "./errors.ts";
export type { Lane, StreamKey } from "./key.ts";
export {
  DEFAULT_ACK_TIMEOUT,
  DEFAULT_SUBSCRIBER_QUEUE_MAX,
  type OutstandingCounts,
  SharedStreamManager,
  type SharedStreamManagerOptions,
  type SharedStreamTrigger,
  type SubscriptionAddress,
} from "./manager.ts";
export type {
  AdvanceFailure,
  CloseFailure,
  EventRejection,
  ForceFailure,
  GroupFailure,
  SharedStreamObserver,
} from "./observer.ts";
export { type AdvanceItem, AdvanceOutcome } from "./outcome.ts";
export { SharedStreamProducer } from "./producer.ts";
export { type SharedStreamSettings, sharedStreamSettingsFromEnv } from "./settings.ts";
export type { EventWindow, SharedStream } from "./shared-stream.ts";
