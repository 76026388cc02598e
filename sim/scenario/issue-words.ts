import type { z } from "zod";

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** How many members, values or names a message lists before it says how many more there are. */
const LISTED_MAX = 40;
/** How many unknown members a message names. */
const UNKNOWN_MAX = 5;
const FOUND_CHARACTERS_MAX = 80;

/** What the parser calls a type, and what a message calls it. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a whole number",
  int: "a whole number",
  boolean: "true or false",
  object: "a mapping",
  array: "a list",
  tuple: "a list",
};

/**
 * Words the issues of a file, for the `error` option of a parse: "expected a whole number", without
 * what was found. A schema with a message of its own keeps it.
 */
export function issueWords(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "unrecognized_keys":
      return unknownWords(issue.keys, membersOf(issue.inst));
    case "invalid_type":
      return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case "too_small":
      return boundWords(issue.origin, "at least", Number(issue.minimum));
    case "too_big":
      return boundWords(issue.origin, "at most", Number(issue.maximum));
    case "invalid_union":
      return Array.isArray(issue["options"])
        ? `expected ${oneOf(issue["options"].map((value: unknown) => JSON.stringify(value)))}`
        : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns the most specific issue: of a union, the first one of the branch that fits best. Its path
 * leads from the top of the file.
 */
export function deepestIssue(issues: readonly Issue[]): Issue {
  const first = issues[0] as Issue;
  if (first.code !== "invalid_union" || first.errors.length === 0) return first;
  const branches = first.errors.toSorted((a, b) => misfitOf(a) - misfitOf(b));
  const [branch = []] = branches;
  // A member that no branch has says more than one that the first branch misses.
  const unknown = branch.find(({ code, path }) => {
    return code === "unrecognized_keys" && path.length === 0;
  });
  const best = unknown ?? deepestIssue(branch);
  return { ...best, path: [...first.path, ...best.path] };
}

/** Returns a path as messages write it: `faults[2].site`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? String(part) : `.${String(part)}`;
  }
  return text;
}

/** Returns what was expected at an issue's path and what `data` has there. */
export function problemWords(issue: Issue, data: unknown): string {
  if (issue.code === "unrecognized_keys") return issue.message;
  return `${issue.message}, found ${foundText(valueAt(data, issue.path))}`;
}

/** Returns "a, b and 3 more" for a list that may be long. */
function listed(words: readonly string[], most: number = LISTED_MAX): string {
  const shown = words.slice(0, most).join(", ");
  const more = words.length - most;
  return more > 0 ? `${shown} and ${more} more` : shown;
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

function unknownWords(keys: readonly string[], known: readonly string[]): string {
  const unknown = listed(
    keys.map((key) => JSON.stringify(key.slice(0, FOUND_CHARACTERS_MAX))),
    UNKNOWN_MAX,
  );
  const members = known.length === 0 ? "" : `; there are ${listed(known)}`;
  return `there is no member ${unknown}${members}`;
}

/** The names of the members that a schema of an object has. */
function membersOf(schema: unknown): readonly string[] {
  const { shape } = (schema as { readonly _zod?: { readonly def: { readonly shape?: object } } })
    ._zod?.def ?? { shape: undefined };
  return shape === undefined ? [] : Object.keys(shape);
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
}

function boundWords(origin: string, word: "at least" | "at most", bound: number): string {
  if (origin === "string") {
    return word === "at least" && bound === 1
      ? "expected a text that is not empty"
      : `expected ${word} ${bound} characters`;
  }
  if (origin === "array") {
    return `expected a list of ${word} ${bound === 1 ? "one" : String(bound)}`;
  }
  return `expected a whole number of ${word} ${bound}`;
}

function foundText(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
  return text.length > FOUND_CHARACTERS_MAX
    ? `${text.slice(0, FOUND_CHARACTERS_MAX - 3)}...`
    : text;
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[part];
  }
  return value;
}
