import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { type Edit, editsAt, isLeftAlone } from "./operators.ts";
import {
  type Ancestors,
  isFunction,
  isNode,
  parseSource,
  type SyntaxNode,
  visitValues,
} from "./syntax.ts";

/** One change of one source file. */
export interface SourceMutant {
  /** Follows from the next five lines alone: code around the mutant may move and change. */
  readonly id: string;
  /** From the top of the repository. */
  readonly file: string;
  /** The classes and functions around it, as in `Ledger.close`. */
  readonly within: string;
  readonly original: string;
  readonly mutated: string;
  /** Counts those of the same place that read alike. */
  readonly nth: number;
  readonly line: number;
  readonly edit: Edit;
}

/** The rooms whose code is changed; a goal is set for each. */
export const GROUPS = ["src", "sim/checkers", "elsewhere"] as const;
export type Group = (typeof GROUPS)[number];

const ROOMS = [
  "src",
  "sim/checkers",
  "sim/brokers",
  "sim/hosts",
  "sim/kernel",
  "sim/faults",
] as const;

export function groupOf(file: string): Group {
  if (file.startsWith("src/")) return "src";
  return file.startsWith("sim/checkers/") ? "sim/checkers" : "elsewhere";
}

/** Returns the source files that are changed, from the top of the repository, sorted. */
export function mutatedFiles(): readonly string[] {
  return ROOMS.flatMap((room) =>
    readdirSync(join(checkoutRoot, room), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => `${room}/${path}`),
  ).toSorted();
}

/** Returns every mutant of a file of the repository. */
export function mutantsOfFile(file: string): readonly SourceMutant[] {
  return mutantsFrom(file, readFileSync(join(checkoutRoot, file), "utf8"));
}

/** Returns every mutant of a text, in the order of the syntax tree. */
export function mutantsFrom(file: string, text: string): readonly SourceMutant[] {
  const mutants: SourceMutant[] = [];
  const alike = new Map<string, number>();
  visitValues(parseSource(file, text), (node, ancestors) => {
    if (isLeftAlone(node)) return false;
    const within = placeOf(node, ancestors);
    for (const edit of editsAt(node, ancestors, text)) {
      const { start, end } = node.type.endsWith("Expression") && !isFunction(node) ? node : edit;
      const original = oneLine(text.slice(start, end));
      const mutated = oneLine(
        text.slice(start, edit.start) + edit.text + text.slice(edit.end, end),
      );
      const key = [file, within, original, mutated].join("\n");
      const nth = (alike.get(key) ?? 0) + 1;
      alike.set(key, nth);
      const id = createHash("sha256").update(`${key}\n${nth}`).digest("hex").slice(0, 12);
      const line = text.slice(0, edit.start).split("\n").length;
      mutants.push({ id, file, within, original, mutated, nth, line, edit });
    }
    return true;
  });
  return mutants;
}

/** Returns the text of a file with a mutant of it. */
export function mutatedText(text: string, { edit }: SourceMutant): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** The names of the classes and functions around a node. */
function placeOf(node: SyntaxNode, ancestors: Ancestors): string {
  const names = [...ancestors, node].flatMap((one) => {
    const name = one["id"] ?? one["key"];
    const named = /^(?:Class|Function|Method|Property|Variable)/.test(one.type);
    return named && isNode(name) && typeof name["name"] === "string" ? [name["name"]] : [];
  });
  return names.join(".");
}
