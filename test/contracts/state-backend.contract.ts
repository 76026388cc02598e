import { describe, test } from "vitest";
import {
  type CreateStateBackend,
  SEED_DEFAULT,
  STATE_BACKEND_LAWS,
} from "../../sim/check/backend/check-state-backend.ts";

/**
 * Declares the tests that every state backend must pass; `createBackend` returns an empty store.
 */
export function stateBackendContract(
  name: string,
  createBackend: CreateStateBackend,
  numRuns: number,
): void {
  describe(`${name} keeps the laws of a state backend`, () => {
    for (const law of STATE_BACKEND_LAWS) {
      test(law.title, () => law.hold(createBackend, { numRuns, seed: SEED_DEFAULT }));
    }
  });
}
