import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readScenarios } from "../../sim/cli/scenario-files.ts";
import { artifactFrom } from "../../sim/run/artifact.ts";
import type { RunReport } from "../../sim/run/run-report.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const root = mkdtempSync(join(tmpdir(), "faultlane-scenario-files-"));
const scenario = readScenario("hostile-client");
const TEXT = "{ story: x, world: manager }";
const ARTIFACT = artifactFrom(scenario, {
  seed: 7,
  digest: "0".repeat(64),
  violations: [],
  choices: [],
} as unknown as RunReport);

afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

async function readFrom(...paths: readonly string[]): Promise<readonly string[]> {
  const files = await readScenarios(paths.map((path) => join(root, path)));
  return files.map(({ path }) => relative(root, path));
}

test("readScenarios() takes nothing from a folder that an earlier run has left there", async () => {
  write("mine.yaml", TEXT);
  write("deeper/x.json", JSON.stringify({ story: "x", world: "manager" }));
  write(".faultlane/mine.seed-1.json", ARTIFACT);
  write(".faultlane/mine.seed-1.shrunk.yaml", TEXT);
  write("deeper/.faultlane/corpus/x.seed-2.json", ARTIFACT);
  write("artifacts/mine.seed-1.json", ARTIFACT);
  expect(await readFrom(".")).toEqual(["deeper/x.json", "mine.yaml"]);
  expect(await readFrom(".faultlane")).toEqual([".faultlane/mine.seed-1.shrunk.yaml"]);
});

test("readScenarios() refuses an artifact that is named itself, and a file that is no scenario", async () => {
  await expect(readFrom("artifacts/mine.seed-1.json")).rejects.toThrow("Cannot");
  write("other/package.json", "{}");
  await expect(readFrom("other/package.json")).rejects.toThrow("package.json");
  await expect(readFrom("other")).rejects.toThrow("No scenario file");
});

test.for([
  ["mistyped.yaml", "{ story: x, wrld: manager }"],
  ["mistyped.json", '{ "stroy": "x", "world": "manager" }'],
  ["unreadable.yaml", "story: [x\nworld: manager\n"],
  ["unreadable.json", '{ "story": "x", "world": }'],
] as const)(
  "readScenarios() does not leave out %s, which is meant to be a scenario",
  async ([file, text]) => {
    write(`wrong-${file}/${file}`, text);
    await expect(readFrom(`wrong-${file}`)).rejects.toThrow(file);
  },
);
