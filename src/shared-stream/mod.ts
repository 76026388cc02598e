/**
 * Shared streams: one poll of a source, its raw events broadcast to every trigger that shares the
 * key, and, in ack mode, settled on the broker only once everybody is done with them.
 *
 * ```ts
 * const manager = new SharedStreamManager({ ackTimeout: { minutes: 5 } });
 * const stream = manager.subscribe({ triggerId: 1, trigger, key: ["orders", 3] });
 * for await (const event of trigger.filterSharedStream(stream)) {
 *   const seq = manager.bindPendingEvent({ triggerId: 1, key: ["orders", 3] });
 *   outbox.push({ event, seq }); // later, when it is stored: manager.confirmPersisted([seq])
 * }
 * await manager.unsubscribe({ triggerId: 1, key: ["orders", 3] });
 * ```
 *
 * - Who must resolve an event is decided when it is broadcast (I2), each is counted once (I3).
 * - An event is acked when its window is closed and all that was derived is persisted (I4).
 * - Per lane, batches are a gap-free prefix of the fan-out order (I5); one advance at a time (I6).
 * - A resolved lane waits for no other (I10); nobody holds an event beyond the ack timeout (I11).
 * - A key is held exactly while its poll is alive (I1); a failure reaches everyone once (I13).
 * - The producer is closed once, after the last advance (I14); what is resolved is settled first
 *   (I15).
 *
 * Where we differ from Airflow 3.3 (numbers of the spec):
 * - E-01, E-04: an abort-like error out of `advance` or `openStream` is an ordinary failure.
 * - E-06 to E-08: the books are kept by subscription. `bindPendingEvent` and `unsubscribe` take a
 *   bare id: the newest subscription of the id is bound, the oldest one leaves first.
 * - E-09: a reject checks that the window in which it was called is still the open one.
 * - E-11: the stream is closed before `aclose`.
 * - E-12, E-13: a wake costs O(ready lanes), a scan O(overdue).
 * - E-15: a group that is stuck while it stops holds the others up for a minute at most.
 * - E-30: "one advance at a time" is a promise per group, as it is there.
 * - E-02, E-03 with `strictPersistence` only (I23). E-33: 1, 1n, "1" and true are different keys.
 *
 * A stream is iterated, or, by a filter that awaits nothing, visited: `visit` costs no promise for
 * an event. The ambient reject costs nothing before it is used but for a stream's first pulls.
 *
 * Why so: the books (`ledger.ts`) know no promise and the promises (`group.ts`, `pump.ts`,
 * `subscription.ts`) keep no books; every race is then between two synchronous stretches.
 *
 * @module
 */
export { AckTimeout, PollTerminated, SubscriberOverflow } from "./errors.ts";
export type { Lane, StreamKey } from "./key.ts";
export type { Holdings } from "./ledger.ts";
export {
  SharedStreamManager,
  type SharedStreamManagerOptions,
  type SharedStreamTrigger,
} from "./manager.ts";
export { type AdvanceItem, AdvanceOutcome } from "./outcome.ts";
export type { SharedStreamProducer } from "./producer.ts";
export { leaveEventWindow, rejectSharedStreamEvent } from "./reject.ts";
export type { EventWindow, SharedStream } from "./shared-stream.ts";
