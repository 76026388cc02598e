import { type ChoiceStream, SeededChoices } from "../../choices/choices.ts";
import { shrink, type ShrinkStage } from "../../search/shrink/shrink.ts";
import { failureOf, identityOf } from "./law-failure.ts";
import { LawBroken, type LawSettings } from "./state-backend-subject.ts";

/** What holds of every case of a kind; a case is plain data. */
export interface Property<Case> {
  readonly draw: (chance: ChoiceStream) => Case;
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
  property: Property<Case>,
  { numRuns, seed }: LawSettings,
): Promise<void> {
  const { draw, hold } = property;
  const chance = new SeededChoices(seed, { record: false }).stream("data", "cases");
  for (let run = 0; run < numRuns; run += 1) {
    const one = draw(chance);
    const found = await failureOf(() => hold(one));
    if (found !== undefined) throw await smallestOf(property, { one, error: found.error, seed });
  }
}

async function smallestOf<Case>(
  { hold, stages, describe }: Property<Case>,
  { one, error, seed }: { readonly one: Case; readonly error: unknown; readonly seed: number },
): Promise<LawBroken> {
  let cause = error;
  const { subject } = await shrink(one, {
    stages,
    stillFails: async (candidate) => {
      const now = await failureOf(() => hold(candidate));
      if (now === undefined || identityOf(now.error) !== identityOf(cause)) return false;
      cause = now.error;
      return true;
    },
  });
  const reason = cause instanceof Error ? cause.message : String(cause);
  const words = `${describe(subject)}${reason} (found again by seed ${seed})`;
  return new LawBroken(words, { cause, what: identityOf(cause) });
}
