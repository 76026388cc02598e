import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const top = new URL("../..", import.meta.url).pathname;
const deno = createRequire(import.meta.url).resolve("deno/bin.cjs");
const folder = mkdtempSync(join(tmpdir(), "faultlane-fuzz-"));
const broken = join(folder, "aborted.yaml");

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function faultlane(...args: readonly string[]): Promise<Ended> {
  return run("sim/cli/main.ts", ...args);
}

function faultlaneOnDeno(...args: readonly string[]): Promise<Ended> {
  return run(deno, "run", "-A", "sim/cli/main.ts", ...args);
}

function faultlaneIn(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return runIn(cwd, join(top, "sim/cli/main.ts"), ...args);
}

function run(...command: readonly string[]): Promise<Ended> {
  return runIn(top, ...command);
}

function runIn(cwd: string, ...command: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { cwd });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on("data", (data: Buffer) => out.push(data.toString()));
    child.stderr.on("data", (data: Buffer) => err.push(data.toString()));
    child.on("close", (code) => resolve({ code, out: out.join(""), err: err.join("") }));
  });
}

beforeAll(() => {
  const path = join(top, "scenarios/airflow-hangs-when-advance-is-aborted.yaml");
  writeFileSync(broken, readFileSync(path, "utf8").replace(/^expect:.*$/m, ""));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("faultlane fuzz", () => {
  test("exits with 0 when nothing is found, with statistics and the marks that were never reached", async () => {
    const scenario = "scenarios/stalling-client.yaml";
    const { code, out } = await faultlane("fuzz", scenario, "--runs", "70");
    expect(code).toBe(0);
    expect(out).toMatch(/^strategy +runs +failing +first to find +behaviours +ms a run\n/);
    expect(out).toMatch(/\npct +\d+ +0 +0 +\d+ /);
    expect(out).toContain("70 runs from seed 1");
    expect(out).toContain("0 findings");
  });

  test("exits with 1 and the same findings on any number of workers", async () => {
    const scenarios = [broken, "scenarios/stalling-client.yaml"];
    const search = async (on: typeof faultlane, workers: number): Promise<Searched> => {
      const own = join(folder, `corpus-${on.name}-${workers}`);
      const args = ["--runs", "40", "--workers", String(workers), "--corpus", own, "--json"];
      const { code, out } = await on("fuzz", ...scenarios, ...args);
      return { code, out: out.replaceAll(own, "corpus"), kept: keptIn(own) };
    };
    const one = await search(faultlane, 1);
    expect(one.code).toBe(1);
    expect(one.out).toContain('"checker": "I1"');
    expect(await search(faultlane, 2)).toEqual(one);
    expect(await search(faultlane, 3)).toEqual(one);
    expect(await search(faultlaneOnDeno, 2), "on Deno").toEqual(one);
  });

  test("writes an artifact that replays, and that shrinks to a scenario which fails when it is run", async () => {
    const corpus = join(folder, "corpus-artifact");
    const { out } = await faultlane("fuzz", broken, "--runs", "12", "--corpus", corpus, "--json");
    const [finding] = (JSON.parse(out) as Report).findings;
    expect(finding).toMatchObject({ scenario: "aborted", checker: "I1", isSame: true });
    const replayed = await faultlane("replay", finding?.artifact ?? "");
    expect(replayed.code).toBe(1);
    expect(replayed.out).toContain(`replayed: digest ${finding?.digest}`);
    const small = join(folder, "small.yaml");
    const words = finding?.shrink.replace("npx faultlane ", "").split(" ") ?? [];
    const shrunk = await faultlane(...words, "--out", small);
    expect(shrunk.code).toBe(1);
    expect(readFileSync(small, "utf8")).toMatch(/^# I1: a key is held exactly while/);
    const run = await faultlane("run", small);
    expect(run.code).toBe(1);
    expect(run.out).toContain("BROKEN I1");
  });

  test("finds, shrinks and explains the failure that the README shows", async () => {
    const readme = readFileSync(join(top, "README.md"), "utf8");
    const [, hunt = ""] = readme.split("## A hunt");
    const [, scenario = ""] = /```yaml\n(.*?)```/s.exec(hunt) ?? [];
    writeFileSync(join(folder, "hostile.yaml"), scenario);
    const [, runs = "", told = ""] = /--runs (\d+)\n(.*?)```/s.exec(hunt) ?? [];
    const found = await faultlaneIn(folder, "fuzz", "hostile.yaml", "--runs", runs);
    const timeless = (text: string): string => text.replace(/\d+ a second/, "some a second");
    const lines = told.split("\n").filter((line) => line.trim() !== "…");
    for (const line of lines) expect(timeless(found.out)).toContain(timeless(line));
    const [, command = ""] = /smaller: npx faultlane (.*)\n/.exec(hunt) ?? [];
    const { code, out } = await faultlaneIn(folder, ...command.split(" "));
    expect(code).toBe(1);
    expect(hunt).toContain(out.trim());
    const [, asked = "", said = ""] = /npx faultlane (why [^\n]*)\n(.*?)```/s.exec(hunt) ?? [];
    const explained = await faultlaneIn(folder, ...asked.split(" "));
    expect(explained.code).toBe(1);
    for (const line of said.split("\n")) {
      if (line !== "…") expect(explained.out).toContain(line);
    }
  });

  test("repeats the corpus first; artifacts that no longer fit are reported and skipped", async () => {
    const corpus = join(folder, "corpus-again");
    await faultlane("fuzz", broken, "--runs", "12", "--corpus", corpus);
    const failing = join(corpus, "failing");
    const [name = ""] = readdirSync(failing).filter((one) => one.endsWith(".json"));
    const text = readFileSync(join(failing, name), "utf8");
    writeFileSync(join(failing, "drifted.json"), text.replace('"latency"', '"delay"'));
    const { code, out } = await faultlane("fuzz", broken, "--runs", "2", "--corpus", corpus);
    expect(code).toBe(1);
    expect(out).toContain("found by replay");
    expect(out).toContain(`no longer fits the code: ${join(failing, "drifted.json")}`);
  });

  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ["no scenario", [], "missing required argument"],
    ["a strategy that there is not", [broken, "--strategy", "luck"], "Allowed choices are"],
    ["runs and minutes at once", [broken, "--runs", "3", "--minutes", "1"], "cannot be used with"],
    ["no workers", [broken, "--workers", "0"], 'Cannot use "0" as --workers'],
    ["a file that is not there", ["nix.yaml"], 'Cannot read "nix.yaml"'],
  ];
  for (const [what, args, complaint] of wrong) {
    test(`${what} is wrong input: one message, nothing on standard output, exit code 2`, async () => {
      const { code, out, err } = await faultlane("fuzz", ...args);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain(complaint);
    });
  }

  test("a host that the world does not have is wrong input on a worker, too", async () => {
    const path = join(folder, "host.yaml");
    const fault = "faults: [{ at: 1s, crash: runner-9 }]";
    writeFileSync(path, `story: x\nworld: triggerer\nstreams: [{ name: o }]\n${fault}\n`);
    const { code, err } = await faultlane("fuzz", path, "--runs", "40", "--workers", "2");
    expect(code).toBe(2);
    expect(err).toContain('this scenario has no host "runner-9"');
  });

  test("--help names the strategies and the exit codes", async () => {
    const { code, out } = await faultlane("fuzz", "--help");
    expect(code).toBe(0);
    for (const word of ["portfolio", "urw", "pos", "pct", "swarm", "Exit codes"]) {
      expect(out).toContain(word);
    }
  });
});

interface Searched {
  readonly code: number | null;
  readonly out: string;
  readonly kept: ReturnType<typeof keptIn>;
}

/** What lies in a corpus, name and text, wherever the corpus lies. */
function keptIn(corpusFolder: string): readonly (readonly [string, string])[] {
  return ["failing", "rare"].flatMap((kind) => {
    const inside = join(corpusFolder, kind);
    if (!existsSync(inside)) return [];
    return readdirSync(inside)
      .toSorted()
      .map((name) => {
        const text = readFileSync(join(inside, name), "utf8");
        return [name, text.replaceAll(corpusFolder, "corpus")] as const;
      });
  });
}

interface Report {
  readonly findings: readonly {
    readonly scenario: string;
    readonly checker: string;
    readonly artifact: string;
    readonly digest: string;
    readonly shrink: string;
    readonly isSame: boolean;
  }[];
}
