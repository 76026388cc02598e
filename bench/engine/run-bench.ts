import { type GoalResult, judgeGoals } from "./goals.ts";
import { type Measuring, measureRow, type Row, type RowResult } from "./measure.ts";
import { type Bench, rowsFrom } from "./rows.ts";

/** Where the numbers were taken. */
export interface Machine {
  readonly runtime: string;
  readonly version: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  /** Runnable processes over the last minute as the bench began; what is beyond 1 is not ours. */
  readonly load: number;
}

/** The whole result, and the document that `--json` prints. */
export interface BenchReport {
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly sizes: "full" | "quick";
  readonly rounds: number;
  readonly goals: readonly GoalResult[];
  readonly rows: readonly RowResult[];
}

export interface BenchOptions extends Measuring {
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  /** Only rows whose id is one of these or has one in it; all when there is none. */
  readonly only?: readonly string[];
  /** Rows measured by the caller that belong to the report: other processes, other runtimes. */
  readonly otherRows?: () => Promise<readonly RowResult[]>;
  /** Called before each row. */
  readonly onRow?: (id: string, at: number, of: number) => void;
}

/**
 * Measures every row and judges the goals.
 *
 * @throws {RangeError} when no row is asked for
 * @throws {InvariantViolation} when a run did not advance each event once and in its lane's order
 */
export async function runBench(bench: Bench, options: BenchOptions): Promise<BenchReport> {
  const { machine, versions, rounds, only = [], onRow } = options;
  const all = rowsFrom(bench);
  const asked = only.length === 0 ? all : all.filter(({ id }) => isAsked(id, only, all));
  if (asked.length === 0 && options.otherRows === undefined) {
    throw new RangeError(`Cannot measure "${only.join('", "')}": no row has it in its name`);
  }
  const rows: RowResult[] = [];
  for (const [at, row] of asked.entries()) {
    onRow?.(row.id, at, asked.length);
    rows.push(await measureRow(row, options));
  }
  rows.push(...((await options.otherRows?.()) ?? []));
  const sizes = bench.isQuick ? "quick" : "full";
  return { machine, versions, sizes, rounds, goals: judgeGoals(rows), rows };
}

/** A part that is a whole name means that row alone. */
function isAsked(id: string, only: readonly string[], all: readonly Row[]): boolean {
  return only.some(
    (part) => id === part || (id.includes(part) && !all.some((row) => row.id === part)),
  );
}
