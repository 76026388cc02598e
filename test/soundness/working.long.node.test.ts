import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("run-working.ts", import.meta.url));
const MINUTES = 60_000;
const PROCESSES = 20;
/** How many processes run side by side. */
const WIDTH = 2;
const RUNS_EACH = "15";

async function resultOf(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, ...args]);
  return JSON.parse(stdout);
}

test(
  "a correct producer with real work in every method holds in 1,000 runs",
  async () => {
    expect(await resultOf("check", "1000")).toMatchObject({ runs: 1_000 });
  },
  10 * MINUTES,
);

test(
  "its runs have equal digests in 20 processes",
  async () => {
    const results: unknown[] = [];
    while (results.length < PROCESSES) {
      const some = Array.from({ length: WIDTH }, () => resultOf("digests", RUNS_EACH));
      results.push(...(await Promise.all(some)));
    }
    const [first] = results;
    expect(first).toMatchObject({ runs: 15, broken: 0 });
    expect(results).toEqual(Array.from({ length: PROCESSES }, () => first));
  },
  10 * MINUTES,
);
