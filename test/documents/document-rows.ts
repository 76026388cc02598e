// The requirements of the five documents of Airflow that this follows, sentence by sentence: rows.txt is
// written by hand, and the page ROWS.md is made from it and from the tests that name its cases.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tableFrom } from "../docs/forms-table.ts";

const top = new URL("../../", import.meta.url).pathname;

/** A sentence of a document, and where it is kept; a cell that has nothing is empty. */
export interface DocumentRow {
  readonly document: string;
  readonly says: string;
  /** Codes of test/codes.md, by which the tests are found, and files of tests. */
  readonly cases: readonly string[];
  /** A file, with a name in it after "#" where it is one part of many. */
  readonly code: readonly string[];
  readonly worlds: readonly string[];
  readonly laws: readonly string[];
  /** Codes, or names where there is no code. */
  readonly bugs: readonly string[];
}

const NONE = "–";

/** Returns the rows of rows.txt. */
export function documentRows(): readonly DocumentRow[] {
  const rows: DocumentRow[] = [];
  let document = "";
  for (const line of readFileSync(`${top}test/documents/rows.txt`, "utf8").split("\n")) {
    if (line.startsWith("# ")) document = line.slice(2);
    else if (line !== "") rows.push(rowFrom(document, line));
  }
  return rows;
}

function rowFrom(document: string, line: string): DocumentRow {
  // A bar in a quotation is written as \|.
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  if (cells.length !== 6) throw new Error(`Cannot read a row of ${cells.length} cells: ${line}`);
  const [says = "", ...rest] = cells;
  const [cases = [], code = [], worlds = [], laws = [], bugs = []] = rest.map((cell) =>
    cell.split(" ").filter((word) => word !== NONE),
  );
  // The words of a name are joined by low lines.
  const named = bugs.map((bug) => bug.replaceAll("_", " "));
  return { document, says, cases, code, worlds, laws, bugs: named };
}

interface SourceText {
  readonly path: string;
  readonly text: string;
}

