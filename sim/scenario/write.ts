import { type Document, isMap, isScalar, isSeq, Document as YamlDocument } from "yaml";
import { z } from "zod";
import type { PinnedChoice } from "../choices/pinned-choices.ts";
import { pinnedChoices } from "../codecs/pins-codec.ts";
import { memberAt, memberPaths, withMember } from "../codecs/members.ts";
import { problemsOf } from "./problems.ts";
import type { Scenario } from "./scenario.ts";
import { scenarioSchema } from "./schema.ts";

/** A scenario as a file holds it: lengths of time and rates are texts, defaults are left out. */
export type ScenarioInput = Readonly<Record<string, unknown>>;

/** Wide enough for a fault on one line, narrow enough for a story that is read. */
const COLUMNS = 96;

/** The order in which people write a scenario down; what is not named here comes in between. */
const FIRST = [
  "story",
  "world",
  "operator",
  "system",
  "producer",
  "broker",
  "profile",
  "strictPersistence",
  "manager",
];
const LAST = ["operations", "faults", "storm", "seed", "choices", "phases", "expect"];

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
export function inputFrom({ name: _name, choices, ...described }: Scenario): ScenarioInput {
  const input = z.encode(scenarioSchema, described) as ScenarioInput;
  const meaning = meaningOf(input);
  const least = withoutDefaults(input, meaning);
  return choices === undefined ? least : { ...least, choices: pinsInput(choices) };
}

/** Pins are left out of the search for defaults: there may be thousands, and one default is known. */
function pinsInput(pins: readonly PinnedChoice[]): unknown {
  const encoded = z.encode(pinnedChoices, pins) as "calm" | readonly PinnedChoice[];
  if (encoded === "calm") return encoded;
  return encoded.map(({ nth, take, ...question }) =>
    nth === 1 ? { ...question, take } : { ...question, nth, take },
  );
}

/** The scenario of an input; undefined when there is none, or a part of it can never come about. */
export function scenarioFrom(input: ScenarioInput, name: string): Scenario | undefined {
  const scenario = describedBy(input, name);
  return scenario === undefined || problemsOf(scenario).length > 0 ? undefined : scenario;
}

function describedBy(input: ScenarioInput, name: string): Scenario | undefined {
  const parsed = scenarioSchema.safeParse(input);
  return parsed.success ? { ...parsed.data, name } : undefined;
}

function meaningOf(input: ScenarioInput): string | undefined {
  const scenario = describedBy(input, "");
  return scenario === undefined ? undefined : JSON.stringify(scenario);
}

/** Leaves out each member without which `input` means the same. */
function withoutDefaults(input: ScenarioInput, meaning: string | undefined): ScenarioInput {
  let kept = input;
  let paths = memberPaths(kept);
  /** Members that objects of their kind cannot do without, so that no other one is tried. */
  const required = new Set<string>();
  for (let at = 0; at < paths.length;) {
    const path = paths[at] ?? [];
    const kind = kindOf(kept, path);
    const candidate = withMember(kept, path, undefined);
    const without = required.has(kind) ? undefined : meaningOf(candidate);
    if (without === undefined) required.add(kind);
    if (without !== meaning) {
      at += 1;
      continue;
    }
    kept = candidate;
    paths = memberPaths(kept);
  }
  return kept;
}

/** The place of a member, whichever item of a list it belongs to, and the members beside it. */
function kindOf(input: ScenarioInput, path: readonly (string | number)[]): string {
  const place = path.map((name) => (typeof name === "number" ? "*" : name)).join("/");
  const siblings = Object.keys(memberAt(input, path.slice(0, -1)) ?? {});
  return `${place} among ${siblings.join()}`;
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
