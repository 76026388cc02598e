import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const top = new URL("../..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "faultlane-operators-"));
const held = "scenarios/operators/nightly-batch.yaml";
const operators = "scenarios/operators";
/** The naive operator's scenario, without its word that a promise breaks. */
const broken = join(folder, "naive.yaml");
const artifact = join(folder, "naive.seed-1.json");

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function faultlane(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["sim/cli/main.ts", ...args], { cwd: top });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on("data", (data: Buffer) => out.push(data.toString()));
    child.stderr.on("data", (data: Buffer) => err.push(data.toString()));
    child.on("close", (code) => resolve({ code, out: out.join(""), err: err.join("") }));
  });
}

async function documentOf(...args: readonly string[]): Promise<{
  readonly code: number | null;
  readonly json: Readonly<Record<string, unknown>>;
}> {
  const { code, out } = await faultlane(...args, "--json");
  return { code, json: JSON.parse(out) as Readonly<Record<string, unknown>> };
}

beforeAll(async () => {
  const module = relative(folder, join(top, operators, "naive-nightly.ts"));
  const text = readFileSync(join(top, operators, "naive-nightly.yaml"), "utf8");
  writeFileSync(broken, text.replace("./naive-nightly.ts", module).replace(/^expect:.*$/m, ""));
  await faultlane("run", broken, "--artifacts", folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("every verb takes an operator's file:", () => {
  test("run", async () => {
    const { code, out } = await faultlane("run", operators, "--seeds", "3");
    expect(code).toBe(0);
    expect(out).toContain(
      "24 runs: 21 held, 3 failed as expected; each gave the same digest twice",
    );
    const { code: wrong, out: told } = await faultlane("run", broken, "--artifacts", folder);
    expect(wrong).toBe(1);
    expect(told).toContain("promise R-I5: a recorded job counts as ended only by a status that");
    expect(told).toContain("attempt 2 begins on attempt-2: execute");
    expect(told).toContain(`replay: npx faultlane replay ${artifact}`);
  });

  test("replay", async () => {
    const { code, out } = await faultlane("replay", artifact);
    expect(code).toBe(1);
    expect(out).toMatch(/^replayed: digest [0-9a-f]{64}$/m);
  });

  test("shrink", async () => {
    const path = join(folder, "small.yaml");
    const { code, json } = await documentOf("shrink", artifact, "--out", path);
    expect(code).toBe(1);
    expect(json).toMatchObject({ shrunk: true, failure: { checker: "R-I5" }, isMinimal: true });
    const small = readFileSync(path, "utf8");
    expect(small).toContain("world: operator");
    expect(small.match(/^ {2}- \{/gm)).toHaveLength(1);
    expect((await faultlane("run", path, "--artifacts", folder)).code).toBe(1);
  });

  test("fuzz", async () => {
    const none = await faultlane("fuzz", held, "--runs", "24", "--seed", "1");
    expect(none.code).toBe(0);
    expect(none.out).toContain("0 findings");
    const some = await faultlane("fuzz", broken, "--runs", "12", "--seed", "1");
    expect(some.code).toBe(1);
    expect(some.out).toContain("R-I5");
  });

  test("exhaust", async () => {
    const bounds = ["--bound", "seconds=90", "faults=1", "preemptions=1"];
    const { code, json } = await documentOf("exhaust", held, ...bounds);
    expect(code).toBe(0);
    expect(json).toMatchObject({ scenario: "nightly-batch", isComplete: true, broken: [] });
    expect(json["runs"]).toBeGreaterThan(10);
  });

  test("crash-points", async () => {
    const { code, out } = await faultlane("crash-points", held, "--pairs", "5");
    expect(code).toBe(0);
    expect(out).toMatch(/covered (\d+) of \1 crash points \(100 %\)/);
    expect(out).toMatch(/second jobs: (\d+) of \d+ crash points, \1 of them in a window/);
    expect(out).toContain("submit-to-persist window of etl/run-1/load");
    expect(out).toContain("left out of the scenario: its 6 faults");
  });

  test("digest", async () => {
    const [one, other] = [await faultlane("digest", held), await faultlane("digest", held)];
    expect(one.out).toMatch(/^[0-9a-f]{64} {2}nightly-batch 1\n$/);
    expect(other.out).toBe(one.out);
  });
});

describe("faultlane check --system", () => {
  test("holds a correct operator, and says what was tried", async () => {
    const module = `${operators}/nightly-batch.ts`;
    const flags = ["--system", "livy", "--runs", "70"];
    const { code, out } = await faultlane("check", module, ...flags);
    expect(code).toBe(0);
    expect(out).toContain("All promises held in 70 runs from seed 1:");
    expect(out).toContain("job.submit: crash the caller after the effect");
    const { json } = await documentOf("check", module, ...flags);
    expect(json).toMatchObject({ held: true, system: "livy", runs: 70, seed: 1 });
  });

  test("shows what a wrong one breaks, and leaves a scenario that every verb takes", async () => {
    const module = `${operators}/naive-nightly.ts`;
    const flags = ["--system", "livy", "--artifacts", folder];
    const { code, json } = await documentOf("check", module, ...flags);
    expect(code).toBe(1);
    expect(json).toMatchObject({ held: false, guarantee: expect.stringMatching(/^R-/) as unknown });
    const scenario = json["scenario"] as string;
    expect(json["play"]).toBe(`npx faultlane check ${scenario}`);
    const played = await faultlane("check", scenario);
    expect(played.code).toBe(1);
    expect(played.out).toContain(`promise ${json["guarantee"] as string}:`);
    expect((await faultlane("run", scenario, "--artifacts", folder)).code).toBe(1);
    const rerun = (json["rerun"] as string).replace("npx faultlane ", "").split(" ");
    expect((await faultlane(...rerun, "--artifacts", folder)).code).toBe(1);
  });

  const WRONG: readonly [what: string, args: readonly string[], RegExp][] = [
    ["an unknown system", ["--system", "cron"], /Cannot use "cron" as --system: expected one of/],
    ["no system", [], /add --broker .* or --system/],
    ["both", ["--system", "livy", "--broker", "kafka"], /--broker or --system, not both/],
  ];
  for (const [what, args, words] of WRONG) {
    test(`exits with 2 on ${what}`, async () => {
      const { code, err } = await faultlane("check", `${operators}/nightly-batch.ts`, ...args);
      expect(code).toBe(2);
      expect(err).toMatch(words);
    });
  }

  test("exits with 2 on a module without an operator", async () => {
    const path = join(folder, "nothing.mjs");
    writeFileSync(path, "export const nothing = 1;\n");
    const { code, err } = await faultlane("check", path, "--system", "livy");
    expect(code).toBe(2);
    expect(err).toContain("it exports no createJob(client), by name or as its default");
  });
});
