import type { Symptom } from "../checkers/symptom.ts";
import type { RunReport } from "../run/run-report.ts";
import { type Failure, failureName } from "../search/failure.ts";

/** A failure of one kind, with the first run that has it. */
export interface FuzzFinding extends Failure {
  readonly scenario: string;
  /** How many runs have it. */
  readonly runs: number;
  readonly strategy: string;
  readonly seed: number;
  /** How the search made the run differ from the scenario as written, a sentence each. */
  readonly changes: readonly string[];
  /** Empty where it could not be written. */
  readonly artifact: string;
  /** The report of the run as a page; empty where there is none. */
  readonly page: string;
  readonly report: RunReport;
  /** Whether the repeated run had the same digest. */
  readonly isSame: boolean;
  /** The names of the failures that occurred in each of these runs, too. */
  readonly alwaysWith: readonly string[];
}

/** Findings with one promise, symptom and story, over all scenarios. */
export interface FindingGroup {
  readonly checker: string;
  readonly symptom: Symptom;
  /** What was seen, with numbers, ids, keys and times replaced. */
  readonly shape: string;
  /** How many runs have it. */
  readonly runs: number;
  /** The first of them; its artifact stands for the group. */
  readonly first: FuzzFinding;
  /** The artifacts of the other findings. */
  readonly others: readonly string[];
  /** The names of the scenarios. */
  readonly scenarios: readonly string[];
  /** An earlier group that broke in each of these runs, too: this one may be a consequence of it. */
  readonly alwaysWith: FindingGroup | undefined;
}

/** Returns the groups of findings, in the order of their first ones. */
export function groupsOf(findings: readonly FuzzFinding[]): readonly FindingGroup[] {
  const groups: FindingGroup[] = [];
  for (const found of Map.groupBy(findings, failureName).values()) {
    const [first] = found;
    if (first === undefined) continue;
    const { checker, symptom, shape } = first;
    groups.push({
      checker,
      symptom,
      shape,
      runs: found.reduce((all, { runs }) => all + runs, 0),
      first,
      others: [...new Set(found.map(({ artifact }) => artifact))].filter(
        (artifact) => artifact !== first.artifact,
      ),
      scenarios: [...new Set(found.map(({ scenario }) => scenario))],
      alwaysWith: groups.find((earlier) =>
        found.every(({ alwaysWith }) => alwaysWith.includes(failureName(earlier.first))),
      ),
    });
  }
  return groups;
}
