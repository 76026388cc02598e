import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { subjectPartsOf } from "../../sim/cli/subject-module.ts";
import { parseArtifact } from "../../sim/run/artifact.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { chanceOf } from "../../sim/search/strategy/chance.ts";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { type Ended, faultlaneIn, startFaultlane } from "./faultlane.ts";

/** Three findings in 300 runs, the first one at once; see "A hunt" in the README. */
const HOSTILE = `
story: a client calls Airflow's own algorithm in every way its API allows
world: manager
profile: airflow-3.3
`;
const SEED = 13;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
const FUZZ_MOMENTS = 30;
const SHRINK_MOMENTS = 20;
/** The latest moment, in real milliseconds after the first sign of work. */
const DELAY_MAX = 2_000;
const RUNS = 400;

const folder = mkdtempSync(join(tmpdir(), "faultlane-killed-"));
const artifact = join(folder, "hostile.fuzz-calibration-1.json");
const scenarios = [join(folder, "hostile.yaml"), join(folder, "naive.yaml")];

/** A process is killed by `signal`, `delay` after its first sign of work. */
interface Moment {
  readonly nth: number;
  readonly signal: (typeof SIGNALS)[number];
  readonly delay: number;
}

function momentsOf(verb: string, count: number): readonly Moment[] {
  const chance = chanceOf(SEED, verb);
  return Array.from({ length: count }, (_, nth) => ({
    nth,
    signal: SIGNALS[nth % SIGNALS.length] as Moment["signal"],
    delay: chance(DELAY_MAX),
  }));
}

/** Two at a time. */
async function eachOf(
  moments: readonly Moment[],
  run: (moment: Moment) => Promise<void>,
): Promise<void> {
  const left = [...moments];
  const lane = async (): Promise<void> => {
    for (let moment = left.shift(); moment !== undefined; moment = left.shift()) await run(moment);
  };
  await Promise.all([lane(), lane()]);
}

beforeAll(async () => {
  writeFileSync(scenarios[0] ?? "", HOSTILE);
  const naive = join(checkoutRoot, "scenarios/producers");
  const text = readFileSync(join(naive, "naive-orders.yaml"), "utf8")
    .replace("./naive-orders.ts", join(naive, "naive-orders.ts"))
    .replace(/^expect:.*$/m, "");
  writeFileSync(scenarios[1] ?? "", text);
  await faultlaneIn(folder, "fuzz", "hostile.yaml", "--runs", "1", "--artifacts", ".");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Repeats a written run; it must have the digest that the file names, and break a promise. */
async function expectReplays(path: string, where: string): Promise<void> {
  const { scenario, seed, digest, broken, choices } = parseArtifact(readFileSync(path, "utf8"));
  const parts = await subjectPartsOf(scenario, path);
  const report = await simulate(scenario, { ...parts, seed, replay: choices });
  expect(report.digest, `moment ${where}: ${path}`).toBe(digest);
  expect([...new Set(report.violations.map(({ checker }) => checker))]).toEqual(broken);
}

/** Every artifact that a process has named on a whole line, in a report or as it was found. */
function announced({ out, err }: Ended): readonly string[] {
  const lines = `${out}\n`.split("\n").concat(err.split("\n").slice(0, -1));
  return lines.flatMap((line) => {
    return /(?:^found .*: |faultlane replay |artifact: )(\S+\.json)/.exec(line)?.[1] ?? [];
  });
}

function filesIn(corpus: string, kind: string): readonly string[] {
  const inside = join(corpus, kind);
  if (!existsSync(inside)) return [];
  return readdirSync(inside)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(inside, name));
}

interface State {
  readonly campaigns: readonly { readonly scenario: string; readonly runs: number }[];
}

describe(`killed at ${FUZZ_MOMENTS + SHRINK_MOMENTS} moments drawn from seed ${SEED}`, () => {
  test("fuzz loses no finding that it has announced or counted as searched", async () => {
    const whole = join(folder, "whole");
    const args = ["fuzz", ...scenarios, "--runs", String(RUNS), "--corpus"];
    await faultlaneIn(folder, ...args, whole);
    const all = filesIn(whole, "failing").map((path) => basename(path));
    expect(all.length).toBeGreaterThanOrEqual(3);
    let files = 0;
    await eachOf(momentsOf("fuzz", FUZZ_MOMENTS), async ({ nth, signal, delay }) => {
      const where = `${nth}: ${signal} after ${delay} ms`;
      const corpus = join(folder, `corpus-${nth}`);
      const workers = String(1 + (nth % 2));
      const started = startFaultlane(folder, ...args, corpus, "--workers", workers);
      await started.sees("found ");
      await sleep(delay);
      started.child.kill(signal);
      const ended = await started.ended;
      if (signal === "SIGKILL") expect([null, 1], `moment ${where}`).toContain(ended.code);
      else expect(ended.code, `moment ${where}`).toBe(1);
      if (signal !== "SIGKILL")
        expect(ended.out, `moment ${where}`).toMatch(/ runs? from seed 1, /);
      const named = announced(ended);
      expect(named.length, `moment ${where}`).toBeGreaterThan(0);
      for (const path of named) expect(existsSync(path), `moment ${where}: ${path}`).toBe(true);
      const failing = filesIn(corpus, "failing");
      for (const path of failing) await expectReplays(path, where);
      for (const path of filesIn(corpus, "rare")) parseArtifact(readFileSync(path, "utf8"));
      files += failing.length;
      const kept = failing.map((path) => basename(path));
      for (const { scenario, runs } of stateOf(corpus).campaigns) {
        const searched = all.filter((name) => seedOf(name, scenario) <= runs);
        expect(kept, `moment ${where}: ${scenario} after ${runs} runs`).toEqual(
          expect.arrayContaining(searched),
        );
      }
    });
    expect(files).toBeGreaterThan(FUZZ_MOMENTS);
  });

  test("shrink loses nothing: its file holds a scenario that breaks the promise", async () => {
    let interrupted = 0;
    await eachOf(momentsOf("shrink", SHRINK_MOMENTS), async ({ nth, signal, delay }) => {
      const where = `${nth}: ${signal} after ${delay} ms`;
      const out = join(folder, `small-${nth}.yaml`);
      const started = startFaultlane(folder, "shrink", artifact, "--out", out);
      const over = new AbortController();
      void started.ended.then(() => over.abort());
      while (!existsSync(out) && !over.signal.aborted) await sleep(5);
      await sleep(delay / 2);
      started.child.kill(signal);
      const ended = await started.ended;
      const report = await simulate(parseScenario(readFileSync(out, "utf8"), "small"));
      expect(report.violations[0], `moment ${where}`).toMatchObject({
        checker: "I1",
        symptom: "group-outlives-poll",
      });
      if (signal === "SIGKILL") return;
      expect(ended.code, `moment ${where}`).toBe(1);
      expect(ended.out, `moment ${where}`).toContain(`Run it: npx faultlane run ${out}`);
      expect(ended.out, `moment ${where}`).toContain(readFileSync(out, "utf8"));
      if (ended.out.includes(`interrupted by ${signal}`)) interrupted += 1;
    });
    expect(interrupted).toBeGreaterThan(0);
  });
});

function stateOf(corpus: string): State {
  const path = join(corpus, "state.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as State) : { campaigns: [] };
}

/** The seed in an artifact's name; infinite for other scenarios. */
function seedOf(name: string, scenario: string): number {
  const [, of, seed] = /^(.*)\.fuzz-[a-z]+-(\d+)\.json$/.exec(name) ?? [];
  return of === scenario ? Number(seed) : Number.POSITIVE_INFINITY;
}
