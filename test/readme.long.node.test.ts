import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { KAFKA_PLANTED } from "./check/producers/kafka/planted.ts";

const run = promisify(execFile);
const top = new URL("..", import.meta.url);
const readme = readFileSync(new URL("README.md", top), "utf8");

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
});

test("the README's five repairs are what the check says without each", async () => {
  const rows = [...readme.matchAll(/^\| (\S+) `([^`]+)` +\| .*\((P-\d+)\) +\|$/gm)];
  expect(rows.map(([, , , id]) => id)).toEqual(["P-01", "P-03", "P-05", "P-11", "P-16"]);
  for (const [, guarantee, detail, id] of rows) {
    const found = await KAFKA_PLANTED.find((bug) => bug.id === id)?.find();
    expect(found).toMatchObject({ guarantee, detail });
  }
});
