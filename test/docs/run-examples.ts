// Type-checks and runs the code blocks of all doc comments, the README and the guides, each as a
// module of its own, against the sources of the faces. A block prints what its comments `// => text`
// say. A block of a guide that begins with `// outbox.ts` is what later blocks import as "./outbox.ts".
//
//   node test/docs/run-examples.ts [part of a path]
//
// A line `// needs: postgres` keeps a block from running; it is type-checked all the same. A module
// that the reader would write, `./orders-producer.ts`, is taken from READER_MODULES.
import { execFile } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExampleBlock, exampleBlocksFrom } from "./example-blocks.ts";
import { faces, top } from "./faces.ts";

/** What examples import by a relative path: a module that the reader would write. */
const READER_MODULES: ReadonlyMap<string, string> = new Map([
  ["./nightly-batch.ts", "test/docs/nightly-batch.ts"],
  ["./orders-producer.ts", "scenarios/producers/orders.ts"],
]);

const GUIDES = "scenarios/guides";
const AT_A_TIME = 2;
const TIMEOUT_MS = 120_000;
/** The examples share the compiled modules of the faces: in the temporary folder. */
const COMPILE_CACHE = "compile-cache";
const SPECIFIER = /(\bfrom |\bimport\(|\bimport )"(faultlane(?:\/[\w-]+)?|\.\/[\w./-]+)"/g;

interface Example extends ExampleBlock {
  /** The name of its module in the temporary folder. */
  readonly file: string;
}

process.exitCode = await checkExamples(process.argv[2] ?? "");

async function checkExamples(part: string): Promise<number> {
  const examples = examplesOf(sourcePaths().filter((path) => path.includes(part)));
  const folder = mkdtempSync(join(tmpdir(), "faultlane-examples-"));
  try {
    writeModules(folder, examples);
    const failures = [
      ...(await typeFailures(folder, examples)),
      ...(await runAll(folder, examples)),
    ];
    for (const failure of failures) console.log(`${failure}\n`);
    console.log(summary(examples, failures.length));
    return failures.length === 0 && examples.length > 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sourcePaths(): readonly string[] {
  const sources = ["src", "sim"].flatMap((room) =>
    readdirSync(join(top, room), { recursive: true, encoding: "utf8" })
      .map((path) => `${room}/${path.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".ts")),
  );
  const guides = readdirSync(join(top, GUIDES)).map((name) => `${GUIDES}/${name}`);
  return ["README.md", ...guides.filter((path) => path.endsWith(".md")), ...sources].sort();
}

function examplesOf(paths: readonly string[]): readonly Example[] {
  return paths
    .flatMap((path) => exampleBlocksFrom(path, readFileSync(join(top, path), "utf8")))
    .map((block) => {
      return { ...block, file: moduleNameOf(block.path, block.name ?? `${block.line}.ts`) };
    });
}

function moduleNameOf(path: string, name: string): string {
  return `${path.replaceAll(/[^a-z0-9]+/gi, "-")}-${name}`;
}

function writeModules(folder: string, examples: readonly Example[]): void {
  const config = {
    extends: join(top, "src/tsconfig.json"),
    compilerOptions: {
      declaration: false,
      isolatedDeclarations: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    include: ["./*.ts"],
  };
  symlinkSync(join(top, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const files = new Set(examples.map(({ file }) => file));
  for (const { path, file, code } of examples) {
    const runs = runnable(code, (name) => {
      const sibling = moduleNameOf(path, name);
      return files.has(sibling) ? `./${sibling}` : undefined;
    });
    writeFileSync(join(folder, file), runs);
  }
}

/** Returns `code` with the sources in place of what it imports; line numbers stay the same. */
function runnable(code: string, siblingOf: (name: string) => string | undefined): string {
  const known = faces();
  return code.replaceAll(SPECIFIER, (all, before: string, specifier: string) => {
    const sibling = specifier.startsWith("./") ? siblingOf(specifier.slice(2)) : undefined;
    if (sibling !== undefined) return `${before}"${sibling}"`;
    const path = known.get(specifier) ?? READER_MODULES.get(specifier);
    return path === undefined ? all : `${before}"${join(top, path)}"`;
  });
}

async function typeFailures(
  folder: string,
  examples: readonly Example[],
): Promise<readonly string[]> {
  const tsc = join(top, "node_modules/typescript/bin/tsc");
  const { code, output } = await run(folder, [tsc, "--pretty", "false", "-p", "tsconfig.json"]);
  return code === 0 ? [] : [withSourceLines(output.trim(), examples)];
}

async function runAll(folder: string, examples: readonly Example[]): Promise<readonly string[]> {
  const waiting = examples.filter(({ needs }) => needs === undefined);
  const failures: string[] = [];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const failure = await runFailure(folder, next);
      if (failure !== undefined) failures.push(failure);
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return failures;
}

async function runFailure(folder: string, example: Example): Promise<string | undefined> {
  const { code, stdout, output } = await run(folder, [example.file]);
  const where = `${example.path}:${example.line}`;
  if (code !== 0) return `${where} ended with ${code}:\n${withSourceLines(output, [example])}`;
  const printed = stdout.trimEnd() === "" ? [] : stdout.trimEnd().split("\n");
  if (JSON.stringify(printed) === JSON.stringify(example.prints)) return undefined;
  const lines = (texts: readonly string[]): string => texts.map((text) => `  ${text}\n`).join("");
  return `${where} printed\n${lines(printed)}but its comments say\n${lines(example.prints)}`;
}

/** Names source files and their lines in place of the modules made of them. */
function withSourceLines(output: string, examples: readonly Example[]): string {
  const byFile = new Map(examples.map((example) => [example.file, example]));
  return output.replaceAll(/[\w/.:-]*?([\w-]+\.ts)[:(](\d+)[:,](\d+)\)?/g, (all, file, line) => {
    const example = byFile.get(file as string);
    return example === undefined ? all : `${example.path}:${example.line + Number(line) - 1}`;
  });
}

function summary(examples: readonly Example[], failed: number): string {
  const needs = examples.flatMap((example) => example.needs ?? []);
  const readers = examples.filter(({ code }) =>
    [...READER_MODULES.keys()].some((path) => code.includes(`"${path}"`)),
  );
  return [
    `${examples.length} examples, ${failed} failures`,
    `${needs.length} not run (need ${[...new Set(needs)].join(", ") || "nothing"})`,
    `${readers.length} with a module of the reader's`,
  ].join("; ");
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
}

function run(cwd: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: "1", NODE_COMPILE_CACHE: join(cwd, COMPILE_CACHE) };
    const options = { cwd, timeout: TIMEOUT_MS, env };
    execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, output: stdout + stderr });
    });
  });
}
