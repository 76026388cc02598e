import { EXPIRY_LAWS } from "./state-backend-expiry-laws.ts";
import { EXTRA_LAWS } from "./state-backend-extra-laws.ts";
import { KEY_LAWS } from "./state-backend-key-laws.ts";
import { MODEL_LAWS } from "./state-backend-model-law.ts";
import { PROPERTY_LAWS } from "./state-backend-properties.ts";
import {
  type CreateStateBackend,
  LawBroken,
  type LawSettings,
  type StateBackendLaw,
} from "./state-backend-subject.ts";

export type { CreateStateBackend, StateBackendLaw };

/** Everything that every backend owes; the contract of the tests runs the same list. */
export const STATE_BACKEND_LAWS: readonly StateBackendLaw[] = [
  ...KEY_LAWS,
  ...EXPIRY_LAWS,
  ...EXTRA_LAWS,
  ...PROPERTY_LAWS,
  ...MODEL_LAWS,
];

/** How many random cases each property tries unless told otherwise. */
const NUM_RUNS_DEFAULT = 100;
export const SEED_DEFAULT = 1;

export interface StateBackendReport {
  /** The laws that were checked, each a sentence; all of them held. */
  readonly held: readonly string[];
  readonly numRuns: number;
  readonly seed: number;
}

/** A law that a backend breaks, with the smallest case that shows it, in words. */
export class StateBackendViolation extends Error {
  override readonly name = "StateBackendViolation";
  /** The law's sentence. */
  readonly law: string;
  /** What was done, what was found and what was expected. */
  readonly counterexample: string;

  constructor(law: string, counterexample: string, options: ErrorOptions) {
    super(`The backend breaks "${law}": ${counterexample}`, options);
    this.law = law;
    this.counterexample = counterexample;
  }
}

/**
 * Checks that a state backend keeps every promise of the port, and says the first that it does not.
 *
 * Shape: `createBackend` makes an empty store each time, either one backend or several clients of
 * one store (then their interplay is checked too), with an optional `close`.
 * Holds: the same seed tries the same cases.
 *
 * ```ts
 * await checkStateBackend(() => new MyBackend(connect()), { numRuns: 500 });
 * ```
 *
 * @throws {StateBackendViolation} with the law and the shrunk counterexample in words
 */
export async function checkStateBackend(
  createBackend: CreateStateBackend,
  options: Partial<LawSettings> = {},
): Promise<StateBackendReport> {
  const settings = { numRuns: NUM_RUNS_DEFAULT, seed: SEED_DEFAULT, ...options };
  const held: string[] = [];
  for (const law of STATE_BACKEND_LAWS) {
    try {
      await law.hold(createBackend, settings);
    } catch (cause) {
      throw new StateBackendViolation(law.title, storyOf(cause), { cause });
    }
    held.push(law.title);
  }
  return { held, ...settings };
}

function storyOf(error: unknown): string {
  if (error instanceof LawBroken) return error.message;
  return `it threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
}
