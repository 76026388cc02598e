import { EXACT_LAWS } from "./state-backend-exact-laws.ts";
import { checkedOptions } from "../../../src/checked-options.ts";
import { EXPIRY_LAWS } from "./state-backend-expiry-laws.ts";
import { EXTRA_LAWS } from "./state-backend-extra-laws.ts";
import { IDLE_LAWS } from "./state-backend-idle-laws.ts";
import { KEY_LAWS } from "./state-backend-key-laws.ts";
import { MEETING_LAWS } from "./state-backend-meeting-laws.ts";
import { MODEL_LAWS } from "./state-backend-model-law.ts";
import { OUTAGE_LAWS } from "./state-backend-outage-laws.ts";
import { PROPERTY_LAWS } from "./state-backend-properties.ts";
import { REACH_LAWS } from "./state-backend-reach-laws.ts";
import { READ_LAWS } from "./state-backend-read-laws.ts";
import { identityOf } from "./law-failure.ts";
import { assertFailsAgain, differenceOfRuns, differsAgain } from "./state-backend-repeat.ts";
import {
  type CreateStateBackend,
  LawBroken,
  type LawSettings,
  type StateBackendLaw,
  type StateBackendSubject,
} from "./state-backend-subject.ts";
import { WHOLE_LAWS } from "./state-backend-whole-laws.ts";
import { SIZE_LAWS } from "./state-backend-size-laws.ts";
import type { HungCall } from "./call-watch.ts";
import { type Watched, watchBackends } from "./watch-backends.ts";

export type { CreateStateBackend, StateBackendSubject };

/** Every law of a state backend; the contract tests of the kit's own backends run the same list. */
export const STATE_BACKEND_LAWS: readonly StateBackendLaw[] = [
  ...KEY_LAWS,
  ...EXPIRY_LAWS,
  ...EXTRA_LAWS,
  ...EXACT_LAWS,
  ...REACH_LAWS,
  ...READ_LAWS,
  ...WHOLE_LAWS,
  ...SIZE_LAWS,
  ...MEETING_LAWS,
  ...IDLE_LAWS,
  ...OUTAGE_LAWS,
  ...PROPERTY_LAWS,
  ...MODEL_LAWS,
];

/** How many random cases each property tries by default. */
const NUM_RUNS_DEFAULT = 100;
export const SEED_DEFAULT = 1;
/** Long for a call of a slow database, short for someone who waits for the verdict. */
const CALL_TIMEOUT_MS_DEFAULT = 30_000;

/** What `checkStateBackend` tries. */
export interface StateBackendOptions {
  /** How many random cases each property tries, from 1; default 100. */
  readonly numRuns?: number;
  /** The seed of the random cases, a whole number from 0; default 1. */
  readonly seed?: number;
  /**
   * How long each call of a method, of `createBackend` and of `close` has to settle, in real
   * milliseconds, from 1; default 30,000. A call that takes longer breaks the law that every call
   * settles.
   */
  readonly callTimeoutMs?: number;
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
 * clients of one store, whose interplay is checked then, with an optional `close`, and an optional
 * `interrupt`: a lock or an outage that the check begins and ends.
 * Holds: the same seed tries the same cases. The first sequences of calls run twice, each on a new
 * store; a law that does not hold is tried again before it is reported. An exception that nobody
 * catches, and a call of process.exit, break the check and not the process. A call that has not
 * settled after `callTimeoutMs` is made again in a second check, and reported when one hangs there
 * too. A backend may use the machine: its clock, files, sockets; a loop that blocks the thread is
 * not ended.
 *
 * @throws {StateBackendViolation} for the first law that does not hold, with the shrunk
 *   counterexample in words
 * @throws {NotDeterministic} when the same calls on two new stores return different results, or a
 *   law that broke once holds when it is tried again
 * @throws {TypeError} when there is another option
 * @throws {RangeError} when `callTimeoutMs` is not a positive number
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
  checkedOptions(options, ["numRuns", "seed", "callTimeoutMs"], "checkStateBackend");
  const { numRuns = NUM_RUNS_DEFAULT, seed = SEED_DEFAULT } = options;
  const { callTimeoutMs = CALL_TIMEOUT_MS_DEFAULT } = options;
  if (!(callTimeoutMs > 0)) {
    throw new RangeError(`Cannot wait ${callTimeoutMs} ms for a call: callTimeoutMs is from 1`);
  }
  const settings = { numRuns, seed };
  const attempt = async (): Promise<Attempt> => {
    let law = FIRST_SEQUENCES;
    const onLaw = (title: string): void => void (law = `the law "${title}"`);
    const watched = await watchBackends({ create: createBackend, callTimeoutMs }, (create) =>
      checkLaws(create, settings, onLaw),
    );
    if ("uncaught" in watched) return { ...watched, story: uncaughtStory(watched) };
    return "hung" in watched
      ? { ...watched, story: hungStory(watched, callTimeoutMs, law) }
      : watched;
  };
  const first = await attempt();
  if ("result" in first) return { held: first.result, ...settings };
  const again = await attempt().catch((error: unknown) => ({ error, story: errorText(error) }));
  const law = "hung" in first ? EVERY_CALL_SETTLES : NOTHING_UNCAUGHT;
  const cause = "uncaught" in first ? first.uncaught : undefined;
  if (isSame(first, again)) throw new StateBackendViolation(law, first.story, { cause });
  throw differsAgain(law, settings, [first.story, "story" in again ? again.story : "holds"]);
}

/** How a check of all laws ended, in words where it did not end by itself. */
type Attempt =
  | { readonly result: readonly string[] }
  | ((Uncaught | Hung) & { readonly story: string });

type Uncaught = Extract<Watched<unknown>, { readonly uncaught: unknown }>;
type Hung = Extract<Watched<unknown>, { readonly hung: HungCall }>;

/** Where a check is before its first law. */
const FIRST_SEQUENCES = "the first sequences of calls, which run twice";
/** What a call breaks that never settles. */
const EVERY_CALL_SETTLES = "every call settles";
/** What is broken by an exception of a timer, of a rejection that nobody handles, or the like. */
const NOTHING_UNCAUGHT = "an exception reaches the caller of a method, or nobody";

/** @throws {StateBackendViolation} for the first law that does not hold */
async function checkLaws(
  createBackend: CreateStateBackend,
  settings: LawSettings,
  onLaw: (title: string) => void,
): Promise<readonly string[]> {
  const held: string[] = [];
  const difference = await differenceOfRuns(createBackend, settings);
  // A store that is not empty at first breaks every law; one that differs by chance breaks its own.
  if (difference?.likely === "state-outlives-run") throw difference;
  for (const law of STATE_BACKEND_LAWS) {
    onLaw(law.title);
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

/** Whether two attempts ended alike: the same exception, or a call that hung, whichever it was. */
function isSame(first: Uncaught | Hung, again: Attempt | { readonly error: unknown }): boolean {
  if ("hung" in first) return "hung" in again;
  return "uncaught" in again && identityOf(again.uncaught) === identityOf(first.uncaught);
}

function uncaughtStory({ uncaught }: Uncaught): string {
  return `it threw ${errorText(uncaught)}, which nobody caught`;
}

function hungStory({ hung }: Hung, callTimeoutMs: number, place: string): string {
  const { call, before } = hung;
  const after = before.length === 0 ? "" : `, after ${before.join(", ")}`;
  return `${call} had not settled after ${callTimeoutMs} ms, in ${place}${after}`;
}

function storyOf(error: unknown): string {
  if (error instanceof LawBroken) return error.message;
  return `it threw ${errorText(error)}`;
}

function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
