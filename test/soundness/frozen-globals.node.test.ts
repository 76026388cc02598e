import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../../sim/cli/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "faultlane-frozen-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command line after a module that freezes something. */
function digestAfter(freezing: string): Promise<{ code: number; err: string }> {
  const file = join(folder, "freeze.mjs");
  writeFileSync(file, freezing);
  const args = ["--import", file, MAIN, "digest", "scenarios/hostile-client.yaml"];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, _out, err) =>
      resolve({ code: Number(error?.code ?? 0), err }),
    );
  });
}

test.each([
  ["Object.freeze(Date);", "Date.now"],
  ["Object.freeze(Math);", "Math.random"],
  [
    "Object.defineProperty(globalThis, 'setTimeout', { writable: false, configurable: false });",
    "setTimeout",
  ],
])("what was frozen before the realm is an error with the cure: %s", async (freezing, name) => {
  const { code, err } = await digestAfter(freezing);
  expect({ code, err }).toEqual({
    code: 2,
    err: `Cannot make ${name} virtual: it is frozen; import "faultlane/virtual" before what freezes the globals\n`,
  });
});

test("what was frozen and is not replaced does not matter", async () => {
  expect((await digestAfter("Object.freeze(Array.prototype);")).code).toBe(0);
});
