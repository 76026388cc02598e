/**
 * Airflow's own algorithm for shared streams, written plainly from the specification, defects included.
 *
 * It is the model that ours is compared with, the yardstick of the benchmark, and what
 * `profile: airflow-3.3` of a scenario runs.
 *
 * Kept defects: E-01 (a cancellation out of `advance` kills the pump), E-02 (no bind after an eviction),
 * E-03 (leaving while sitting on an event counts as acked), E-04 (a cancellation out of the source is
 * taken for a stop), E-06 to E-08 (bookkeeping by bare trigger id), E-09 (the reject window outlives the
 * subscription), E-11 (the source is not closed when a lane fails), E-12 (each wake passes over all
 * lanes), E-13 (a scan looks at everything), E-15 (groups are stopped one after the other).
 *
 * @module
 */
export { type ReferenceManagerOptions, ReferenceSharedStreamManager } from "./manager.ts";
