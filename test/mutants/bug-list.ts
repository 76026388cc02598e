import { type Mutant, readMutants } from "./mutant.ts";

/**
 * Bugs of the table of codes (B-01 to B-110), planted in copies of the manager. I-… break promises
 * that no listed bug breaks here; W-… are listed bugs once more, in a whole triggerer.
 */
export const MUTANTS: readonly Mutant[] = readMutants("manager");

/**
 * Bugs of the structures that make the ledger fast: cursors, pages, chains, queues and the index of
 * sequence numbers. Most of them strike where a page ends, which needs many events.
 */
export const STRUCTURE_MUTANTS: readonly Mutant[] = readMutants("structures");

/** Bugs that break promises to subscribers at the ends of their streams and of their groups. */
const PROMISE_MUTANTS: readonly Mutant[] = readMutants("promises");

/** Bugs of visits and of the ambient reject. */
export const VISIT_MUTANTS: readonly Mutant[] = readMutants("visits");

/** Bugs of what worlds run beside the shared streams: the runner of triggers, the stores. */
export const WORLD_MUTANTS: readonly Mutant[] = readMutants("worlds");

/** Bugs of the shared streams that show only after several coordinated steps; for searches. */
export const COORDINATED_MUTANTS: readonly Mutant[] = readMutants("coordinated");

/** Every bug that is planted in the shared streams and beside them, and shows in any few runs. */
export const ALL_MUTANTS: readonly Mutant[] = [
  ...MUTANTS,
  ...STRUCTURE_MUTANTS,
  ...PROMISE_MUTANTS,
  ...VISIT_MUTANTS,
  ...WORLD_MUTANTS,
];
