import { isAlias, isCollection, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";
import type { Scenario } from "./scenario.ts";
import { scenarioSchema } from "./schema.ts";
import { WORLD_NAMES } from "./world-kinds.ts";

/**
 * A scenario file that cannot be used: says which file, where in it, what was expected and found.
 */
export class ScenarioError extends Error {
  override readonly name = "ScenarioError";
  readonly file: string;
  readonly path: string;

  constructor(file: string, path: string, problem: string) {
    super(`Cannot use scenario "${file}"${path === "" ? "" : ` at ${path}`}: ${problem}`);
    this.file = file;
    this.path = path;
  }
}

const SCENARIO_CHARACTERS_MAX = 1_000_000;

/**
 * Reads a scenario from YAML or JSON text.
 *
 * @throws {ScenarioError} with the path in the file, what was expected there and what was found
 */
export function parseScenario(text: string, name: string): Scenario {
  return { ...parseAs(scenarioSchema, text, name), name };
}

/**
 * Reads what `schema` describes from YAML or JSON text.
 *
 * @throws {ScenarioError} as `parseScenario` does
 */
export function parseAs<T>(schema: z.ZodType<T, unknown>, text: string, name: string): T {
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

/** The issue that says most: of a union, the first one of the branch that fits best. */
function deepest(issues: readonly Issue[]): Issue {
  const first = issues[0] as Issue;
  if (first.code !== "invalid_union" || first.errors.length === 0) return first;
  const branches = first.errors.toSorted((a, b) => misfitOf(a) - misfitOf(b));
  const best = deepest(branches[0] as Issue[]);
  return { ...best, path: [...first.path, ...best.path] };
}

/** How far a value is from a branch: what is missing, wrong or too much at its top weighs most. */
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
