import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Comparison } from "../../bench/engine/compare.ts";
import type { BenchReport } from "../../bench/engine/run-bench.ts";

const run = promisify(execFile);
const pathOf = (file: string): string => new URL(`../../${file}`, import.meta.url).pathname;
const QUICK = ["--quick", "--rounds", "1"];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "faultlane-bench-test-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function bench(file: string, ...flags: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [pathOf(file), ...flags]);
  return stdout;
}

test("faultlane bench --json is one document in which every row was measured", async () => {
  const stdout = await bench("sim/cli/main.ts", "bench", ...QUICK, "--json");
  const { rows, goals, machine, sizes } = JSON.parse(stdout) as BenchReport;
  expect(sizes).toBe("quick");
  expect(machine.version).toBe(process.versions.node);
  expect(goals.length).toBeGreaterThan(10);
  expect(rows.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      "async fires, S=100 L=1",
      "async drops, S=10 L=1",
      "pump, S=10 L=1",
      "growth over lanes",
      "growth over outstanding",
      "overdue scan",
      "mass departure",
      "bytes, bound, S=100",
    ]),
  );
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  // At these sizes what a pair holds can drown in what the process frees meanwhile.
  const timed = rows.filter(({ unit }) => unit !== "bytes per pair");
  const unmeasured = timed.flatMap(({ id, entrants }) =>
    entrants.filter(({ median }) => !(median > 0)).map(({ name }) => `${id}: ${name}`),
  );
  expect(unmeasured).toEqual([]);
});

test("npm run bench puts the peers to the same work, each checked after its run", async () => {
  const stdout = await bench("bench/advance.bench.ts", ...QUICK, "--json", "--only", "tracker");
  const { rows } = JSON.parse(stdout) as BenchReport;
  const names = rows.map(({ entrants }) => entrants.map(({ name }) => name));
  const peers = ["p-queue per lane", "fastq per lane", "rxjs groupBy, concatMap, buffer"];
  const ours = ["faultlane", "faultlane, resolving"];
  expect(names).toEqual([
    [...ours, ...peers, "Effect queues"],
    [...ours, ...peers, "Effect queues"],
    [...ours, ...peers, "Effect queues", "kafkajs OffsetManager"],
  ]);
});

test("--compare says what moved, and wants a document of --json", async () => {
  const flags = ["bench", ...QUICK, "--json", "--only", "pump, S=100 L=1"];
  const earlier = JSON.parse(await bench("sim/cli/main.ts", ...flags)) as BenchReport;
  const path = join(folder, "old.json");
  const rows = earlier.rows.map((row) => ({
    ...row,
    entrants: row.entrants.map((one) => ({ ...one, median: 1, quartiles: [1, 1] })),
  }));
  writeFileSync(path, JSON.stringify({ ...earlier, rows }));
  const stdout = await bench("sim/cli/main.ts", ...flags, "--compare", path);
  const { comparison } = JSON.parse(stdout) as { comparison: Comparison };
  expect(comparison.moves.map(({ name }) => name)).toEqual(["faultlane", "textbook", "bare loop"]);
  writeFileSync(path, "{}");
  await expect(bench("sim/cli/main.ts", ...flags, "--compare", path)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Cannot compare with") as string,
  });
});

test("npm run bench -- --write writes the page and its charts", async () => {
  const flags = [...QUICK, "--only", "growth over lanes", "--write", folder];
  await bench("bench/advance.bench.ts", ...flags);
  const page = readFileSync(join(folder, "README.md"), "utf8");
  expect(page).toContain("![growth over lanes](advance/growth-over-lanes.svg)");
  expect(readFileSync(join(folder, "advance/growth-over-lanes.svg"), "utf8")).toMatch(/^<svg /);
});

test("--only wants rows that there are", async () => {
  const flags = ["bench", "--quick", "--only", "pmup"];
  await expect(bench("sim/cli/main.ts", ...flags)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Cannot measure "pmup"') as string,
  });
});
