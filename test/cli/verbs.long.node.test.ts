import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const top = new URL("../..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "faultlane-cli-"));
const broken = join(folder, "aborted.yaml");
const artifacts = join(folder, "artifacts");

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

beforeAll(() => {
  const text = readFileSync(
    join(top, "scenarios/airflow-hangs-when-advance-is-aborted.yaml"),
    "utf8",
  );
  writeFileSync(broken, text.replace(/^expect:.*$/m, ""));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("faultlane run", () => {
  test("prints a table and exits with 0 when all held", async () => {
    const { code, out, err } = await faultlane("run", "scenarios/wall-clock-jumps-an-hour.yaml");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^scenario +seed +virtual time +events +faults +verdict\n/);
    expect(out).toContain("1 run: 1 held; each gave the same digest twice");
    expect(out).not.toContain("\u001B");
  });

  test("shows each broken promise, the story and how to rerun it, and exits with 1", async () => {
    const { code, out } = await faultlane("run", broken, "--artifacts", artifacts);
    expect(code).toBe(1);
    expect(out).toContain("promise I1: a key is held exactly while its group's poll is alive");
    expect(out).toContain("advance of poll 4 throws");
    expect(out).toContain("also broken, at 646.000 s on world\n  promise settled: everything");
    expect(out).toContain("1 run: 1 broke a promise; each gave the same digest twice");
    expect(out).toContain(`rerun: npx faultlane run ${broken} --seed 1`);
    expect(out).toContain(`report: ${join(artifacts, "aborted.seed-1.html")}`);
    expect(readdirSync(artifacts)).toEqual(["aborted.seed-1.html", "aborted.seed-1.json"]);
  });

  test("--json prints one document on standard output and nothing else there", async () => {
    const { code, out } = await faultlane("run", broken, "--artifacts", artifacts, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      runs: [{ scenario: "aborted", seed: 1, verdict: "broken" }],
      broken: [{ rerun: `npx faultlane run ${broken} --seed 1` }],
      notDeterministic: [],
    });
  });

  const wrong: [string, string[], string][] = [
    [
      "a file that is not there",
      ["run", "nix.yaml"],
      'Cannot read "nix.yaml": there is no such file',
    ],
    ["a seed that is no number", ["run", "--seed", "x"], 'Cannot use "x" as --seed'],
    ["a verb that there is not", ["rnu"], "unknown command 'rnu'"],
    ["a flag that there is not", ["run", "--sedes", "3"], "unknown option '--sedes'"],
    ["an artifact that is none", ["replay", "package.json"], "Cannot read the artifact"],
  ];
  for (const [what, args, complaint] of wrong) {
    test(`${what} is wrong input: one complaint, nothing on standard output, 2`, async () => {
      const { code, out, err } = await faultlane(...args);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain(complaint);
      expect(err).not.toMatch(/\n +at /);
    });
  }

  test("a host that the world does not have is wrong input, too", async () => {
    const path = join(folder, "host.yaml");
    const fault = "faults: [{ at: 1s, crash: runner-9 }]";
    writeFileSync(path, `story: x\nworld: triggerer\nstreams: [{ name: o }]\n${fault}\n`);
    const { code, err } = await faultlane("run", path);
    expect(code).toBe(2);
    expect(err).toContain('this scenario has no host "runner-9"; there are broker, database');
  });
});

describe("faultlane replay", () => {
  const artifact = join(artifacts, "aborted.seed-1.json");

  test("takes a run again to the same digest", async () => {
    const { code, out } = await faultlane("replay", artifact);
    expect(code).toBe(1);
    expect(out).toMatch(/replayed: digest [0-9a-f]{64}\n$/);
  });

  test("stops where the recording no longer fits, shows both labels, and exits with 3", async () => {
    const drifted = join(folder, "drifted.json");
    writeFileSync(drifted, readFileSync(artifact, "utf8").replace('"latency"', '"delay"'));
    const { code, err } = await faultlane("replay", drifted);
    expect(code).toBe(3);
    expect(err).toMatch(/recorded ".* delay of \d+", but the run now asks ".*"/);
  });
});

test("faultlane digest says the same each time, and nothing about the machine", async () => {
  const args = ["digest", "scenarios/hostile-client.yaml", "--seeds", "2", "--json"];
  const [first, second] = [await faultlane(...args), await faultlane(...args)];
  expect(first).toEqual(second);
  const { digests } = JSON.parse(first.out) as { digests: Record<string, unknown>[] };
  expect(digests.map((one) => Object.keys(one))).toEqual([
    ["scenario", "seed", "digest"],
    ["scenario", "seed", "digest"],
  ]);
});
