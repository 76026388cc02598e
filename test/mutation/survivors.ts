import { readFileSync, writeFileSync } from "node:fs";
import type { Group, SourceMutant } from "./source-mutants.ts";

/** A mutant that no test of the fast gate notices, and why it is left alive. */
export interface Survivor {
  readonly id: string;
  readonly file: string;
  readonly within: string;
  readonly original: string;
  readonly mutated: string;
  /** `equivalent`: nothing that the code promises is otherwise with it. `open`: a test is owed. */
  readonly verdict: "equivalent" | "open";
  readonly why: string;
}

/** What a sample showed of one group of rooms. */
export interface Measured {
  readonly group: Group;
  readonly mutants: number;
  readonly killed: number;
  readonly equivalent: number;
  readonly survived: number;
}

export interface Measurement {
  readonly seed: number;
  readonly sample: number;
  readonly groups: readonly Measured[];
}

/** The table as it is kept. */
export interface SurvivorTable {
  readonly measured: readonly Measurement[];
  readonly survivors: readonly Survivor[];
}

/** Percent of the mutants that are not equivalent which the tests are to notice. */
export const GOALS: Readonly<Record<Group, number>> = {
  src: 96,
  "sim/checkers": 95,
  elsewhere: 92,
};

const TABLE = new URL("survivors.json", import.meta.url);
const DOCUMENT = new URL("survivors.md", import.meta.url);
const SHOWN_MAX = 100;

export function readTable(): SurvivorTable {
  return JSON.parse(readFileSync(TABLE, "utf8")) as SurvivorTable;
}

/** Writes the table, and the document that shows it. */
export function writeTable({ measured, survivors }: SurvivorTable): void {
  const sorted = survivors.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const table = { measured, survivors: sorted };
  writeFileSync(TABLE, `${JSON.stringify(table, undefined, 2)}\n`);
  writeFileSync(DOCUMENT, documentOf(table));
}

/** Whether the document shows what the table holds. */
export function isShown(table: SurvivorTable): boolean {
  return readFileSync(DOCUMENT, "utf8") === documentOf(table);
}

export function survivorFrom(
  { id, file, within, original, mutated }: SourceMutant,
  verdict: Survivor["verdict"],
  why: string,
): Survivor {
  return {
    id,
    file,
    within,
    original: shortened(original),
    mutated: shortened(mutated),
    verdict,
    why,
  };
}

/** Returns the killed share of those that are not equivalent, in percent. */
export function scoreOf({ killed, survived }: Measured): number {
  return killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);
}

function documentOf({ measured, survivors }: SurvivorTable): string {
  const lines = [
    "# Mutants that survive",
    "",
    "Written by `npm run test:mutation -- --write`; the verdicts are kept in `survivors.json`.",
    "",
    "## Measured",
    "",
  ];
  for (const { seed, sample, groups } of measured) {
    lines.push(`A sample of ${sample} mutants of seed ${seed}:`, "");
    for (const one of groups) {
      const score = `${scoreOf(one).toFixed(1)} % (goal ${GOALS[one.group]} %)`;
      const counts = `${one.killed} killed, ${one.survived} survived, ${one.equivalent} equivalent`;
      lines.push(`- ${one.group}: ${score} of ${one.mutants} mutants: ${counts}`);
    }
    lines.push("");
  }
  for (const verdict of ["open", "equivalent"] as const) {
    lines.push(verdict === "open" ? "## Open" : "## Equivalent", "");
    const those = survivors.filter((one) => one.verdict === verdict);
    for (const file of new Set(those.map((one) => one.file))) {
      lines.push(`### ${file}`, "");
      for (const one of those.filter((other) => other.file === file)) {
        const place = one.within === "" ? "" : `in ${code(one.within)}: `;
        const why = one.why === "" ? "" : `: ${one.why}`;
        lines.push(`- ${one.id} ${place}${code(one.original)} becomes ${code(one.mutated)}${why}`);
      }
      lines.push("");
    }
    if (those.length === 0) lines.push("None.", "");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function sortKey({ file, within, id }: Survivor): string {
  return `${file}\n${within}\n${id}`;
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Returns the text as a row of the table shows it. */
export function shortened(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX - 2).trimEnd()} …`;
}
