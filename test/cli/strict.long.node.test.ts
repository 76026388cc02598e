import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { artifactFrom } from "../../sim/run/artifact.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { type Ended, faultlaneIn } from "./faultlane.ts";

const folder = mkdtempSync(join(tmpdir(), "faultlane-strict-"));

const HEAD = "story: x\nworld: triggerer\nphases: { safety: 5s }\nstreams: [{ name: orders }]\n";
const CRASH = "{ at: 1s, crash: runner-1 }";
const NEVER = "{ site: sync.request, verdict: drop-reply, nth: 5000 }";
const NEVER_WORDS = "faults[1] (drop-reply at call 5000 of sync.request) never struck";
const WHERE = ["faults[1]", "choices", "expect.marks[0]"];
const PIN = "{ kind: fault, part: storm, label: never asked, take: 1 }";
const PIN_WORDS =
  /vacuous: vacuous\.(yaml|json): choices(\[0\] .* was never asked for|: a search )/;
const MARK = "an advance was slow and then failed";
const MARK_WORDS = `the mark "${MARK}" was never reached`;
const MODULE = relative(folder, join(checkoutRoot, "scenarios/operators/nightly-batch.ts"));
const OPERATOR = `story: x\nworld: operator\noperator: ${MODULE}\nsystem: livy\nphases: { safety: 90s, liveness: 1h }\n`;

function faultlane(...args: readonly string[]): Promise<Ended> {
  return faultlaneIn(folder, ...args);
}

beforeAll(async () => {
  const unpinned = `${HEAD}faults: [${CRASH}, ${NEVER}]\nexpect: { marks: [${MARK}] }\n`;
  const vacuous = `${unpinned}choices: [${PIN}]\n`;
  writeFileSync(join(folder, "unpinned.yaml"), unpinned);
  writeFileSync(join(folder, "vacuous.yaml"), vacuous);
  writeFileSync(join(folder, "full.yaml"), `${HEAD}faults: [${CRASH}]\n`);
  writeFileSync(
    join(folder, "operator.yaml"),
    `${OPERATOR}faults: [{ delayAttempt: 9, by: 1s }]\n`,
  );
  for (const [name, text] of [
    ["vacuous", vacuous],
    ["full", `${HEAD}faults: [${CRASH}]\n`],
  ] as const) {
    const scenario = parseScenario(text, name);
    const report = await simulate(scenario, { seed: 1 });
    writeFileSync(join(folder, `${name}.json`), artifactFrom(scenario, report));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const VERBS: readonly (readonly [verb: string, ...args: string[]])[] = [
  ["run"],
  ["replay"],
  ["fuzz", "--runs", "3", "--workers", "1"],
  ["exhaust", "--bound", "preemptions=0", "faults=0"],
  ["digest"],
  ["shrink", "--seed", "1"],
  ["why", "--seed", "1"],
  ["report", "--out", "run.html"],
];

describe.each(VERBS)("faultlane %s", (verb, ...args) => {
  const file = (name: string): string => (verb === "replay" ? `${name}.json` : `${name}.yaml`);
  // What pins its choices, exhaust refuses.
  const hollow = file(verb === "exhaust" ? "unpinned" : "vacuous");
  const where = verb === "exhaust" ? WHERE.toSpliced(1, 1) : WHERE;

  test("says what came to nothing, and goes on", { timeout: 60_000 }, async () => {
    const { code, out, err } = await faultlane(verb, hollow, ...args);
    const at = `vacuous: ${hollow}:`;
    expect(out + err).toContain(`${at} ${NEVER_WORDS}`);
    expect(out + err).toContain(`${at} ${MARK_WORDS}`);
    if (verb !== "exhaust") expect(out + err).toMatch(PIN_WORDS);
    expect(code).toBe(0);
  });

  test("fails with --strict", { timeout: 60_000 }, async () => {
    const { code, err } = await faultlane(verb, hollow, ...args, "--strict");
    expect(err).toContain(`--strict: ${where.length} parts came to nothing`);
    expect(code).toBe(1);
  });

  test("holds with --strict where everything came about", { timeout: 60_000 }, async () => {
    const { code, out } = await faultlane(verb, file("full"), ...args, "--strict");
    expect(out).not.toContain("vacuous");
    expect(code).toBe(0);
  });

  test("has it in its document", { timeout: 60_000 }, async () => {
    if (verb === "digest") return;
    const { out } = await faultlane(verb, hollow, ...args, "--json");
    const { vacuous } = JSON.parse(out) as { vacuous: readonly { readonly path: string }[] };
    expect(vacuous.map(({ path }) => path.replace("choices[0]", "choices"))).toEqual(where);
  });
});

describe("faultlane", () => {
  test("check plays a scenario strictly", { timeout: 60_000 }, async () => {
    const { code, out } = await faultlane("check", "operator.yaml", "--strict");
    expect(out).toContain("vacuous: operator.yaml: faults[0] (delayAttempt 9) never struck");
    expect(code).toBe(1);
    expect((await faultlane("check", "operator.yaml")).code).toBe(0);
  });

  test("fuzz says that it ignores pinned choices", { timeout: 60_000 }, async () => {
    writeFileSync(join(folder, "pinned.yaml"), `${HEAD}faults: [${CRASH}]\nchoices: calm\n`);
    const { code, out, err } = await faultlane("fuzz", "pinned.yaml", "--runs", "3", "--strict");
    expect(out + err).toContain("vacuous: pinned.yaml: choices: a search makes all choices itself");
    expect(code).toBe(1);
  });

  test("exhaust says aloud that no fault ever struck", { timeout: 60_000 }, async () => {
    writeFileSync(join(folder, "never.yaml"), `${HEAD}faults: [${NEVER}]\n`);
    const { out } = await faultlane("exhaust", "never.yaml", "--bound", "preemptions=0");
    expect(out).toContain("faults    none of 1 struck in any run");
    expect(out).toContain("COMPLETE, BUT NO FAULT EVER STRUCK");
  });

  test(
    "crash-points shows the failure of a scenario that breaks without any",
    { timeout: 60_000 },
    async () => {
      writeFileSync(
        join(folder, "breaks.yaml"),
        `${HEAD.replace("[{ name: orders }]", "[{ name: orders, triggers: 3, advanceThrows: { nth: 2, error: AbortError } }]")}profile: airflow-3.3\nexpect: { checkers: [I1] }\n`,
      );
      const { code, out } = await faultlane("crash-points", "breaks.yaml", "--pairs", "1");
      expect(out.startsWith("BROKEN  breaks, seed 1, at ")).toBe(true);
      expect(out).toContain("No crash was tried: the scenario breaks a promise without any fault");
      expect(code).toBe(1);
    },
  );

  test("replay says that an artifact was cut short", { timeout: 60_000 }, async () => {
    const lines = readFileSync(join(folder, "full.json"), "utf8").trimEnd().split("\n");
    const cut = [...lines.slice(0, 10), (lines[10] ?? "").replace(/,$/, ""), "]}"].join("\n");
    writeFileSync(join(folder, "cut.json"), cut);
    const { code, err } = await faultlane("replay", "cut.json");
    expect(err).toContain('The recording ends after 10 choices: "cut.json" was cut short');
    expect(code).toBe(3);
  });
});
