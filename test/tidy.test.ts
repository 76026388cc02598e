import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  codeFindings,
  codesFrom,
  codeTableFindings,
  type Passage,
  plantedFindings,
} from "./tidy/code-rules.ts";
import { type Finding, lineFromFinding } from "./tidy/finding.ts";
import { circleFindings, importFindings } from "./tidy/import-rules.ts";
import { nameFindings } from "./tidy/name-rules.ts";
import { referenceFindings } from "./tidy/reference-rules.ts";
import { type SourceFile, sourceFileFrom } from "./tidy/source-file.ts";
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

const paths = ["src", "sim", "bench", "test", "scenarios"]
  .flatMap((folder) =>
    readdirSync(new URL(folder, top), { recursive: true, encoding: "utf8" }).map(
      (path) => `${folder}/${path.replaceAll("\\", "/")}`,
    ),
  )
  .sort();

const sources = paths
  .filter((path) => path.endsWith(".ts") && !path.startsWith("scenarios/"))
  .map((path) => sourceFileFrom(path, read(path)));

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...paths.filter((path) => /^scenarios\/.*\.ts$|\.(md|yaml)$/.test(path)),
];

const CODES = "test/codes.md";

function commentsOf({ path, comments }: SourceFile): Passage[] {
  return comments.map((text) => ({ path, ...text }));
}

function stringsOf({ path, strings }: SourceFile): Passage[] {
  return strings.map((text) => ({ path, ...text }));
}

