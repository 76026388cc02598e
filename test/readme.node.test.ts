import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const top = new URL("..", import.meta.url);
const readme = readFileSync(new URL("README.md", top), "utf8");

/** The code blocks of the README that stand by themselves: they import what they use. */
const programs = [...readme.matchAll(/```ts\n(import [\s\S]*?)```/g)].map(([, code = ""]) => code);

test("the README's programs print what they say", async () => {
  expect(programs.length).toBeGreaterThan(0);
  for (const code of programs) {
    const promised = [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, said = ""]) => said);
    const folder = mkdtempSync(join(tmpdir(), "faultlane-readme-"));
    const path = join(folder, "program.ts");
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(
      path,
      code
        .replaceAll('"faultlane"', `"${new URL("src/mod.ts", top).href}"`)
        .replaceAll('"faultlane/platform"', `"${new URL("src/platform/mod.ts", top).href}"`),
    );
    const { stdout } = await run(process.execPath, [path]);
    rmSync(folder, { recursive: true });
    expect(stdout.trim().split("\n")).toEqual(promised);
  }
});

test("the README's two commands are those of the package", () => {
  expect(readme).toContain("npm ci && npx faultlane run scenarios");
  expect(readme).toContain("npm ci && npm test");
});

test("the README's crash window is what the command says", async () => {
  const [, printed = ""] =
    /```text\n\$ npx faultlane (crash-points [\s\S]*?)```/.exec(readme) ?? [];
  const [command = "", ...lines] = printed.trimEnd().split("\n");
  const main = new URL("sim/cli/bin.ts", top).pathname;
  const { stdout } = await run(process.execPath, [main, ...command.split(" ")], { cwd: top });
  expect(stdout.trimEnd().split("\n")).toEqual(lines);
}, 60_000);
