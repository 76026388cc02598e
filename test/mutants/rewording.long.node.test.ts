import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { RunReport } from "../../sim/run/run-report.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { shrinkScenario } from "../../sim/search/shrink/shrink-scenario.ts";
import { simulate, type SimulateOptions } from "../../sim/run/simulate.ts";
import { managerOf } from "../search/planted-bugs.ts";
import { loadParts, readScenario, scenarioNames } from "../sim/read-scenarios.ts";
import { MUTANTS } from "./bug-list.ts";
import { checkoutRoot } from "./checkout-root.ts";
import { MutantSandbox } from "./mutant-sandbox.ts";
import { rewordedText, type Rewording, rewordLogCall, rewordViolation } from "./rewording.ts";
import { rewriteSources } from "./source-copy.ts";

// The story: the checkers once learnt from the manager's log whom it had given up on. Rewording one
// field of one log line then made a correct manager look broken. No program reads a text that is
// written for people, and this file holds it to that.

/** What is reworded in a copy of src and sim; nothing that runs may depend on it. */
function reword(path: string, text: string): string {
  const rewordings: Rewording[] = [rewordLogCall];
  if (path.startsWith("sim/checkers/")) rewordings.push(rewordViolation);
  return rewordedText(path, text, rewordings);
}

const copy = mkdtempSync(join(tmpdir(), "faultlane-reworded-"));
for (const part of ["src", "sim", "package.json"]) {
  cpSync(join(checkoutRoot, part), join(copy, part), { recursive: true });
}
symlinkSync(join(checkoutRoot, "node_modules"), join(copy, "node_modules"), "dir");
rewriteSources(copy, (path, text) => (path.startsWith("node_modules") ? text : reword(path, text)));

const { simulate: simulateReworded } = (await import(
  /* @vite-ignore */ pathToFileURL(join(copy, "sim/run/simulate.ts")).href
)) as { readonly simulate: typeof simulate };

const { shrinkScenario: shrinkReworded } = (await import(
  /* @vite-ignore */ pathToFileURL(join(copy, "sim/search/shrink/shrink-scenario.ts")).href
)) as { readonly shrinkScenario: typeof shrinkScenario };

const [sandbox, rewordedSandbox] = [new MutantSandbox(), new MutantSandbox(reword)];

afterAll(() => {
  sandbox[Symbol.dispose]();
  rewordedSandbox[Symbol.dispose]();
  rmSync(copy, { recursive: true, force: true });
});

/** What a run comes to, for a program: everything but texts. */
function resultOf({ digest, verdict, violations }: RunReport): object {
  return {
    digest,
    verdict,
    violations: violations.map(({ checker, symptom, at, ref }) => ({ checker, symptom, at, ref })),
  };
}

async function expectSameResult(
  scenario: Scenario,
  options: SimulateOptions,
  rewordedOptions: SimulateOptions = options,
): Promise<RunReport> {
  const report = await simulate(scenario, { trace: false, ...options });
  const reworded = await simulateReworded(scenario, { trace: false, ...rewordedOptions });
  expect(resultOf(reworded)).toEqual(resultOf(report));
  return report;
}

/** How often a pattern occurs in the sources of a checkout. */
function countIn(root: string, pattern: RegExp, parts = ["src", "sim"]): number {
  let count = 0;
  for (const part of parts) {
    for (const path of readdirSync(join(root, part), { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".ts")) continue;
      count += readFileSync(join(root, part, path), "utf8").match(pattern)?.length ?? 0;
    }
  }
  return count;
}

describe("a copy with every log message, log field and violation sentence reworded", () => {
  test("is reworded in each call of a logger", () => {
    const calls = countIn(checkoutRoot, /logger\.(debug|info|warn|error)\(/gi);
    expect(calls).toBeGreaterThan(20);
    expect(countIn(copy, /logger\.(debug|info|warn|error)\("Reworded \d+"/gi)).toBe(calls);
  });

  test("is reworded in each sentence of a checker", () => {
    const calls = countIn(checkoutRoot, /\breport\(/g, ["sim/checkers"]);
    expect(calls).toBeGreaterThan(100);
    expect(countIn(copy, /\breport\([^()]+,\s*"Reworded \d+"/g, ["sim/checkers"])).toBe(calls);
  });

  test("shrinks a failure to the same scenario", async () => {
    const given = readScenario("airflow-hangs-when-advance-is-aborted");
    const scenario: Scenario = { ...given, expect: { ...given.expect, broken: [] } };
    const smallest = await shrinkScenario(scenario, { seed: 1 });
    const reworded = await shrinkReworded(scenario, { seed: 1 });
    expect(reworded.scenario).toEqual(smallest.scenario);
    expect(reworded.failure).toEqual(smallest.failure);
  });

  test.each(scenarioNames())("gives %s the same digest and verdict", async (name) => {
    await expectSameResult(readScenario(name), { ...(await loadParts(name)), seed: 1 });
  });

  test.each([1, 2, 3, 4, 5])("gives hostile clients of seed %s the same", async (seed) => {
    for (const name of ["hostile-client", "stalling-client"]) {
      await expectSameResult(readScenario(name), { seed });
    }
  });

  // Which are caught by what the manager reports of itself, among others.
  test.each(["B-66", "B-68", "B-74", "B-93"])(
    "convicts the planted bug %s as before",
    async (bug) => {
      const mutant = MUTANTS.find((known) => known.bug === bug);
      if (mutant === undefined) throw new Error(`Cannot plant ${bug}: the list has none`);
      const createManager = await managerOf(sandbox, mutant);
      const createReworded = await managerOf(rewordedSandbox, mutant);
      const broken: string[] = [];
      for (let seed = 1; seed <= 10; seed += 1) {
        const report = await expectSameResult(
          readScenario("hostile-client"),
          { seed, createManager },
          { seed, createManager: createReworded },
        );
        broken.push(...report.violations.map(({ checker }) => checker));
      }
      expect(broken.length).toBeGreaterThan(0);
    },
  );
});
