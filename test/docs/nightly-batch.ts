/** The job that a reader of the README would write. */
export { LivyBatch as NightlyBatch } from "../check/livy-batch.ts";
