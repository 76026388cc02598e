/**
 * Airflow's own algorithm for shared streams, written plainly, with its defects.
 *
 * It is the model that ours is compared with (test/golden), the yardstick of the benchmark, and
 * what `profile: airflow-3.3` of a scenario runs. It has the face of `SharedStreamManager` in
 * src/shared-stream and logs what that one logs.
 *
 * Kept, by the numbers of the spec, and where:
 * - E-01: a cancellation out of `advance` ends the pump without a word (`pump.ts`).
 * - E-02: `bindPendingEvent` looks the key up in the map, so that nothing is gated once a group
 *   was evicted, although it still drains; E-25: confirmations do not reach it either
 *   (`manager.ts`).
 * - E-03: leaving while sitting on an event counts as acked (`resolution.ts`, `leave`).
 * - E-04: a cancellation out of the source is taken for a stop: the key stays, nobody is told;
 *   E-20: what a stopped source throws is told to those who are still there (`group.ts`,
 *   `#runPoll`).
 * - E-06, E-17: bookkeeping is by bare trigger id, and a late event fails all that is pending on
 *   the id, whosever it is (`resolution.ts`, `scan`). E-08: `bindPendingEvent` and `unsubscribe`
 *   reach whoever has the id now (`manager.ts`).
 * - E-09: the reject context outlives the window of a subscriber that left (`stream.ts`).
 * - E-11: a source is not closed when the poll fails between two items (`group.ts`,
 *   `#readSource`).
 * - E-12: a wake passes over all lanes (`pump.ts`). E-13: a scan looks at everything outstanding,
 *   and once more for each late trigger (`resolution.ts`, `scan`).
 * - E-14: nothing slows an always-ready source down (`group.ts`, `#readSource`).
 * - E-15, E-16: nothing bounds what is outstanding, a batch, an advance or a close; `stopAll`
 *   stops one group after the other (`manager.ts`).
 * - E-23, E-27, E-28: the first trigger's factory serves all, one error object goes to all, each
 *   new group waits for the grace (`group.ts`). E-33: keys and lanes are equal as in Python
 *   (`equality.ts`).
 *
 * Cancellation is an error whose name is "CancelledError" or "AbortError" (`cancelled-error.ts`).
 *
 * What has no counterpart here, and why:
 * - E-05, E-21: nobody can throw into the await of another, so a drain is not cut short by a
 *   second cancel, and a source that ignores its cancellation is left behind after some turns.
 * - E-07: in Airflow `unsubscribe` wakes nobody, the runner cancels the subscriber's task. Here
 *   it ends the stream, for a pull that waits and for later ones, so that the same triggers run
 *   on both managers; a stale stream hands out nothing that could overwrite a window.
 * - E-10: there is no context variable; `stream.reject()` carries the context (`stream.ts`).
 *
 * @module
 */
export { CancelledError } from "./cancelled-error.ts";
export { ReferenceSharedStreamManager } from "./manager.ts";
