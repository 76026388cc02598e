import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

test("bench:sim runs, small, and every run in it holds", async () => {
  const path = new URL("../../bench/sim.ts", import.meta.url).pathname;
  const { stdout } = await run(process.execPath, ["--expose-gc", path, "--quick", "--json"]);
  const { lines } = JSON.parse(stdout) as { lines: { value: number }[] };
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter(({ value }) => !(value > 0))).toEqual([]);
});
