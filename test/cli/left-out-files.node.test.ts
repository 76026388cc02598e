import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { faultlaneIn } from "./faultlane.ts";

const root = mkdtempSync(join(tmpdir(), "faultlane-left-out-files-"));
const TEXT = "{ story: x, world: manager }";

afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

test("the command line leaves out of a folder what does not look like a scenario, and says so", async () => {
  write("project/a.yaml", TEXT);
  write("project/package.json", '{ "name": "world", "scripts": { "story": "x" } }');
  write("project/package-lock.json", '{ "packages": {} }');
  write("project/tsconfig.json", '{ // with comments\n "compilerOptions": {} }');
  write("project/list.yml", "- story\n- world\n");
  write("project/node_modules/other/b.yaml", TEXT);
  write("project/.github/workflows/c.yaml", "{ story: c }");
  const { code, out, err } = await faultlaneIn(join(root, "project"), "digest", ".");
  expect(err.trim()).toBe(
    'Left out, with neither "story" nor "world": list.yml, package-lock.json, package.json and 1 more',
  );
  expect([code, out.trim().split("\n").length]).toEqual([0, 1]);
});
