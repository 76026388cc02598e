import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "faultlane-bench-test-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function bench(file: string, ...flags: string[]): Promise<string> {
  const path = new URL(`../../bench/${file}`, import.meta.url).pathname;
  const { stdout } = await run(process.execPath, ["--expose-gc", path, ...flags]);
  return stdout;
}

test("bench:search hunts one planted bug with each search and writes its row", async () => {
  const out = join(folder, "SEARCH.md");
  const smallest = ["--bugs", "B-38", "--seeds", "1", "--runs", "5", "--parts", "planted"];
  await bench("search.ts", ...smallest, "--out", out);
  expect(readFileSync(out, "utf8")).toMatch(/^\| B-38 +\|/m);
});

test("bench:check finds each planted bug of one broker", async () => {
  expect(await bench("check.ts", "kinesis")).toMatch(/^(\d+) of \1 found;/m);
});

test("bench:check-operators finds each planted bug in a single hunt", async () => {
  const out = join(folder, "CHECK-OPERATORS.md");
  await bench("check-operators.ts", "--hunts", "1", "--out", out);
  expect(readFileSync(out, "utf8")).toContain("| ");
});

test("bench:store measures every backend beside its bare driver", async () => {
  const stdout = await bench("store.bench.ts", "--rows", "1000", "--json");
  const report = JSON.parse(stdout) as { calls: readonly object[] };
  expect(report.calls.length).toBeGreaterThan(5);
});
