import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const run = promisify(execFile);

/** Longer than a thread may go without a beat while it is watched. */
const BLOCKED_MS = 14_000;
/** Longer than it takes to end one. */
const BLOCKED_FOR_GOOD_MS = 600_000;
const WATCH = new URL("../../sim/cli/hang-watch.ts", import.meta.url).href;

const CODE = `
import { watchForHang } from "${WATCH}";
const outer = watchForHang(7, "blocks.ts");
watchForHang(7, "blocks.ts")[Symbol.dispose]();
const isWatched = process.argv[2] === "watched";
if (!isWatched) outer[Symbol.dispose]();
await new Promise((resolve) => setTimeout(resolve, 500));
const start = performance.now();
while (performance.now() - start < (isWatched ? ${BLOCKED_FOR_GOOD_MS} : ${BLOCKED_MS}));
console.log("went on");
`;
const folder = mkdtempSync(join(tmpdir(), "faultlane-hang-watch-"));
const module = join(folder, "blocks.ts");
writeFileSync(module, CODE);
afterAll(() => rmSync(folder, { recursive: true }));

// A test that loaded code under test left a watch, and the next file in its worker was ended by it.
test("a thread may block once nobody watches it any more", async () => {
  const { stdout } = await run(process.execPath, [module, "disposed"]);
  expect(stdout).toBe("went on\n");
});

test("the end of an inner watch does not end the outer one", async () => {
  const ended = run(process.execPath, [module, "watched"]);
  await expect(ended).rejects.toThrow("it blocks the thread");
});
