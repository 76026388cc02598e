import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { CORPUS } from "./corpus.ts";
import type { Expected, RuntimeName } from "./corpus-row.ts";
import { BACKEND_CORPUS, type ExpectedOfBackend } from "./backend-corpus.ts";
import { SUBJECT_KINDS } from "./module-of.ts";
import type { Outcome } from "./run-corpus.ts";

const WORLDS = fileURLToPath(new URL("run-corpus.ts", import.meta.url));
const BACKENDS = fileURLToPath(new URL("run-backends.ts", import.meta.url));
const BIN = fileURLToPath(new URL("../../node_modules/.bin/", import.meta.url));
const RUNS = "3";
const MINUTES = 60_000;

const COMMANDS: Readonly<Record<RuntimeName, readonly [string, ...string[]]>> = {
  node: [process.execPath],
  deno: [join(BIN, "deno"), "run", "-A"],
  bun: [join(BIN, "bun")],
};

/** Runs a script in a new process, and returns what it has printed. */
async function linesOf<T>(runtime: RuntimeName, script: string): Promise<readonly T[]> {
  const folder = mkdtempSync(join(tmpdir(), "soundness-"));
  const [command, ...args] = COMMANDS[runtime];
  const { stdout } = await promisify(execFile)(command, [...args, script, folder, RUNS], {
    maxBuffer: 1e8,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return stdout
    .split("\n")
    .filter((line) => line.startsWith('{"name"'))
    .map((line) => JSON.parse(line) as T);
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

function backendFits(verdict: string, expected: ExpectedOfBackend): boolean {
  if (expected === "held") return verdict === "held";
  if ("broken" in expected) {
    return verdict.startsWith("broken: ") && verdict.includes(expected.broken);
  }
  if (expected.orBroken === true && verdict.startsWith("broken: ")) return true;
  return expected.notDeterministic.some((source) => verdict === `not deterministic: ${source}`);
}

const BEFORE_IT = "the process ended before it";

for (const runtime of ["node", "deno", "bun"] as const) {
  describe(`a module's verdict on ${runtime}`, () => {
    let outcomes: readonly Outcome[] = [];

    beforeAll(async () => {
      outcomes = await linesOf(runtime, WORLDS);
    }, 10 * MINUTES);

    for (const row of CORPUS) {
      for (const kind of SUBJECT_KINDS) {
        test(`${row.name} (${kind})`, () => {
          const outcome = outcomes.find((one) => one.name === row.name && one.kind === kind);
          const expected = row.on?.[runtime] ?? row.expected;
          const verdict = outcome?.verdict ?? BEFORE_IT;
          expect(fits(verdict, expected) ? "as expected" : verdict).toBe("as expected");
        });
      }
    }

    if (runtime !== "node") return;
    test(
      "another process agrees on every event",
      async () => {
        expect(await linesOf(runtime, WORLDS)).toEqual(outcomes);
        expect(outcomes.length).toBe(SUBJECT_KINDS.length * CORPUS.length);
      },
      10 * MINUTES,
    );
  });

  describe(`checkStateBackend()'s verdict on ${runtime}`, () => {
    let verdicts: readonly { readonly name: string; readonly verdict: string }[] = [];

    beforeAll(async () => {
      verdicts = await linesOf(runtime, BACKENDS);
    }, 10 * MINUTES);

    for (const { name, expected } of BACKEND_CORPUS) {
      test(name, () => {
        const verdict = verdicts.find((one) => one.name === name)?.verdict ?? BEFORE_IT;
        expect(backendFits(verdict, expected) ? "as expected" : verdict).toBe("as expected");
      });
    }
  });
}
