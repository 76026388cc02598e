// The requirements of the five documents of Airflow that this follows, sentence by sentence: rows.txt is
// written by hand (sentence | cases | code | worlds | laws | bugs | kind: why), and the page ROWS.md
// is made from it and from the tests that name its cases.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tableFrom } from "../docs/forms-table.ts";

const top = new URL("../../", import.meta.url).pathname;

/**
 * What a sentence is.
 *
 * - `promise`: behaviour, which a planted bug can break.
 * - `shape`: a name, a type, or what is refused before anything runs: the compiler or a test of the
 *   call holds it, and no run can break it.
 * - `author`: a duty of whoever writes the operator, the trigger or the producer: what breaks it is
 *   a faulty one, not a bug of the kit.
 * - `advice`: a motive, a comparison, a proposal that was rejected, a document that is to be
 *   written: it promises nothing that runs.
 */
export const ROW_KINDS = ["promise", "shape", "author", "advice"] as const;

export type RowKind = (typeof ROW_KINDS)[number];

/** A sentence of a document, and where it is kept; a cell that has nothing is empty. */
export interface DocumentRow {
  readonly document: string;
  readonly says: string;
  readonly kind: RowKind;
  /** Why it has no world, no law or no bug; empty where it needs no reason. */
  readonly why: string;
  /** Codes of test/codes.md, by which the tests are found, and files of tests. */
  readonly cases: readonly string[];
  /** A file, with a name in it after "#" where it is one part of many. */
  readonly code: readonly string[];
  readonly worlds: readonly string[];
  readonly laws: readonly string[];
  /**
   * Codes, or names where there is no code; or a scenario in which a faulty subject breaks it, and
   * which says so.
   */
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
  if (cells.length < 6 || cells.length > 7)
    throw new Error(`Cannot read a row of ${cells.length} cells: ${line}`);
  const [says = "", ...rest] = cells.slice(0, 6);
  const [cases = [], code = [], worlds = [], laws = [], bugs = []] = rest.map((cell) =>
    cell.split(" ").filter((word) => word !== NONE),
  );
  // The words of a name are joined by low lines.
  const named = bugs.map((bug) => bug.replaceAll("_", " "));
  return { document, says, ...kindFrom(cells[6]), cases, code, worlds, laws, bugs: named };
}

/** Reads `kind`, `kind: why` or nothing, which is a promise. */
function kindFrom(cell = "promise"): Pick<DocumentRow, "kind" | "why"> {
  const [word = "", ...rest] = cell.split(": ");
  const kind = ROW_KINDS.find((one) => one === word);
  if (kind === undefined) throw new Error(`Cannot read "${cell}" as the kind of a row`);
  return { kind, why: rest.join(": ") };
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
  for (const { says, kind, why, cases, code, worlds, laws, bugs } of rows) {
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
    if (why === "" && kind === "promise") {
      if (laws.length === 0) miss("a law, or why there is none");
      if (bugs.length === 0) miss("a planted bug, or why there is none");
    }
    if (why === "" && kind !== "advice" && kind !== "shape" && worlds.length === 0) {
      miss("a world, or why there is none");
    }
    for (const bug of bugs) {
      if (bug.includes("/")) {
        if (!breaksOnPurpose(bug)) miss(`a scenario that breaks a promise: ${bug}`);
        continue;
      }
      const isPatch = patches.some((path) => path.endsWith(`/${bug}.patch`));
      const named = new RegExp(`(?:name|bug): "(?:E\\d+ )*${bug}[ :"]`);
      if (!isPatch && !sources.some(({ text }) => named.test(text))) miss(`bug ${bug}`);
    }
  }
  return missing;
}

/** Whether a scenario is there, and says which promises are broken in it. */
function breaksOnPurpose(name: string): boolean {
  const path = `${top}scenarios/${name}.yaml`;
  return existsSync(path) && readFileSync(path, "utf8").includes("broken: [");
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
- **bug**: a planted bug that breaks it and is found, or a scenario in which a faulty subject does.
- **kind**: _promise_: behaviour; _shape_: names, types, and what is refused before anything runs,
  which the compiler or a test of the call holds; _author_: a duty of whoever writes the operator,
  the trigger or the producer; _advice_: motives, comparisons, rejected proposals and documents,
  which promise nothing that runs.
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
      ["document", "rows", "promises", "with a case", "with a world", "with a law", "with a bug"],
      ...documents.map((document) => countsOf(document, of(document))),
    ]),
    ...documents.map((document) => `## ${document}\n\n${sectionOf(of(document), tests)}`),
    `## Promises without a planted bug, and why\n\n${listOf(rows, isWithoutBug)}`,
    `## Promises and duties that are lived through in no world, and why\n\n${listOf(rows, isNotLived)}`,
  ].join("\n");
}

function countsOf(document: string, rows: readonly DocumentRow[]): readonly string[] {
  const promises = rows.filter(({ kind }) => kind === "promise");
  const having = (part: "cases" | "worlds" | "laws" | "bugs"): string =>
    String(promises.filter((row) => row[part].length > 0).length);
  const counts = [having("cases"), having("worlds"), having("laws"), having("bugs")];
  return [document, String(rows.length), String(promises.length), ...counts];
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
    ["it says", "kind", "code", "case: tests", "world", "law", "bug"],
    ...rows.map((row) => [
      row.says.replaceAll("``", "`"),
      row.kind,
      listed(row.code),
      testsOf(row),
      listed(row.worlds),
      listed(row.laws),
      listed(row.bugs),
    ]),
  ]);
}

function isWithoutBug({ kind, bugs }: DocumentRow): boolean {
  return kind === "promise" && bugs.length === 0;
}

function isNotLived({ kind, worlds }: DocumentRow): boolean {
  return worlds.length === 0 && (kind === "promise" || kind === "author");
}

function listOf(rows: readonly DocumentRow[], isListed: (row: DocumentRow) => boolean): string {
  const listed = rows.filter(isListed);
  if (listed.length === 0) return "None.\n";
  return listed
    .map(({ document, says, why }) => `- ${document}: "${says.replaceAll("``", "`")}": ${why}\n`)
    .join("");
}
