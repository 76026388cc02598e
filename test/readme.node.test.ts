import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { KAFKA_PLANTED } from "./check/producers/kafka/planted.ts";

const run = promisify(execFile);
const top = new URL("..", import.meta.url);
const readme = readFileSync(new URL("README.md", top), "utf8");

/** The code blocks of the README that stand by themselves: they say what they print. */
const programs = [...readme.matchAll(/```ts\n(import [\s\S]*?)```/g)]
  .map(([, code = ""]) => code)
  .filter((code) => code.includes("// =>"));

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

test("the README's producer is checked as its code says, and holds", async () => {
  const [, code = ""] = /```ts\n(import \{ checkProducer[\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "faultlane-readme-"));
  const path = join(folder, "program.ts");
  const orders = new URL("test/check/producers/kafka/orders-producer.ts", top).href;
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    path,
    `import { OrdersProducer } from "${orders}";\n${code.replace(
      '"faultlane/check"',
      `"${new URL("sim/check/mod.ts", top).href}"`,
    )}`,
  );
  const { stdout, stderr } = await run(process.execPath, [path]);
  rmSync(folder, { recursive: true });
  expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
}, 60_000);

test("the README's five repairs are what the check says without each", async () => {
  const rows = [...readme.matchAll(/^\| (\S+) `([^`]+)` +\| .*\((P-\d+)\) +\|$/gm)];
  expect(rows.map(([, , , id]) => id)).toEqual(["P-01", "P-03", "P-05", "P-11", "P-16"]);
  for (const [, guarantee, detail, id] of rows) {
    const found = await KAFKA_PLANTED.find((bug) => bug.id === id)?.find();
    expect(found).toMatchObject({ guarantee, detail });
  }
}, 60_000);