/** What is written for people. */
const texts: readonly Passage[] = [
  ...sources.flatMap(commentsOf),
  ...documents.map((path) => ({ path, line: 1, text: read(path) })),
];

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

  it("uses no code that the table of codes does not list", () => {
    const table = read(CODES);
    const passages = [...texts, ...sources.flatMap(stringsOf)];
    expectNone([...codeTableFindings(CODES, table), ...codeFindings(passages, codesFrom(table))]);
  });

  it("lists each planted bug in the table of codes", () => {
    expectNone(plantedFindings(paths, codesFrom(read(CODES))));
  });

  it("points to no document that it does not have", () => {
    expectNone(referenceFindings(texts, (path) => existsSync(new URL(path, top))));
  });

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
    ["sim/kernel/world.ts", `import { readFileSync } from "node:fs";`, "touch the machine"],
    ["sim/kernel/world.ts", `import { sql } from "bun:sqlite";`, "touch the machine"],
    ["sim/kernel/world.ts", `import { it } from "vitest";`, `"vitest" belongs to test and bench`],
    ["sim/kernel/world.ts", `import fc from "fast-check";`, `"fast-check" belongs to test`],
    ["sim/report/a.ts", `import { Command } from "commander";`, `"commander" belongs to sim/cli/`],
    ["sim/hosts/a.ts", `import { A } from "../../src/time/clock.ts";`, "by its mod.ts"],
    ["bench/a.ts", `import { A } from "../src/shared-stream/ledger.ts";`, "by its mod.ts"],
    [
      "sim/checkers/a.ts",
      `import type { A } from "../choices/choices.ts";`,
      "imports the trace only",
    ],
    ["sim/checkers/a.ts", `import { A } from "../../src/time/mod.ts";`, "imports the trace only"],
    ["sim/checkers/a.ts", `import { A } from "pure-rand";`, "imports the trace only"],
    ["sim/checkers/a.ts", `import { A } from "./mod.ts";`, "the face of its own room"],
    ["src/time/a.ts", `import { A } from "./mod.ts";`, "the face of its own room"],
    ["sim/kernel/world.ts", `import { A } from "../../test/a.ts";`, "knows no test"],
    ["sim/kernel/world.ts", `import { A } from "../../dist/sim/a.js";`, "sources import sources"],
    [
      "sim/kernel/world.ts",
      `import { main } from "../cli/main.ts";`,
      "sim/kernel may not know sim/cli",
    ],
    [
      "sim/faults/a.ts",
      `import type { World } from "../kernel/world.ts";`,
      "sim/faults may not know sim/kernel",
    ],
    ["sim/cellar/a.ts", `import { A } from "../trace/trace.ts";`, "has no place in the order"],
    ["sim/stray.ts", `import { A } from "./trace/trace.ts";`, "has no place in the order"],
    ["test/cli/a.test.ts", `import { main } from "../../sim/cli/main.ts";`, "the whole process"],
    ["test/a.ts", `await import("../sim/cli/own-the-process.ts");`, "the whole process"],
    ["sim/kernel/world.ts", `import { A } from "./trace";`, "name the file with its ending"],
    ["sim/kernel/world.ts", `export * from "./trace.ts";`, "no export *"],
    ["sim/kernel/world.ts", `export * as trace from "./trace.ts";`, "no export *"],
  ])("fails %s with %s", (path, text, message) => {
    expect(said(path, text)).toEqual([expect.stringContaining(message)]);
  });

  it("lets pass what the house allows", () => {
    expect(said("src/platform/a.ts", `import { open } from "node:fs/promises";`)).toEqual([]);
    expect(said("src/mod.ts", `export { A } from "./triggerer/mod.ts";`)).toEqual([]);
    expect(said("sim/checkers/a.ts", `import type { A } from "../trace/trace.ts";`)).toEqual([]);
    expect(said("sim/kernel/world.ts", `import { invariant } from "../src/invariant.ts";`)).toEqual(
      [],
    );
    expect(said("sim/cli/a.ts", `import { Command } from "commander";`)).toEqual([]);
    expect(said("test/cli/a.test.ts", `import { A } from "../../sim/cli/program.ts";`)).toEqual([]);
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
    ["sim/kernel/world.ts", "const now = new Date();", "no Date"],
    ["src/store-http/iso-time.ts", "const now = Date.now();", "no Date"],
    ["sim/kernel/world.ts", `const now = globalThis["Date"];`, "no globalThis"],
    ["sim/kernel/world.ts", "const bag = { setTimeout };", "no setTimeout"],
    ["sim/kernel/world.ts", "const { setImmediate: hop } = globalThis;", "no globalThis"],
    ["sim/kernel/world.ts", "queueMicrotask(() => undefined);", "no queueMicrotask"],
    ["sim/kernel/world.ts", "const id = crypto.randomUUID();", "no crypto"],
    ["sim/kernel/world.ts", "const at = performance.now();", "no performance"],
    ["src/store/a.ts", "console.warn(1);", "no console"],
    ["sim/scenario/a.ts", "const cwd = process.cwd();", "no process"],
    ["sim/scenario/a.ts", `await fetch("x");`, "no fetch"],
    ["sim/kernel/world.ts", "const signal = AbortSignal.timeout(1);", "no AbortSignal.timeout"],
    ["sim/kernel/run-realm.ts", "const x = Math.random();", "no Math.random"],
    ["sim/kernel/world.ts", "const x = Math.random();", "no Math.random"],
    ["sim/kernel/world.ts", "const x = Math.hypot(3, 4);", "no Math.hypot"],
    ["src/time/a.ts", `const x = Math["pow"](3, 4);`, "no Math.pow"],
    ["sim/kernel/world.ts", "const { log } = Math;", "no Math as a value"],
    ["sim/kernel/world.ts", "const x = (n: number) => 2 ** n;", "no **"],
    ["sim/kernel/world.ts", "const x = (a: string) => a.localeCompare(a);", "no localeCompare"],
    ["sim/kernel/world.ts", "const ref = new WeakRef({});", "no WeakRef"],
    ["sim/kernel/world.ts", "export default 1;", "no default export"],
    ["sim/kernel/world.ts", "// TODO later", "nothing is left open"],
    ["sim/kernel/world.ts", "/** FIXME */", "nothing is left open"],
    ["sim/utils.ts", "", "says nothing"],
    ["src/shared/a.ts", "", "says nothing"],
    ["sim/hosts/index.ts", "", "says nothing"],
    ["test/common/a.ts", "", "says nothing"],
    ["sim/virtualClock.ts", "", "kebab-case"],
    ["test/a.test.ts", `import { it } from "vitest"; it.only("x", f);`, "no it.only"],
    ["test/a.test.ts", `describe.each([1]).skip("x", f);`, "no describe.skip"],
    ["sim/kernel/world.ts", `const sum = ${"a + ".repeat(30)}a;`, "columns, at most 100"],
  ])("fails %s with %j", (path, text, message) => {
    expect(said(path, text)).toEqual([expect.stringContaining(message)]);
  });

  it("fails a file of 401 lines", () => {
    expect(said("sim/kernel/world.ts", "\n".repeat(400))).toEqual([]);
    expect(said("sim/kernel/world.ts", "\n".repeat(401))).toEqual([
      "sim/kernel/world.ts:401 401 lines, at most 400",
    ]);
  });

  it("reads code, not words", () => {
    expect(said("sim/kernel/world.ts", "// Date.now() and setTimeout stay outside")).toEqual([]);
    expect(said("sim/kernel/world.ts", `const text = "Math.random()";`)).toEqual([]);
    expect(said("sim/kernel/world.ts", "const box = { Date: 1 }; box.Date;")).toEqual([]);
    expect(said("sim/kernel/world.ts", "class Box { performance(): void {} }")).toEqual([]);
    expect(said("sim/kernel/world.ts", "type When = Date | Buffer;")).toEqual([]);
    expect(said("sim/kernel/world.ts", "const f = (process: () => void) => process();")).toEqual(
      [],
    );
    expect(said("sim/kernel/world.ts", "const x = Math.floor(2 ** 32 / 3);")).toEqual([]);
    expect(said("src/platform/a.ts", "const now = Date.now();")).toEqual([]);
    expect(said("src/store-http/iso-time.ts", "const date = new Date(5);")).toEqual([]);
    expect(said("src/shared-stream/a.ts", "")).toEqual([]);
  });
});

