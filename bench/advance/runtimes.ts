import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { entrantOf, measureRow, type RowResult } from "../engine/measure.ts";
import type { BenchReport } from "../engine/run-bench.ts";

const run = promisify(execFile);

const ROW = "async fires, S=10 L=1";
const BENCH = new URL("../advance.bench.ts", import.meta.url).pathname;
/** Rounds within each process, of which the median counts. */
const ROUNDS_EACH = 3;

/** The same row on Node and on Deno, in processes that take turns. */
export async function measureRuntimes(rounds: number): Promise<RowResult> {
  const flags = ["--json", "--alone", "--only", ROW, "--rounds", String(ROUNDS_EACH)];
  const sampleOf = (file: string, before: readonly string[]) => async (): Promise<number> => {
    const { stdout } = await run(file, [...before, BENCH, ...flags]);
    const { rows } = JSON.parse(stdout) as BenchReport;
    const row = rows.find(({ id }) => id === ROW);
    return entrantOf(row, "faultlane")?.median ?? Number.NaN;
  };
  const row = {
    id: "runtimes",
    work: `${ROW}, a process each`,
    unit: "ns per event",
    entrants: [
      { name: "Node", sample: sampleOf(process.execPath, ["--expose-gc"]) },
      { name: "Deno", sample: sampleOf("deno", ["run", "-A", "--v8-flags=--expose-gc"]) },
    ],
  } as const;
  return measureRow(row, { rounds });
}
