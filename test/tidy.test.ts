import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Finding, lineFromFinding } from "./tidy/finding.ts";
import { circleFindings, importFindings } from "./tidy/import-rules.ts";
import { nameFindings } from "./tidy/name-rules.ts";
import { sourceFileFrom } from "./tidy/source-file.ts";
import {
  type DenoManifest,
  faceFindings,
  lockFindings,
  type PackageManifest,
  topLevelFindings,
  versionFindings,
} from "./tidy/tree-rules.ts";

const top = new URL("../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, top), "utf8");
const manifest = (): PackageManifest => JSON.parse(read("package.json")) as PackageManifest;
const denoManifest = (): DenoManifest => JSON.parse(read("deno.json")) as DenoManifest;

const sources = ["src", "sim", "bench", "test"]
  .flatMap((folder) =>
    readdirSync(new URL(folder, top), { recursive: true, encoding: "utf8" }).map(
      (path) => `${folder}/${path.replaceAll("\\", "/")}`,
    ),
  )
  .filter((path) => path.endsWith(".ts"))
  .sort()
  .map((path) => sourceFileFrom(path, read(path)));

/** Nothing found, or the places, one a line, in the message of the failure. */
function expectNone(findings: readonly Finding[]): void {
  expect(findings.map(lineFromFinding)).toEqual([]);
}

describe("the tree", () => {
  it("keeps to the import rules", () => {
    expect(sources.length).toBeGreaterThan(20);
    expectNone(importFindings(sources));
  });

  it("has no import circle, type-only imports counted", () => expectNone(circleFindings(sources)));

  it("keeps to the bans, the names and the sizes", () => expectNone(nameFindings(sources)));

  it("has nothing at the top level but what belongs there", () => {
    expectNone(topLevelFindings(readdirSync(top), read(".gitignore")));
  });

  it("has the same faces for npm and Deno", () => {
    expectNone(faceFindings(manifest(), denoManifest(), (path) => existsSync(new URL(path, top))));
  });

  it("pins every dependency and no registry", () => {
    expectNone([...versionFindings(manifest()), ...lockFindings(read("package-lock.json"))]);
  });
});

/** What the rules say of one planted file. */
function said(path: string, text: string): string[] {
  const file = sourceFileFrom(path, text);
  return [...importFindings([file]), ...nameFindings([file])].map(lineFromFinding);
}

describe("an import rule", () => {
  it.each([
    ["src/time/a.ts", `import "../../sim/world.ts";`, "src imports only src"],
    ["src/time/a.ts", `import { z } from "zod";`, "src has no dependency"],
    ["src/time/a.ts", `import type { A } from "fast-check";`, "src has no dependency"],
    ["src/time/a.ts", `import fs from "node:fs";`, "src has no dependency"],
    ["src/platform/a.ts", `import pg from "pg";`, "src has no dependency"],
    ["src/store/a.ts", `import { A } from "../shared-stream/mod.ts";`, "may not know src/shared"],
    ["src/shared-stream/a.ts", `export { A } from "../store/mod.ts";`, "may not know src/store"],
    ["src/shared-stream/a.ts", `type A = import("../triggerer/a.ts").A;`, "may not know src/trig"],
    ["src/time/a.ts", "await import(`../platform/mod.ts`);", "may not know src/platform"],
    ["src/cellar/a.ts", `import "../time/mod.ts";`, "has no place in the order"],
    ["sim/world.ts", `import { readFileSync } from "node:fs";`, "touch the machine"],
    ["sim/world.ts", `import { sql } from "bun:sqlite";`, "touch the machine"],
    ["sim/world.ts", `import { it } from "vitest";`, `"vitest" belongs to test and bench`],
    ["sim/world.ts", `import fc from "fast-check";`, `"fast-check" belongs to sim/check/`],
    ["sim/report/a.ts", `import { Command } from "commander";`, `"commander" belongs to sim/cli/`],
    ["sim/hosts/a.ts", `import { A } from "../../src/time/clock.ts";`, "by its mod.ts"],
    ["bench/a.ts", `import { A } from "../src/shared-stream/ledger.ts";`, "by its mod.ts"],
    ["sim/checkers/a.ts", `import type { A } from "../world.ts";`, "imports the trace only"],
    ["sim/checkers/a.ts", `import { A } from "../../src/time/mod.ts";`, "imports the trace only"],
    ["sim/checkers/a.ts", `import { A } from "pure-rand";`, "imports the trace only"],
    ["sim/checkers/a.ts", `import { A } from "./mod.ts";`, "the face of its own room"],
    ["src/time/a.ts", `import { A } from "./mod.ts";`, "the face of its own room"],
    ["sim/world.ts", `import { A } from "../test/a.ts";`, "knows no test"],
    ["sim/world.ts", `import { A } from "../dist/sim/a.js";`, "sources import sources"],
    ["sim/world.ts", `import { main } from "./cli/main.ts";`, "does not know its command line"],
    ["sim/world.ts", `import { A } from "./trace";`, "name the file with its ending"],
    ["sim/world.ts", `export * from "./trace.ts";`, "no export *"],
    ["sim/world.ts", `export * as trace from "./trace.ts";`, "no export *"],
  ])("fails %s with %s", (path, text, message) => {
    expect(said(path, text)).toEqual([expect.stringContaining(message)]);
  });

  it("lets pass what the house allows", () => {
    expect(said("src/platform/a.ts", `import { open } from "node:fs/promises";`)).toEqual([]);
    expect(said("src/mod.ts", `export { A } from "./triggerer/mod.ts";`)).toEqual([]);
    expect(said("sim/checkers/a.ts", `import type { A } from "../trace.ts";`)).toEqual([]);
    expect(said("sim/world.ts", `import { invariant } from "../src/invariant.ts";`)).toEqual([]);
    expect(said("sim/cli/a.ts", `import { Command } from "commander";`)).toEqual([]);
  });
});

describe("the circle rule", () => {
  it("fails a circle of type-only imports", () => {
    const files = [
      sourceFileFrom("sim/a.ts", `import type { B } from "./b.ts";`),
      sourceFileFrom("sim/b.ts", `type A = import("./c.ts").A;`),
      sourceFileFrom("sim/c.ts", `export type { A } from "./a.ts";`),
    ];
    expect(circleFindings(files).map(lineFromFinding)).toEqual([
      "sim/a.ts:1 imports itself in a circle: sim/a.ts -> sim/b.ts -> sim/c.ts -> sim/a.ts",
    ]);
    expectNone(circleFindings(files.slice(0, 2)));
  });
});

describe("a ban", () => {
  it.each([
    ["src/time/a.ts", "const now = Date.now();", "no Date"],
    ["sim/world.ts", "const now = new Date();", "no Date"],
    ["sim/world.ts", `const now = globalThis["Date"];`, "no globalThis"],
    ["sim/world.ts", "const bag = { setTimeout };", "no setTimeout"],
    ["sim/world.ts", "const { setImmediate: hop } = globalThis;", "no globalThis"],
    ["sim/world.ts", "queueMicrotask(() => undefined);", "no queueMicrotask"],
    ["sim/world.ts", "const id = crypto.randomUUID();", "no crypto"],
    ["sim/world.ts", "const at = performance.now();", "no performance"],
    ["src/store/a.ts", "console.warn(1);", "no console"],
    ["sim/scenario/a.ts", "const cwd = process.cwd();", "no process"],
    ["sim/scenario/a.ts", `await fetch("x");`, "no fetch"],
    ["sim/world.ts", "const signal = AbortSignal.timeout(1);", "no AbortSignal.timeout"],
    ["sim/drain.ts", "const x = Math.random();", "no Math.random"],
    ["sim/world.ts", "const x = Math.random();", "no Math.random"],
    ["sim/world.ts", "const x = Math.hypot(3, 4);", "no Math.hypot"],
    ["src/time/a.ts", `const x = Math["pow"](3, 4);`, "no Math.pow"],
    ["sim/world.ts", "const { log } = Math;", "no Math as a value"],
    ["sim/world.ts", "const x = (n: number) => 2 ** n;", "no **"],
    ["sim/world.ts", "const x = (a: string) => a.localeCompare(a);", "no localeCompare"],
    ["sim/world.ts", "const ref = new WeakRef({});", "no WeakRef"],
    ["sim/world.ts", "export default 1;", "no default export"],
    ["sim/world.ts", "// TODO later", "nothing is left open"],
    ["sim/world.ts", "/** FIXME */", "nothing is left open"],
    ["sim/utils.ts", "", "says nothing"],
    ["src/shared/a.ts", "", "says nothing"],
    ["sim/hosts/index.ts", "", "says nothing"],
    ["test/common/a.ts", "", "says nothing"],
    ["sim/virtualClock.ts", "", "kebab-case"],
    ["test/a.test.ts", `import { it } from "vitest"; it.only("x", f);`, "no it.only"],
    ["test/a.test.ts", `describe.each([1]).skip("x", f);`, "no describe.skip"],
    ["sim/world.ts", `const sum = ${"a + ".repeat(30)}a;`, "columns, at most 100"],
  ])("fails %s with %j", (path, text, message) => {
    expect(said(path, text)).toEqual([expect.stringContaining(message)]);
  });

  it("fails a file of 401 lines", () => {
    expect(said("sim/world.ts", "\n".repeat(400))).toEqual([]);
    expect(said("sim/world.ts", "\n".repeat(401))).toEqual([
      "sim/world.ts:401 401 lines, at most 400",
    ]);
  });

  it("reads code, not words", () => {
    expect(said("sim/world.ts", "// Date.now() and setTimeout stay outside")).toEqual([]);
    expect(said("sim/world.ts", `const text = "Math.random()";`)).toEqual([]);
    expect(said("sim/world.ts", "const box = { Date: 1 }; box.Date;")).toEqual([]);
    expect(said("sim/world.ts", "class Box { performance(): void {} }")).toEqual([]);
    expect(said("sim/world.ts", "type When = Date | Buffer;")).toEqual([]);
    expect(said("sim/world.ts", "const f = (process: () => void) => process();")).toEqual([]);
    expect(said("sim/world.ts", "const x = Math.floor(2 ** 32 / 3);")).toEqual([]);
    expect(said("src/platform/a.ts", "const now = Date.now();")).toEqual([]);
    expect(said("src/shared-stream/a.ts", "")).toEqual([]);
  });
});

describe("a rule of the tree", () => {
  it("fails a stray entry at the top level, and leaves what git ignores", () => {
    expect(topLevelFindings(["src", "dist", "vite.config.ts"], "dist/\n")).toEqual([
      { path: "vite.config.ts", line: 1, message: "has no place at the top level" },
    ]);
  });

  it("fails a face that one manifest has and the other not, and a face without a file", () => {
    const npm = manifest();
    const { "./sim": _, ...faces } = denoManifest().exports;
    const deno = { version: "9.9.9", exports: { ...faces, ".": "./src/mod.ts" } };
    const messages = faceFindings(npm, deno, () => false).map(({ message }) => message);
    expect(messages).toContain('face "./sim": npm has ./sim/mod.ts, Deno has undefined');
    expect(messages).toContain('face ".": no file ./src/mod.ts');
    expect(messages).toContain("bin: no file ./sim/cli/bin.ts");
    expect(messages).toContain(`version 9.9.9, but package.json has ${npm.version}`);
  });

  it("fails a version that may move", () => {
    const loose = { ...manifest(), dependencies: { zod: "^4.6.7" }, devDependencies: {} };
    expect(versionFindings(loose)).toHaveLength(1);
  });

  it("fails a lock file that names a host", () => {
    expect(lockFindings('{\n"resolved": "https://registry.example/a.tgz"\n}')).toHaveLength(1);
  });
});
