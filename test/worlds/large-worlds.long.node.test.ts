import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("measured-world.ts", import.meta.url));
const MEGABYTE = 1_000_000;
/** For the first hours: code is compiled, caches fill. */
const WARM_UP_SAMPLES = 3;
const TIMEOUT_MS = 1_800_000;

interface Measured {
  readonly verdict: string;
  readonly virtualMs: number;
  readonly heap: readonly number[];
}

async function measured(flags: readonly string[], world: readonly number[]): Promise<Measured> {
  const args = [...flags, PROGRAM, ...world.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Measured;
}

test(
  "a triggerer that runs for 48 virtual hours without a trace keeps its heap flat within 5 MB",
  async () => {
    const { verdict, heap } = await measured(["--expose-gc"], [1, 1, 48 * 60]);
    expect(verdict).toBe("held");
    const warm = heap.slice(WARM_UP_SAMPLES);
    expect(warm.length).toBeGreaterThan(5);
    expect(Math.max(...warm) - Math.min(...warm)).toBeLessThan(5 * MEGABYTE);
  },
  TIMEOUT_MS,
);

test(
  "a thousand triggerers with ten thousand triggers run for a virtual hour within 2 GB",
  async () => {
    const { verdict, virtualMs } = await measured(["--max-old-space-size=2048"], [1_000, 10, 60]);
    expect(verdict).toBe("held");
    expect(virtualMs).toBeGreaterThanOrEqual(3_600_000);
  },
  TIMEOUT_MS,
);
