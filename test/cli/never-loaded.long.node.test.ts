import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkoutRoot } from "../mutants/checkout-root.ts";

const BIN = join(checkoutRoot, "node_modules/.bin");
const MAIN = join(checkoutRoot, "sim/cli/main.ts");
const folder = mkdtempSync(join(tmpdir(), "faultlane-never-loaded-"));
writeFileSync(
  join(folder, "waits.mjs"),
  "await new Promise(() => undefined);\nexport function createProducer() {}\n",
);
afterAll(() => rmSync(folder, { recursive: true }));

test.concurrent.each([
  ["Node", process.execPath, []],
  ["Deno", join(BIN, "deno"), ["run", "-A"]],
  ["Bun", join(BIN, "bun"), []],
] as const)("a module that never ends loading is wrong input on %s", async (_, command, args) => {
  const check = [MAIN, "check", "waits.mjs", "--broker", "kafka", "--json"];
  const ended = new Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>(
    (resolve) => {
      execFile(command, [...args, ...check], { cwd: folder }, (error, out, err) => {
        resolve({ code: error?.code ?? 0, out, err });
      });
    },
  );
  expect(await ended).toEqual({
    code: 2,
    out: "",
    err: 'Cannot load the module "waits.mjs": it awaits at its top level what never comes\n',
  });
});
