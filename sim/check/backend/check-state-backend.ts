import { EXPIRY_LAWS } from "./state-backend-expiry-laws.ts";
import { EXTRA_LAWS } from "./state-backend-extra-laws.ts";
import { KEY_LAWS } from "./state-backend-key-laws.ts";
import { MODEL_LAWS } from "./state-backend-model-law.ts";
import { PROPERTY_LAWS } from "./state-backend-properties.ts";
import { identityOf } from "./law-failure.ts";
import { assertFailsAgain, differenceOfRuns, differsAgain } from "./state-backend-repeat.ts";
import {
  type CreateStateBackend,
  LawBroken,
  type LawSettings,
  type StateBackendLaw,
  type StateBackendSubject,
} from "./state-backend-subject.ts";
import { type Watched, watchUncaught } from "./uncaught-in-backend.ts";

export type { CreateStateBackend, StateBackendSubject };

/** Every law of a state backend; the contract tests of the kit's own backends run the same list. */
export const STATE_BACKEND_LAWS: readonly StateBackendLaw[] = [
  ...KEY_LAWS,
  ...EXPIRY_LAWS,
  ...EXTRA_LAWS,
  ...PROPERTY_LAWS,
  ...MODEL_LAWS,
];

/** How many random cases each property tries by default. */
const NUM_RUNS_DEFAULT = 100;
export const SEED_DEFAULT = 1;

/** What `checkStateBackend` tries. */
export interface StateBackendOptions {
  /** How many random cases each property tries, from 1; default 100. */
  readonly numRuns?: number;
  /** The seed of the random cases, a whole number from 0; default 1. */
  readonly seed?: number;
}

/** What `checkStateBackend` returns when every law held. */
export interface StateBackendReport {
  /** The laws that were checked, each a sentence. */
  readonly held: readonly string[];
  /** How many random cases each property tried. */
  readonly numRuns: number;
  /** The seed of the random cases. */
  readonly seed: number;
}

/**
 * A law that a state backend breaks, with the smallest case that shows it.
 *
 * @example
 * ```ts
 * import { checkStateBackend, StateBackendViolation } from "faultlane/check";
 * import { MemoryStateBackend } from "faultlane";
 *
 * class Forgetful extends MemoryStateBackend {
 *   override async get() {
 *     return undefined;
 *   }
 * }
 * try {
 *   await checkStateBackend(() => new Forgetful());
 * } catch (error) {
 *   console.log(error instanceof StateBackendViolation && error.law);
 *   // => get() returns what is stored, never the default, falsy or not (A3, A4)
 * }
 * ```
 */
export class StateBackendViolation extends Error {
  /** Always "StateBackendViolation". */
  override readonly name = "StateBackendViolation";
  /** The law as a sentence. */
  readonly law: string;
  /** What was done, what was found and what was expected. */
  readonly counterexample: string;

  /** Creates the error for a law and the case that breaks it. */
  constructor(law: string, counterexample: string, options: ErrorOptions) {
    super(`The backend breaks "${law}": ${counterexample}`, options);
    this.law = law;
    this.counterexample = counterexample;
  }
}

/**
 * Checks that a state backend keeps every promise of {@linkcode StateBackend}: the same laws that
 * the kit's own backends have to pass.
 *
 * Shape: `createBackend` creates an empty store for each law and case: one backend, or several
 * clients of one store, whose interplay is checked then, with an optional `close`.
 * Holds: the same seed tries the same cases. The first sequences of calls run twice, each on a new
 * store; a law that does not hold is tried again before it is reported. An exception that nobody
 * catches, and a call of process.exit, break the check and not the process. A backend may use the
 * machine: its clock, files, sockets; a loop that blocks the thread is not ended.
 *
 * @throws {StateBackendViolation} for the first law that does not hold, with the shrunk
 *   counterexample in words
 * @throws {NotDeterministic} when the same calls on two new stores return different results, or a
 *   law that broke once holds when it is tried again
 *
 * @example
 * ```ts
 * import { MemoryStateBackend } from "faultlane";
 * import { checkStateBackend } from "faultlane/check";
 *
 * const { numRuns, seed } = await checkStateBackend(() => new MemoryStateBackend(), { seed: 7 });
 * console.log(numRuns, seed); // => 100 7
 * ```
 */
export async function checkStateBackend(
  createBackend: CreateStateBackend,
  options: StateBackendOptions = {},
): Promise<StateBackendReport> {
  const settings = { numRuns: NUM_RUNS_DEFAULT, seed: SEED_DEFAULT, ...options };
  const check = (create: CreateStateBackend): Promise<readonly string[]> =>
    checkLaws(create, settings);
  const watched = await watchUncaught(createBackend, check);
  if ("result" in watched) return { held: watched.result, ...settings };
  const { uncaught } = watched;
  const again = await watchUncaught(createBackend, check).catch((error: unknown) => ({ error }));
  const isSame = "uncaught" in again && identityOf(again.uncaught) === identityOf(uncaught);
  const story = `it threw ${errorText(uncaught)}, which nobody caught`;
  if (isSame) throw new StateBackendViolation(NOTHING_UNCAUGHT, story, { cause: uncaught });
  throw differsAgain(NOTHING_UNCAUGHT, settings, [story, outcomeWords(again)]);
}

/** What is broken by an exception of a timer, of a rejection that nobody handles, or the like. */
const NOTHING_UNCAUGHT = "an exception reaches the caller of a method, or nobody";

/** @throws {StateBackendViolation} for the first law that does not hold */
async function checkLaws(
  createBackend: CreateStateBackend,
  settings: LawSettings,
): Promise<readonly string[]> {
  const held: string[] = [];
  const difference = await differenceOfRuns(createBackend, settings);
  // A store that is not empty at first breaks every law; one that differs by chance breaks its own.
  if (difference?.likely === "state-outlives-run") throw difference;
  for (const law of STATE_BACKEND_LAWS) {
    try {
      await law.hold(createBackend, settings);
    } catch (cause) {
      await assertFailsAgain(law, createBackend, { settings, error: cause });
      throw new StateBackendViolation(law.title, storyOf(cause), { cause });
    }
    held.push(law.title);
  }
  if (difference !== undefined) throw difference;
  return held;
}

function outcomeWords(again: Watched<unknown> | { readonly error: unknown }): string {
  if ("uncaught" in again) return `it threw ${errorText(again.uncaught)}, which nobody caught`;
  return "error" in again ? errorText(again.error) : "holds";
}

function storyOf(error: unknown): string {
  if (error instanceof LawBroken) return error.message;
  return `it threw ${errorText(error)}`;
}

function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
