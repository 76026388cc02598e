import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { artifactFrom, parseArtifact } from "../../sim/run/artifact.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const folder = mkdtempSync(join(tmpdir(), "faultlane-replay-"));
const artifact = join(folder, "run.json");
let digest = "";

beforeAll(async () => {
  const scenario = readScenario("airflow-hangs-when-advance-is-aborted");
  const report = await simulate(scenario, { seed: 7 });
  digest = report.digest;
  writeFileSync(artifact, artifactFrom(scenario, report));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Replays the artifact with the sources in `root`, on a runtime and its own arguments. */
function replay(runtime: readonly string[], root: string): Promise<Outcome> {
  const [command = "", ...args] = runtime;
  const main = join(root, "sim/cli/main.ts");
  return new Promise((resolve) => {
    execFile(
      join(checkoutRoot, "node_modules/.bin", command),
      [...args, main, "replay", artifact, "--json"],
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

const RUNTIMES: readonly (readonly string[])[] = [["node"], ["deno", "run", "-A"]];

describe("faultlane replay", () => {
  for (const runtime of RUNTIMES) {
    test(`takes a run of Node again to the same digest on ${runtime[0]}`, async () => {
      const { code, out } = await replay(runtime, checkoutRoot);
      expect(code).toBe(1);
      expect(JSON.parse(out)).toMatchObject({ seed: 7, digest, isSame: true });
    });
  }

  test("stops at the first choice that no longer fits the code, and shows both labels", async () => {
    const root = join(folder, "changed");
    for (const part of ["src", "sim", "bench/engine", "package.json"]) {
      cpSync(join(checkoutRoot, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(checkoutRoot, "node_modules"), join(root, "node_modules"));
    const path = join(root, "sim/workloads/publisher.ts");
    const text = readFileSync(path, "utf8");
    const jitter = 'time.choose(JITTER.length, "next record")';
    expect(text.split(jitter)).toHaveLength(2);
    const changed = 'time.choose(JITTER.length, "pause before the next record")';
    writeFileSync(path, text.replace(jitter, changed));

    const { code, out, err } = await replay(["node"], root);
    const { choices } = parseArtifact(readFileSync(artifact, "utf8"));
    const position = choices.findIndex(({ label }) => label === "next record");
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      drift: {
        position,
        recorded: "time/publisher/orders next record of 8",
        asked: "time/publisher/orders pause before the next record of 8",
      },
    });
    expect(err).toContain(
      'recorded "time/publisher/orders next record of 8", but the run now asks',
    );
  });

  test("never passes in silence when the code only does something else with a choice", async () => {
    const root = join(folder, "silent");
    for (const part of ["src", "sim", "bench/engine", "package.json"]) {
      cpSync(join(checkoutRoot, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(checkoutRoot, "node_modules"), join(root, "node_modules"));
    const path = join(root, "sim/workloads/publisher.ts");
    const table = "const JITTER = [100, 100, 80, 120, 50, 150, 10, 190] as const;";
    const text = readFileSync(path, "utf8");
    expect(text.split(table)).toHaveLength(2);
    const changed = "const JITTER = [100, 101, 80, 120, 50, 150, 10, 190] as const;";
    writeFileSync(path, text.replace(table, changed));

    const { code } = await replay(["node"], root);
    expect(code).toBe(3);
  });
});
