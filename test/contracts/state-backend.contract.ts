import { describe, test } from "vitest";
import {
  type CreateStateBackend,
  SEED_DEFAULT,
  STATE_BACKEND_LAWS,
} from "../../sim/check/check-state-backend.ts";

/** What every state backend owes, as tests; `createBackend` makes an empty store each time. */
export function stateBackendContract(
  name: string,
  createBackend: CreateStateBackend,
  numRuns: number,
): void {
  describe(`${name}, as every state backend`, () => {
    for (const law of STATE_BACKEND_LAWS) {
      test(law.title, () => law.hold(createBackend, { numRuns, seed: SEED_DEFAULT }));
    }
  });
}
