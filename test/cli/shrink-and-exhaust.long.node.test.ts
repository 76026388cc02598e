import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { artifactFrom } from "../../sim/run/artifact.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { type Ended, faultlaneIn } from "./faultlane.ts";

const folder = mkdtempSync(join(tmpdir(), "faultlane-shrink-"));
const broken = join(folder, "broken.yaml");
const artifact = join(folder, "broken.seed-3.json");
const small = join(folder, "small.yaml");

const BROKEN = `
story: an abort-like error out of advance
world: triggerer
profile: airflow-3.3
streams: [{ name: orders, triggers: 3, advanceThrows: { nth: 2, error: AbortError } }]
faults: [{ at: 1s, pause: runner-1, for: 300ms }]
phases: { safety: 10s, liveness: 5s }
expect: { checkers: [I1] }
`;

const HOLDS = `
story: a quiet stream
world: triggerer
streams: [{ name: orders }]
faults: [{ site: sync.request, rate: "1/9", verdict: drop-reply }]
phases: { safety: 3s }
`;

beforeAll(async () => {
  writeFileSync(broken, BROKEN);
  writeFileSync(join(folder, "holds.yaml"), HOLDS);
  writeFileSync(join(folder, "storm.yaml"), `${HOLDS}storm: { crashes: "1/2" }\n`);
  const scenario = parseScenario(BROKEN, "broken");
  const report = await simulate(scenario, { seed: 3 });
  writeFileSync(artifact, artifactFrom(scenario, report));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function faultlane(...args: readonly string[]): Promise<Ended> {
  return faultlaneIn(folder, ...args);
}

describe("faultlane shrink", () => {
  test("writes a scenario that reads by itself and fails when it is run", async () => {
    const { code, out } = await faultlane("shrink", artifact, "--out", small);
    expect(code).toBe(1);
    expect(out).toContain(`no part can be removed. Run it: npx faultlane run ${small}`);
    const text = readFileSync(small, "utf8");
    expect(text).toMatch(/^# I1: a key is held exactly while/);
    expect(text).toContain("advance of poll 2 throws");
    expect(text).toContain("choices: calm");
    expect(text).not.toContain("pause");
    const run = await faultlane("run", small);
    expect(run.code).toBe(1);
    expect(run.out).toContain("promise I1");
  });

  test("--json prints one document", async () => {
    const { code, out } = await faultlane("shrink", broken, "--seed", "5", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      shrunk: true,
      file: join(".faultlane", "broken.seed-5.shrunk.yaml"),
      failure: { checker: "I1" },
      isMinimal: true,
    });
  });

  test("has nothing to shrink when all held, and exits with 0", async () => {
    const { code, out } = await faultlane("shrink", "holds.yaml");
    expect(code).toBe(0);
    expect(out).toContain('Cannot shrink "holds": seed 1 holds all promises');
  });

  test("stops at a recording that no longer fits, and exits with 3", async () => {
    const drifted = join(folder, "drifted.json");
    writeFileSync(drifted, readFileSync(artifact, "utf8").replace('"latency"', '"delay"'));
    const { code, err } = await faultlane("shrink", drifted);
    expect(code).toBe(3);
    expect(err).toMatch(/recorded ".* delay of \d+", but the run now asks ".*"/);
  });

  test.each([
    [["shrink", "nix.yaml"], "there is no such file"],
    [["shrink", "nix.json"], "there is no such file"],
    [["shrink", "broken.seed-3.json", "--seed", "4"], "an artifact has its own"],
    [["exhaust", "holds.yaml", "--bound", "fualts=1"], 'Cannot use --bound "fualts=1"'],
    [["exhaust", "storm.yaml"], "Cannot explore a storm"],
    [["exhaust", "holds.yaml", "--runs", "2"], "Gave up after 2 runs"],
  ])("%j is wrong input, and exits with 2", async (args, complaint) => {
    const { code, err } = await faultlane(...args);
    expect(code).toBe(2);
    expect(err).toContain(complaint);
  });
});

describe("faultlane exhaust", () => {
  test("prints the certificate of a scenario that holds, the same each time", async () => {
    const walk = ["exhaust", "holds.yaml", "--bound", "seconds=3", "preemptions=1", "--json"];
    const first = await faultlane(...walk);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({
      scenario: "holds",
      bounds: { hosts: 1, seconds: 3, faults: 1, preemptions: 1, delays: 0 },
      isComplete: true,
      broken: [],
    });
    expect(await faultlane(...walk)).toEqual(first);
    const { out } = await faultlane("exhaust", "holds.yaml", "--bound", "seconds=3");
    expect(out).toMatch(/^states +\d+$/m);
    expect(out).toMatch(/^digest +[0-9a-f]{64}$/m);
    expect(out).toMatch(/complete: every run within the bounds held\n$/);
  });

  test("writes an artifact of a broken run that replays, and exits with 1", async () => {
    const { code, out } = await faultlane(
      "exhaust",
      broken,
      "--bound",
      "faults=0",
      "preemptions=0",
    );
    expect(code).toBe(1);
    expect(out).toContain("complete, and broken");
    const replayed = await faultlane("replay", join(".faultlane", "broken.exhaust.json"));
    expect(replayed.out).toMatch(/replayed: digest [0-9a-f]{64}\n$/);
  });
});
