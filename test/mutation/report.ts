import type { SourceMutant } from "./source-mutants.ts";
import type { StaleRows } from "./stale-rows.ts";
import { GOALS, type Measured, scoreOf, type Survivor } from "./survivors.ts";
import type { Outcome } from "./trial.ts";

/** What a run of the gate found out. */
export interface Findings {
  readonly groups: readonly Measured[];
  readonly outcomes: readonly Outcome[];
  /** By the id of the mutant, also of code that has moved. */
  readonly known: ReadonlyMap<string, Survivor>;
  /** Survivors that the table does not list. */
  readonly unknown: readonly SourceMutant[];
  readonly stale: StaleRows;
}

/** What the long gate reads of the result that is printed with `--json`. */
export interface JsonReport {
  readonly groups: readonly Measured[];
  /** How many survivors the table does not list. */
  readonly unknown: number;
}

const TABLE = "test/mutation/survivors.json";

/** A log that is not a terminal gets a line about what goes well only so often. */
const LINE_EVERY_MS = 15_000;

let saidAt = -Infinity;

/** Lines on standard error while the gate runs. */
export const progress = {
  say(line: string): void {
    saidAt = performance.now();
    process.stderr.write(`${line}\n`);
  },

  sayNowAndThen(line: string): void {
    if (process.stderr.isTTY || performance.now() - saidAt > LINE_EVERY_MS) progress.say(line);
  },
};

/** Prints the findings: as JSON on standard output and in words beside it, or in words alone. */
export function report(findings: Findings, { json }: { readonly json: boolean }): void {
  if (!json) {
    for (const line of linesFrom(findings)) console.log(line);
    return;
  }
  for (const line of linesFrom(findings)) progress.say(line);
  const { groups, outcomes, unknown } = findings;
  const tried = outcomes.map(({ mutant, end, by, tests }) => {
    const { edit: _edit, ...shown } = mutant;
    return { ...shown, operator: mutant.edit.operator, end, by, tests };
  });
  const result: JsonReport = { groups, unknown: unknown.length };
  console.log(JSON.stringify({ ...result, tried }, undefined, 2));
}

export function titleOf({ file, line, edit, original, mutated }: SourceMutant): string {
  return `${file}:${line} ${edit.operator}: ${original} => ${mutated}`;
}

function linesFrom({ groups, outcomes, known, unknown, stale }: Findings): readonly string[] {
  return [
    ...groups.map(scoreLine),
    ...outcomes
      .filter(({ end, mutant }) => end !== "survived" && known.has(mutant.id))
      .map(({ mutant }) => `killed, though in the table: ${mutant.id} ${titleOf(mutant)}`),
    ...staleLines(stale),
    ...unknown.flatMap(survivorLines),
    ...(unknown.length === 0 ? [] : cureLines(unknown)),
  ];
}

function scoreLine(measured: Measured): string {
  const { group, killed, survived, equivalent } = measured;
  const score = scoreOf(measured);
  const goal = `goal ${GOALS[group]} %${score < GOALS[group] ? ", NOT REACHED" : ""}`;
  const counts = `${killed} killed, ${survived} survived, ${equivalent} equivalent`;
  return `${group.padEnd(13)} ${score.toFixed(1).padStart(5)} %, ${goal}: ${counts}`;
}

function staleLines({ moved, gone }: StaleRows): readonly string[] {
  if (moved.size + gone.length === 0) return [];
  return [
    `${TABLE} lists ${moved.size} mutants of code that has moved and ${gone.length} of code that`,
    "  is there no more. To follow the first and take out the others:",
    "  npm run test:mutation -- --sample 0 --write",
  ];
}

function survivorLines({ id, file, line, within, original, mutated }: SourceMutant): string[] {
  const place = within === "" ? "" : ` in ${within}`;
  return [
    `SURVIVED ${id} ${file}:${line}${place}`,
    `  no test of the fast gate notices when "${original}" becomes "${mutated}"`,
  ];
}

function cureLines(unknown: readonly SourceMutant[]): readonly string[] {
  const ids = unknown.map(({ id }) => `--id ${id}`).join(" ");
  return [
    "What survives needs a test that fails with it; to see that it does:",
    `  npm run test:mutation -- ${ids}`,
    "If nothing that the code promises is otherwise with it, add --write: that lists it in",
    `  ${TABLE}, where its verdict becomes "equivalent" with the reason. Then show`,
    "  the table: npm run test:mutation -- --sample 0 --write",
  ];
}
