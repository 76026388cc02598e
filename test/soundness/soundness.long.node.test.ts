import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { CORPUS, type Expected, type RuntimeName } from "./corpus.ts";
import type { Outcome } from "./run-corpus.ts";

const SCRIPT = fileURLToPath(new URL("run-corpus.ts", import.meta.url));
const BIN = fileURLToPath(new URL("../../node_modules/.bin/", import.meta.url));
const RUNS = "3";
const MINUTES = 60_000;

const COMMANDS: Readonly<Record<RuntimeName, readonly [string, ...string[]]>> = {
  node: [process.execPath],
  deno: [join(BIN, "deno"), "run", "-A"],
  bun: [join(BIN, "bun")],
};

/** Tries the whole corpus in a new process. */
async function outcomesOn(runtime: RuntimeName, runs = RUNS): Promise<readonly Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), "soundness-"));
  const [command, ...args] = COMMANDS[runtime];
  const { stdout } = await promisify(execFile)(command, [...args, SCRIPT, folder, runs], {
    maxBuffer: 1e8,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return stdout
    .split("\n")
    .filter((line) => line.startsWith('{"name"'))
    .map((line) => JSON.parse(line) as Outcome);
}

function fits(verdict: string, expected: Expected): boolean {
  if (expected === "held") return verdict === "held";
  if ("refused" in expected) {
    return verdict.startsWith(`refused: ${expected.refused}`) && / at \S+:\d+/.test(verdict);
  }
  const caught = `uncaught: the host crashed of an exception that nobody caught: ${expected.uncaught}`;
  const rejected = `unhandled: a promise was rejected (${expected.uncaught}`;
  return verdict.includes(caught) || verdict.startsWith(rejected);
}

for (const runtime of ["node", "deno", "bun"] as const) {
  describe(`a module's verdict on ${runtime}`, () => {
    let outcomes: readonly Outcome[] = [];

    beforeAll(async () => {
      outcomes = await outcomesOn(runtime);
    }, 10 * MINUTES);

    for (const row of CORPUS) {
      for (const kind of ["producer", "operator"] as const) {
        test(`${row.name} (${kind})`, () => {
          const outcome = outcomes.find((one) => one.name === row.name && one.kind === kind);
          const expected = row.on?.[runtime] ?? row.expected;
          const verdict = outcome?.verdict ?? "the process ended before it";
          expect(fits(verdict, expected) ? "as expected" : verdict).toBe("as expected");
        });
      }
    }
  });
}

test(
  "two processes agree on every event of every module",
  async () => {
    const [one, other] = [await outcomesOn("node"), await outcomesOn("node")];
    expect(one).toEqual(other);
    expect(one.length).toBe(2 * CORPUS.length);
  },
  10 * MINUTES,
);
