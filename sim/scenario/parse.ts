import { deepestIssue, issueWords, pathText, problemWords } from "./issue-words.ts";
import { problemsOf } from "./problems.ts";
import type { Scenario } from "./scenario.ts";
import { scenarioSchema } from "./schema.ts";
import { UnreadableText, yamlDataFrom } from "./yaml-data.ts";

/**
 * A scenario file that cannot be used. The message says where in the file, what was expected there
 * and what was found.
 *
 * @example
 * ```ts
 * import { parseScenario, ScenarioError } from "faultlane/sim";
 *
 * try {
 *   parseScenario("{ story: Mine, world: manager, lanes: none }", "mine");
 * } catch (error) {
 *   console.log(error instanceof ScenarioError && error.path); // => lanes
 * }
 * ```
 */
export class ScenarioError extends Error {
  /** Always "ScenarioError". */
  override readonly name = "ScenarioError";
  /** The name of the scenario. */
  readonly file: string;
  /** Where in it: `faults[2].site`, or a line and column; empty for the whole file. */
  readonly path: string;

  /** Creates the error for a place in a file. */
  constructor(file: string, path: string, problem: string) {
    super(`Cannot use scenario "${file}"${path === "" ? "" : ` at ${path}`}: ${problem}`);
    this.file = file;
    this.path = path;
  }
}

/**
 * Parses a scenario from YAML or JSON text.
 *
 * Shape: `name` is what reports call it, usually the name of the file without its extension; see
 * {@linkcode scenarioJsonSchema} for the text.
 * Units: durations in the text have a unit ("250ms", "5m"), those of the returned scenario are
 * virtual milliseconds.
 *
 * @throws {ScenarioError} with the path in the file, what was expected there and what was found
 *
 * @example
 * ```ts
 * import { parseScenario } from "faultlane/sim";
 *
 * const text = "{ story: Mine, world: manager, phases: { safety: 5m } }";
 * console.log(parseScenario(text, "mine").phases.safety); // => 300000
 * ```
 */
export function parseScenario(text: string, name: string): Scenario {
  const data = dataFrom(text, name);
  const parsed = scenarioSchema.safeParse(data, { error: issueWords });
  if (!parsed.success) {
    const issue = deepestIssue(parsed.error.issues);
    throw new ScenarioError(name, pathText(issue.path), problemWords(issue, data));
  }
  const scenario = { ...parsed.data, name };
  const [problem] = problemsOf(scenario);
  if (problem !== undefined) throw new ScenarioError(name, pathText(problem.path), problem.words);
  return scenario;
}

function dataFrom(text: string, name: string): unknown {
  try {
    return yamlDataFrom(text);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw new ScenarioError(name, error.place, error.message);
  }
}
