/**
 * Airflow's own algorithm for shared streams, written plainly, with its defects.
 *
 * The golden scripts and the benchmark compare the manager in src/shared-stream with it, and
 * `profile: airflow-3.3` of a scenario runs it. It has the interface of `SharedStreamManager` and
 * reports to the same `SharedStreamObserver`. It logs in the same words, when Airflow does: not that
 * a source returned, and each call that rejects an event, also the second one.
 *
 * Defects that are kept on purpose, and where:
 * - E-01: a cancellation out of `advance` ends the pump silently (`pump.ts`).
 * - E-02: `bindPendingEvent` looks the key up in the map, so that after an eviction nothing is
 *   bound while the group still drains; E-25: confirmations do not reach it either (`manager.ts`).
 * - E-03: leaving with an open window counts as acked (`resolution.ts`, `leave`).
 * - E-04: a cancellation out of the source counts as a stop: the key stays and no failure is
 *   broadcast; E-20: what else a stopped source throws is broadcast to the remaining subscribers
 *   (`group.ts`, `#runPoll`).
 * - E-06, E-17: bookkeeping is by bare trigger id, and a late event fails everything that is
 *   pending for the id, of whichever subscription (`resolution.ts`, `scan`). E-08:
 *   `bindPendingEvent` and `unsubscribe` reach the subscription that has the id now (`manager.ts`).
 * - E-09: the reject context outlives the window of a subscriber that left (`stream.ts`).
 * - E-11: a source is not closed when the poll fails between two items (`group.ts`,
 *   `#readSource`).
 * - E-12: a wakeup passes over all lanes (`pump.ts`). E-13: a scan looks at everything outstanding,
 *   and once more for each late trigger (`resolution.ts`, `scan`).
 * - E-14: nothing slows a source down that always has an item (`group.ts`, `#readSource`).
 * - E-15, E-16: nothing limits what is outstanding, a batch, an advance or a close; `stopAll`
 *   stops one group after the other (`manager.ts`).
 * - E-23, E-27, E-28: the first trigger's factory serves all, all get one error object, each
 *   new group waits for the grace period (`group.ts`). E-33: keys and lanes are equal as in Python
 *   (`equality.ts`).
 *
 * Cancellation is an error whose name is "CancelledError" or "AbortError" (`cancelled-error.ts`).
 *
 * What has no counterpart here, and why:
 * - E-05, E-21: JavaScript cannot throw into the await of another task, so a drain is not cut short
 *   by a second cancel, and a source that ignores its cancellation is left behind after some turns.
 * - E-07: in Airflow `unsubscribe` wakes no reader, the runner cancels the subscriber's task. Here
 *   it ends the stream, for a pull that waits and for later ones, so that the same triggers run
 *   on both managers.
 * - E-10: there is no context variable; `stream.reject()` carries the context (`stream.ts`).
 * - C-038: a burst that a source yields without awaiting anything is broadcast in one stretch
 *   there. JavaScript awaits each item, so that a subscriber gets its turn between two of them.
 *
 * @module
 */
export { CancelledError } from "./cancelled-error.ts";
export { ReferenceSharedStreamManager } from "./manager.ts";
