import { problemsOf } from "../../scenario/problems.ts";
import { pathText } from "../../scenario/issue-words.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { withMember } from "../../codecs/members.ts";

/** The lists whose items can go without anything else changing. */
const LOOSE: ReadonlySet<string> = new Set(["faults", "operations", "records", "behaviours"]);
/** One removal may leave another part without what it names. */
const TURNS_MAX = 4;

/** Returns the scenario without the parts that can never come about, such as faults after its end. */
export function withoutImpossible(scenario: Scenario): Scenario {
  let left = scenario;
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const paths = problemsOf(left).flatMap(({ path }) => {
      const [list, at, member] = path;
      if (typeof list !== "string" || typeof at !== "number") return [];
      if (LOOSE.has(list)) return [[list, at]];
      return list === "subscribers" && member === "leaveAt" ? [[list, at, member]] : [];
    });
    if (paths.length === 0) return left;
    left = paths.reduce((kept, path) => withMember(kept, path, undefined), left);
    left = withoutHoles(left);
  }
  return left;
}

/** @throws {RangeError} when a part of the scenario can never come about */
export function assertPossible(scenario: Scenario, verb: string): void {
  const [problem] = problemsOf(scenario);
  if (problem === undefined) return;
  const { path, words } = problem;
  throw new RangeError(`Cannot ${verb} "${scenario.name}" at ${pathText(path)}: ${words}`);
}

/** Removes the items of lists that `withMember` has emptied. */
function withoutHoles(scenario: Scenario): Scenario {
  const members = Object.entries(scenario).map(([name, value]: readonly [string, unknown]) => [
    name,
    LOOSE.has(name) && Array.isArray(value) ? value.filter((one) => one !== undefined) : value,
  ]);
  return Object.fromEntries(members) as Scenario;
}
