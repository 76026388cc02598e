import { isAlias, isCollection, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";
import type { Scenario } from "./scenario.ts";
import { scenarioSchema } from "./schema.ts";
import { WORLD_NAMES } from "./world-kinds.ts";

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

const SCENARIO_CHARACTERS_MAX = 1_000_000;

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
  return { ...parseAs(scenarioSchema, text, name), name };
}

/**
 * Parses YAML or JSON text as `schema` describes it.
 *
 * @throws {ScenarioError} as `parseScenario` does
 */
function parseAs<T>(schema: z.ZodType<T, unknown>, text: string, name: string): T {
  const data = dataFrom(text, name);
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const issue = deepest(parsed.error.issues);
  throw new ScenarioError(name, pathText(issue.path), problemFrom(issue, data));
}

function dataFrom(text: string, name: string): unknown {
  if (text.length > SCENARIO_CHARACTERS_MAX) {
    throw new ScenarioError(name, "", `it is longer than ${SCENARIO_CHARACTERS_MAX} characters`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problem = document.errors[0];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new ScenarioError(name, `line ${line}, column ${col}`, problem.message);
  }
  visit(document, {
    Alias(_key, node) {
      if (isAlias(node)) throw new ScenarioError(name, "", `it uses the alias *${node.source}`);
    },
  });
  if (!isCollection(document.contents)) {
    throw new ScenarioError(name, "", "expected a mapping with story, world, …; found no mapping");
  }
  return document.toJS() as unknown;
}

type Issue = z.core.$ZodIssue;

/** Returns the most specific issue: of a union, the first one of the branch that fits best. */
function deepest(issues: readonly Issue[]): Issue {
  const first = issues[0] as Issue;
  if (first.code !== "invalid_union" || first.errors.length === 0) return first;
  const branches = first.errors.toSorted((a, b) => misfitOf(a) - misfitOf(b));
  const [branch = []] = branches;
  // A member that no branch has says more than one that the first branch misses.
  const unknown = branch.find(({ code, path }) => {
    return code === "unrecognized_keys" && path.length === 0;
  });
  const best = unknown ?? deepest(branch);
  return { ...best, path: [...first.path, ...best.path] };
}

/** Rates how far a value is from a branch; missing, wrong and unknown members at its top weigh most. */
function misfitOf(issues: readonly Issue[]): number {
  let misfit = 0;
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") misfit += 2 * issue.keys.length;
    else misfit += issue.path.length > 1 ? 1 : 2;
  }
  return misfit;
}

function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? String(part) : `.${String(part)}`;
  }
  return text;
}

function problemFrom(issue: Issue, data: unknown): string {
  if (issue.code === "unrecognized_keys") {
    return `there is no member ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
  }
  const found = valueAt(data, issue.path);
  const seen = found === undefined ? "nothing" : (JSON.stringify(found) ?? typeof found);
  return `${expectationFrom(issue)}, found ${seen.length > 80 ? `${seen.slice(0, 77)}...` : seen}`;
}

function expectationFrom(issue: Issue): string {
  if (issue.code === "invalid_value") {
    return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  }
  if (issue.code === "invalid_union" && issue.path.at(-1) === "world") {
    return `expected one of ${WORLD_NAMES.map((name) => JSON.stringify(name)).join(", ")}`;
  }
  if (issue.code === "invalid_type") return `expected ${issue.expected}`;
  return issue.message.replace(/^Invalid input: /, "");
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[part];
  }
  return value;
}