function textsOf(folder: string, end: string): readonly SourceText[] {
  return readdirSync(`${top}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(end) && !path.startsWith("documents/"))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(`${top}${folder}/${path}`, "utf8") }));
}

/** The files of tests by the codes that stand in them. */
function filesByCode(): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  // The laws that every backend has to keep are tests, too.
  const laws = textsOf("sim/check/backend", ".ts").map(({ path, text }) => {
    return { path: `sim/check/backend/${path.replace(".ts", "")}`, text };
  });
  for (const { path, text } of [...textsOf("test", ".test.ts"), ...laws]) {
    const name = path.replace(".test.ts", "");
    for (const [code] of text.matchAll(/(?<![\w-])[A-Z](?:-I)?-?\d+(?![\w-])/g)) {
      const known = files.get(code) ?? [];
      if (!known.includes(name)) known.push(name);
      files.set(code, known);
    }
  }
  return files;
}

/** Returns what the rows name and what does not exist, one a line. */
export function missingFrom(rows: readonly DocumentRow[]): readonly string[] {
  const tests = filesByCode();
  const codes = readFileSync(`${top}test/codes.md`, "utf8");
  const checkers = textsOf("sim/checkers", ".ts");
  const sources = textsOf("test", ".ts");
  const patches = readdirSync(`${top}test/mutants`, { recursive: true, encoding: "utf8" });
  const missing: string[] = [];
  for (const { says, cases, code, worlds, laws, bugs } of rows) {
    const miss = (what: string): void => void missing.push(`${says}: ${what}`);
    for (const one of cases) {
      const isThere = one.includes("/")
        ? existsSync(`${top}${one}.test.ts`)
        : codes.includes(`- ${one}:`);
      if (!isThere) miss(`case ${one}`);
    }
    const isTested = cases.some((one) => one.includes("/") || tests.has(one));
    if (cases.length > 0 && !isTested) miss(`a test of ${cases.join(" or ")}`);
    for (const place of code) if (!isPlace(place)) miss(place);
    for (const name of worlds) {
      if (!existsSync(`${top}scenarios/${name}.yaml`)) miss(`scenario ${name}`);
    }
    for (const law of laws) {
      if (!checkers.some(({ text }) => text.includes(`"${law}"`))) miss(`checker ${law}`);
    }
    for (const bug of bugs) {
      const isPatch = patches.some((path) => path.endsWith(`/${bug}.patch`));
      const named = new RegExp(`(?:name|bug): "(?:E\\d+ )*${bug}[ :"]`);
      if (!isPatch && !sources.some(({ text }) => named.test(text))) miss(`bug ${bug}`);
    }
  }
  return missing;
}

function isPlace(place: string): boolean {
  const [path = "", name] = place.split("#");
  if (!existsSync(`${top}${path}`)) return false;
  return name === undefined || readFileSync(`${top}${path}`, "utf8").includes(name);
}

const INTRODUCTION = `# Airflow's documents, sentence by sentence

Generated from [rows.txt](rows.txt) and from the tests that name its cases, by
\`npm run test:node -- test/documents --update\`; do not edit. A test holds that everything that is named exists.

- **case**: a code of [the table of codes](../codes.md); the tests that name it, up to two of them.
- **world**: a scenario in which the sentence is lived through, under faults.
- **law**: the checker that watches it there, and in every drawn run.
- **bug**: a planted bug that breaks it and is found.
`;

/** Returns the page of the rows. */
export function rowsPage(rows: readonly DocumentRow[]): string {
  const tests = filesByCode();
  const documents = [...new Set(rows.map(({ document }) => document))];
  const of = (document: string): readonly DocumentRow[] =>
    rows.filter((row) => row.document === document);
  return [
    INTRODUCTION,
    tableFrom([
      ["document", "rows", "with a case", "with a world", "with a law", "with a planted bug"],
      ...documents.map((document) => countsOf(document, of(document))),
    ]),
    ...documents.map((document) => `## ${document}\n\n${sectionOf(of(document), tests)}`),
    `## Not lived through in a world\n\n${notLived(rows)}`,
  ].join("\n");
}

function countsOf(document: string, rows: readonly DocumentRow[]): readonly string[] {
  const having = (part: "cases" | "worlds" | "laws" | "bugs"): string =>
    String(rows.filter((row) => row[part].length > 0).length);
  const counts = [having("cases"), having("worlds"), having("laws"), having("bugs")];
  return [document, String(rows.length), ...counts];
}

function sectionOf(
  rows: readonly DocumentRow[],
  tests: ReadonlyMap<string, readonly string[]>,
): string {
  const listed = (words: readonly string[]): string =>
    words.length === 0 ? NONE : words.join(", ");
  const testsOf = ({ cases }: DocumentRow): string => {
    const codes = cases.filter((one) => !one.includes("/"));
    const named = cases.filter((one) => one.includes("/")).map((one) => one.slice("test/".length));
    const files = [...new Set([...named, ...codes.flatMap((one) => tests.get(one) ?? [])])];
    const places = `${files.slice(0, 2).join(", ")}${files.length > 2 ? " and more" : ""}`;
    if (cases.length === 0) return NONE;
    return codes.length === 0 ? places : `${codes.join(", ")}: ${places}`;
  };
  return tableFrom([
    ["it says", "code", "case: tests", "world", "law", "bug"],
    ...rows.map((row) => [
      row.says.replaceAll("``", "`"),
      listed(row.code),
      testsOf(row),
      listed(row.worlds),
      listed(row.laws),
      listed(row.bugs),
    ]),
  ]);
}

function notLived(rows: readonly DocumentRow[]): string {
  return rows
    .filter(({ worlds }) => worlds.length === 0)
    .map(({ document, says }) => `- ${document}: ${says.replaceAll("``", "`")}\n`)
    .join("");
}
