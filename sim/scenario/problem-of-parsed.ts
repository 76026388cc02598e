import { z } from "zod";
import { deepestIssue, issueWords, problemWords } from "./issue-words.ts";
import { problemsOf } from "./problems.ts";
import type { Problem } from "../worlds/problems.ts";
import type { Scenario } from "./scenario.ts";
import { scenarioSchema } from "./schema.ts";

/**
 * Returns what is wrong with a scenario that is not a file's text but what was parsed from one, as
 * an artifact has it; undefined if nothing is.
 */
export function problemOfParsed(scenario: Scenario): Problem | undefined {
  const { name: _name, ...described } = scenario;
  const encoded = z.safeEncode(scenarioSchema, described, { error: issueWords });
  if (encoded.success) return problemsOf(scenario)[0];
  const issue = deepestIssue(encoded.error.issues);
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  return { path, words: problemWords(issue, described) };
}
