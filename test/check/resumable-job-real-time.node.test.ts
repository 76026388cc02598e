import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const FILE = fileURLToPath(new URL("captured-timer.ts", import.meta.url));

// Only Node says which timers are open. The process is new, because one that has simulated has gates.
test("checkResumableJob() does not judge a job that captured a real timer before the kit was loaded", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [FILE]);
  expect(stdout).toBe("NotVirtual: a real Timeout that was captured before the run\n");
});