describe("the rule of the codes", () => {
  const table = "- C-011: One sentence.\n- K13: One sentence.\n- R-I2: One.\n- P-16: One.\n";
  const unknown = (path: string, text: string): string[] => {
    const file = sourceFileFrom(path, text);
    const passages = [...commentsOf(file), ...stringsOf(file)];
    return codeFindings(passages, codesFrom(table)).map(lineFromFinding);
  };
  const missing = 999;
  // Put together here, so that the rule does not find them in this file.
  const [missingCase, missingPoint, missingPromise] = ["C-", "K", "R-I"].map(
    (family) => `${family}${missing}`,
  );

  it.each([
    ["a test's title", `test("${missingCase} a title", run);`, missingCase, 1],
    ["a comment", `// As ${missingPoint} says`, missingPoint, 1],
    ["a doc comment", `/**\n * C-011 and\n * ${missingPoint}.\n */`, missingPoint, 3],
    ["a message", `throw new Error("bad (${missingPoint})");`, missingPoint, 1],
    ["a template", "throw new Error(`${kind}: " + missingCase + "`);", missingCase, 1],
    ["a promise", `// ${missingPromise} breaks`, missingPromise, 1],
    ["a variant", `const id = "${missingPoint}b";`, missingPoint, 1],
  ] as const)("fails an unknown code in %s", (_, text, code, line) => {
    expect(unknown("sim/a.ts", text)).toEqual([
      `sim/a.ts:${line} "${code}" is not in the table of codes, test/codes.md`,
    ]);
  });

  it("lets pass what the table lists, and what is no code", () => {
    expect(unknown("sim/a.ts", `test("C-011 K13 P-16b a title (R-I2)", run);`)).toEqual([]);
    expect(
      unknown("sim/a.ts", "// V8, S3, UTF-8, SHA-256, AIP-96, K8s, 0xE1, #A11, %E0, v1"),
    ).toEqual([]);
    expect(unknown("sim/a.ts", "const B7 = (T1: number) => T1;")).toEqual([]);
  });

  it("fails a planted bug that the table does not list", () => {
    const patches = ["K13", `W-${missing}`].map((code) => `test/mutants/worlds/${code}.patch`);
    expect(plantedFindings(patches, codesFrom(table)).map(lineFromFinding)).toEqual([
      `test/mutants/worlds/W-${missing}.patch:1 "W-${missing}" is not in the table of codes, test/codes.md`,
    ]);
  });

  it("fails a code that is listed twice, and an entry without a sentence", () => {
    const broken = "- K1: One sentence.\n- K1: Another.\n- K2 no colon.\n- K3: no full stop\n";
    expect(codeTableFindings("codes.md", broken).map(lineFromFinding)).toEqual([
      "codes.md:2 lists K1 a second time",
      'codes.md:3 write "- <code>: <one sentence>."',
      'codes.md:4 write "- <code>: <one sentence>."',
    ]);
  });
});

describe("the rule of the references", () => {
  const found = (path: string, text: string): string[] =>
    referenceFindings([{ path, line: 1, text }], (name) => name === "bench/README.md").map(
      lineFromFinding,
    );

  it.each([
    [
      "a document",
      "See\n`PLAN.md` for it",
      'a.ts:2 names "PLAN.md", which is not in the repository',
    ],
    ["a specification", "Rejected (spec 5)", 'a.ts:1 says "spec": name a code'],
    ["a folder beside it", "in ../shared, or", 'a.ts:1 says "../shared": name a code'],
  ])("fails %s that is not there", (_, text, message) => {
    expect(found("sim/a.ts", text)).toEqual([expect.stringContaining(message)]);
  });

  it("lets pass what is there, and what is on the web", () => {
    expect(found("sim/a.ts", "bench/README.md, ../bench/README.md")).toEqual([]);
    expect(found("bench/a.ts", "README.md beside this file")).toEqual([]);
    expect(found("sim/a.ts", "https://example.org/a/PLAN.md, ../shared-stream/mod.ts")).toEqual([]);
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
