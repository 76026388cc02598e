import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("measured-check.ts", import.meta.url));
const GROWTH_MAX = 5_000_000;
/** The first runs load and compile. */
const WARM_AFTER_RUNS = 500;

test(
  "checkProducer() keeps nothing of the runs that it has made",
  { timeout: 600_000 },
  async () => {
    const args = ["--expose-gc", SCRIPT, "3000", "250"];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const heap = (JSON.parse(stdout) as [runs: number, bytes: number][])
      .filter(([runs]) => runs >= WARM_AFTER_RUNS)
      .map(([, bytes]) => bytes);
    expect(heap.length).toBe(11);
    expect(Math.max(...heap) - Math.min(...heap)).toBeLessThan(GROWTH_MAX);
  },
);
