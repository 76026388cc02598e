/**
 * Checks of a user's own parts: state backends now; each reports the broken law in words, shrunk.
 *
 * ```ts
 * await checkStateBackend(async () => new MyStateBackend());
 * ```
 *
 * - The same seed gives the same counterexample.
 * - What is checked is what every backend of the kit has to pass itself.
 *
 * @module
 */
export {
  checkStateBackend,
  type StateBackendReport,
  StateBackendViolation,
} from "./check-state-backend.ts";
export type { CreateStateBackend, StateBackendLaw } from "./check-state-backend.ts";
