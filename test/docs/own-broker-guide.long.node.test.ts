import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { exampleBlocksFrom } from "./example-blocks.ts";
import { faces, top } from "./faces.ts";

const GUIDE = "scenarios/guides/a-broker-of-your-own.md";
const LINES_MAX = 80;

const text = readFileSync(join(top, GUIDE), "utf8");
const folder = mkdtempSync(join(tmpdir(), "faultlane-guide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
const blocks = exampleBlocksFrom(GUIDE, text);
for (const { name = "", code } of blocks) {
  const known = [...faces()].map(([face, path]) => [`"${face}"`, `"${join(top, path)}"`] as const);
  const runs = known.reduce((all, [face, path]) => all.replaceAll(face, path), code);
  writeFileSync(join(folder, name), runs);
}

/** Runs a command of the guide in the folder of its modules, and returns what it prints. */
function printedBy(command: string): string {
  const args = [join(top, "sim/cli/main.ts"), ...command.split(" ").slice(2)];
  const env = { ...process.env, NO_COLOR: "1" };
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env }).stdout;
}

const COMMANDS = [...text.matchAll(/```text\n\$ (npx faultlane .*)\n([\s\S]*?)```/g)].map(
  ([, command = "", shown = ""]) => ({ command, shown }),
);

test("the guide has its two commands, and a model of less than 80 lines", () => {
  expect(COMMANDS).toHaveLength(2);
  expect(blocks.map(({ name }) => name)).toEqual(["outbox.ts", "naive-producer.ts", "producer.ts"]);
  expect(blocks[0]?.code.split("\n").length).toBeLessThan(LINES_MAX);
});

test.each(COMMANDS)("the guide shows what $command prints", ({ command, shown }) => {
  const printed = printedBy(command);
  // The guide leaves out the list of faults.
  const kept = shown.split("\n...\n");
  for (const part of kept) expect(printed).toContain(part.trimEnd());
});

test("the run that the naive producer leaves is played on the broker of its module", () => {
  const artifact = /scenario: (npx faultlane check .*)/.exec(COMMANDS[0]?.shown ?? "")?.[1] ?? "";
  expect(printedBy(artifact)).toContain("The producer breaks G9");
});
