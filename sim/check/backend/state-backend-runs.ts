import * as fc from "fast-check";
import { shrink, type ShrinkStage } from "../../search/shrink/shrink.ts";
import { LawBroken, type LawSettings } from "./state-backend-subject.ts";

/** What holds of every case of a kind; a case is plain data. */
export interface Property<Case> {
  readonly cases: fc.Arbitrary<Case>;
  /** @throws {LawBroken} when it does not */
  readonly hold: (one: Case) => Promise<void>;
  /** How a case gets smaller. */
  readonly stages: readonly ShrinkStage<Case>[];
  /** What was done, in words; the failure follows. */
  readonly describe: (one: Case) => string;
}

/**
 * Tries a property and, when it fails, says the smallest failing case in words.
 *
 * @throws {LawBroken} with the case, what was found, and the seed that finds it again
 */
export async function tryProperty<Case>(
  { cases, hold, stages, describe }: Property<Case>,
  { numRuns, seed }: LawSettings,
): Promise<void> {
  const law = fc.asyncProperty(cases, hold);
  const found = await fc.check(law, { numRuns, seed, endOnFailure: true });
  if (found.counterexample === null) return;
  let failure = found.errorInstance;
  const { subject } = await shrink(found.counterexample[0], {
    stages,
    stillFails: async (candidate) => {
      const now = await failureOf(() => hold(candidate));
      if (now === undefined || identityOf(now.error) !== identityOf(failure)) return false;
      failure = now.error;
      return true;
    },
  });
  const reason = failure instanceof Error ? failure.message : String(failure);
  throw new LawBroken(`${describe(subject)}${reason} (found again by seed ${seed})`, {
    cause: failure,
  });
}

async function failureOf(act: () => Promise<void>): Promise<{ error: unknown } | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** What was found to differ, whatever it was and should be; or which error it was. */
function identityOf(error: unknown): string {
  if (error instanceof LawBroken) return `differs: ${error.what}`;
  return error instanceof Error ? error.name : typeof error;
}
