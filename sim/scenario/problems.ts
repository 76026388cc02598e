import type { PinnedChoice } from "../choices/pinned-choices.ts";
import type { Problem } from "../worlds/problems.ts";
import type { Scenario } from "./scenario.ts";
import { worldKindOf } from "./world-kinds.ts";

/**
 * Finds what a scenario says that can never come about: it would hold for a reason of which nobody
 * thinks.
 */
export function problemsOf(scenario: Scenario): readonly Problem[] {
  return [
    ...expectProblems(scenario),
    ...pinProblems(scenario.choices ?? []),
    ...worldKindOf(scenario).problems(scenario),
  ];
}

function* expectProblems(scenario: Scenario): Generator<Problem> {
  const kind = worldKindOf(scenario);
  const { checkers: known, marks } = kind;
  const { checkers, broken, marks: wanted = [] } = scenario.expect;
  const listed = checkers === "all" ? [] : checkers;
  const there = `in the world "${scenario.world}"; there are`;
  for (const [at, id] of listed.entries()) {
    if (known.includes(id)) continue;
    const words = `there is no checker "${id}" ${there} ${known.join(", ")}, or "all" instead of a list`;
    yield { path: ["expect", "checkers", at], words };
  }
  if (checkers !== "all" && checkers.length === 0) {
    const words = `expected at least one, or "all": without a checker everything holds; there are ${known.join(", ")}`;
    yield { path: ["expect", "checkers"], words };
  }
  for (const [at, id] of broken.entries()) {
    const path = ["expect", "broken", at];
    if (!known.includes(id)) {
      yield { path, words: `there is no checker "${id}" ${there} ${known.join(", ")}` };
    } else if (checkers === "all" ? !kind.isOwed(scenario, id) : !checkers.includes(id)) {
      yield { path, words: `"${id}" cannot break: it is not among the checkers of this scenario` };
    }
  }
  for (const [at, mark] of wanted.entries()) {
    if (marks.includes(mark)) continue;
    const names = marks.map((one) => JSON.stringify(one)).join(", ");
    const words = `there is no mark ${JSON.stringify(mark)} ${there} ${names}`;
    yield { path: ["expect", "marks", at], words };
  }
}

function* pinProblems(pins: readonly PinnedChoice[]): Generator<Problem> {
  const seen = new Set<string>();
  for (const [at, { kind, part, label, nth }] of pins.entries()) {
    const question = [kind, part, label, nth].join("\n");
    if (seen.has(question)) {
      yield { path: ["choices", at], words: "this choice is pinned above already" };
    }
    seen.add(question);
  }
}
