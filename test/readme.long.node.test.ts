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

test("what the README shows of its first command is what that prints", async () => {
  const [, block = ""] = /```text\n(scenario [\s\S]*?)```/.exec(readme) ?? [];
  const main = new URL("sim/cli/bin.ts", top).pathname;
  const { stdout, stderr } = await run(process.execPath, [main, "run", "scenarios"], { cwd: top });
  const plain = (text: string): string => text.replace(/ +/g, " ").trim();
  const printed = `${stdout}\n${stderr}`.split("\n").map(plain);
  const shown = block.split("\n").map(plain);
  const lines = shown.map((line) => line.replace(/…$/, "").trim()).filter((line) => line !== "");
  expect(lines.length).toBe(7);
  const isPrinted = (line: string): boolean => printed.some((one) => one.startsWith(line));
  expect(lines.filter((line) => !isPrinted(line))).toEqual([]);
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
