import { type Document, isMap, isScalar, isSeq, Document as YamlDocument } from "yaml";
import type { PinnedChoice } from "../pinned-choices.ts";
import type { Scenario } from "./scenario.ts";
import { scenarioSchema } from "./schema.ts";
import { durationText, isDurationMember, isRecord } from "./write-values.ts";

/** A scenario as a file holds it: lengths of time and rates are texts, defaults are left out. */
export type ScenarioInput = Readonly<Record<string, unknown>>;

/** Wide enough for a fault on one line, narrow enough for a story that is read. */
const COLUMNS = 96;

/** The order in which people write a scenario down; what is not named here comes in between. */
const FIRST = ["story", "world", "profile", "strictPersistence", "manager"];
const LAST = ["operations", "faults", "storm", "choices", "phases", "expect"];

/**
 * Writes a scenario as people do by hand, with `remarks` as a comment above it, a line each.
 *
 * Holds: `parseScenario` reads the same scenario from it.
 */
export function writeScenario(scenario: Scenario, remarks: readonly string[] = []): string {
  const document = new YamlDocument(inOrder(inputFrom(scenario)));
  layOut(document);
  const text = document.toString({ lineWidth: COLUMNS, flowCollectionPadding: true });
  return remarks.map((line) => `# ${line}`.trimEnd() + "\n").join("") + text;
}

/** What a file must say so that this scenario is read from it, and nothing beyond that. */
export function inputFrom(scenario: Scenario): ScenarioInput {
  const { name: _name, choices, ...said } = scenario;
  const input = encoded("", said) as ScenarioInput;
  const meaning = meaningOf(input);
  const least = withoutDefaults(input, (candidate) => meaningOf(candidate) === meaning);
  return choices === undefined ? least : { ...least, choices: pinsInput(choices) };
}

function pinsInput(pins: readonly PinnedChoice[]): unknown {
  if (pins.length === 0) return "calm";
  return pins.map(({ nth, take, ...question }) =>
    nth === 1 ? { ...question, take } : { ...question, nth, take },
  );
}

/** The scenario of an input; undefined when there is none. */
export function scenarioFrom(input: ScenarioInput, name: string): Scenario | undefined {
  const parsed = scenarioSchema.safeParse(input);
  return parsed.success ? { ...parsed.data, name } : undefined;
}

function meaningOf(input: ScenarioInput): string | undefined {
  const scenario = scenarioFrom(input, "");
  return scenario === undefined ? undefined : JSON.stringify(scenario);
}

function encoded(member: string, value: unknown): unknown {
  if (typeof value === "number") return isDurationMember(member) ? durationText(value) : value;
  if (Array.isArray(value)) return value.map((one) => encoded(member, one));
  if (!isRecord(value)) return value;
  const { numerator, denominator } = value;
  if (typeof numerator === "number" && typeof denominator === "number") {
    return `${numerator}/${denominator}`;
  }
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(members.map(([name, one]) => [name, encoded(name, one)]));
}

/** Every path to a member of an object in `value`, outer ones first. */
export function memberPaths(value: unknown): readonly (readonly (string | number)[])[] {
  const inner = Array.isArray(value)
    ? value.map((one, at) => [at, one] as const)
    : isRecord(value)
      ? Object.entries(value)
      : [];
  const own = isRecord(value) ? inner.map(([name]) => [name]) : [];
  const deeper = inner.flatMap(([name, one]) => memberPaths(one).map((path) => [name, ...path]));
  return [...own, ...deeper];
}

/** The same value with another member at `path`; with `undefined` there, without it. */
export function withMember<V>(value: V, path: readonly (string | number)[], member: unknown): V {
  const [name, ...deeper] = path;
  if (name === undefined) return member as V;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((one, at) => (at === name ? withMember(one, deeper, member) : one)) as V;
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([key, one]) => {
    if (key !== name) return [[key, one] as const];
    const changed = withMember(one, deeper, member);
    return changed === undefined ? [] : [[key, changed] as const];
  });
  return Object.fromEntries(members) as V;
}

function withoutDefaults(
  input: ScenarioInput,
  isSame: (candidate: ScenarioInput) => boolean,
): ScenarioInput {
  let kept = input;
  for (let at = 0; ;) {
    const path = memberPaths(kept)[at];
    if (path === undefined) return kept;
    const candidate = withMember(kept, path, undefined);
    if (isSame(candidate)) kept = candidate;
    else at += 1;
  }
}

function inOrder(input: ScenarioInput): ScenarioInput {
  const names = Object.keys(input);
  const between = names.filter((name) => !FIRST.includes(name) && !LAST.includes(name));
  const order = [...FIRST, ...between, ...LAST].filter((name) => names.includes(name));
  return Object.fromEntries(order.map((name) => [name, input[name]]));
}

/** Top-level members a line or a block each; what lists hold is one line an item. */
function layOut({ contents }: Document): void {
  if (!isMap(contents)) return;
  for (const { key, value } of contents.items) {
    if (isScalar(key) && key.value === "story" && isScalar(value)) value.type = "BLOCK_FOLDED";
    if (isMap(value)) value.flow = true;
    if (!isSeq(value)) continue;
    for (const item of value.items) if (isMap(item)) item.flow = true;
  }
}
