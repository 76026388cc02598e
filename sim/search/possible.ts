import { withMember } from "../codecs/members.ts";
import { pathText } from "../scenario/issue-words.ts";
import { problemsOf } from "../scenario/problems.ts";
import type { Scenario } from "../scenario/scenario.ts";

/** The lists of what is done, whose items can go without anything else changing. */
const ACTS: readonly string[] = ["operations", "records", "behaviours"];
const LOOSE: readonly string[] = ["faults", ...ACTS];
/** One removal may leave another part without what it names. */
const TURNS_MAX = 4;

/** Returns the scenario without the parts that can never come about, such as faults after its end. */
export function withoutImpossible(scenario: Scenario): Scenario {
  return without(scenario, LOOSE);
}

/** The same, but faults that can never strike stay in it. */
export function withoutImpossibleActs(scenario: Scenario): Scenario {
  return without(scenario, ACTS);
}

function without(scenario: Scenario, loose: readonly string[]): Scenario {
  let left = scenario;
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const paths = problemsOf(left).flatMap(({ path }) => {
      const [list, at, member] = path;
      if (typeof list !== "string" || typeof at !== "number") return [];
      if (loose.includes(list)) return [[list, at]];
      return list === "subscribers" && member === "leaveAt" ? [[list, at, member]] : [];
    });
    if (paths.length === 0) return left;
    left = paths.reduce((kept, path) => withMember(kept, path, undefined), left);
    left = withoutHoles(left);
  }
  return left;
}

/**
 * Throws where a part of the scenario can never come about; `how` is a word or two of the verb.
 *
 * @throws {RangeError} with the place of the part, and what would be right
 */
export function assertPossible(scenario: Scenario, verb: string, how = ""): void {
  const [problem] = problemsOf(scenario);
  if (problem === undefined) return;
  const { path, words } = problem;
  throw new RangeError(`Cannot ${verb} "${scenario.name}"${how} at ${pathText(path)}: ${words}`);
}

/** Removes the items of lists that `withMember` has emptied. */
function withoutHoles(scenario: Scenario): Scenario {
  const members = Object.entries(scenario).map(([name, value]: readonly [string, unknown]) => [
    name,
    LOOSE.includes(name) && Array.isArray(value) ? value.filter((one) => one !== undefined) : value,
  ]);
  return Object.fromEntries(members) as Scenario;
}
