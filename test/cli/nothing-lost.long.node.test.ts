import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { type Ended, faultlaneIn, startFaultlane } from "./faultlane.ts";

const HOSTILE = `
story: a client calls Airflow's own algorithm in every way its API allows
world: manager
profile: airflow-3.3
`;

/** The second run of a thread ends with the message of a run that the kit could not finish. */
const FAILS_LATER = `
import { parentPort } from "node:worker_threads";
let created = 0;
export function createProducer() {
  created += 1;
  const error = { isOfRun: true, isWrongInput: false, text: "Error: planted in the kit" };
  if (created > 12) parentPort?.postMessage({ kind: "failed", error });
  return { async *openStream() {}, async advance() {} };
}
`;

const folder = mkdtempSync(join(tmpdir(), "faultlane-lost-"));

beforeAll(() => {
  writeFileSync(join(folder, "hostile.yaml"), HOSTILE);
  for (const name of ["a", "b"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "same.yaml"), HOSTILE);
  }
  writeFileSync(join(folder, "fails-later.mjs"), FAILS_LATER);
  writeFileSync(
    join(folder, "fails-later.yaml"),
    `
story: a producer whose later runs the kit cannot finish
world: producer
producer: ./fails-later.mjs
broker: { kafka: { partitions: 1 } }
records: [{ at: 1s, publish: ref-000001, key: key-1 }]
subscribers: [{ subscriber: 1 }]
`,
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function faultlane(...args: readonly string[]): Promise<Ended> {
  return faultlaneIn(folder, ...args);
}

interface Report {
  readonly seed: number;
  readonly runs: number;
  readonly interrupted?: string;
  readonly failure?: Readonly<Record<string, unknown>>;
  readonly findings: readonly {
    readonly scenario: string;
    readonly checker: string;
    readonly strategy: string;
    readonly runs: number;
    readonly artifact: string;
  }[];
  readonly groups: readonly {
    readonly checker: string;
    readonly symptom: string;
    readonly runs: number;
    readonly artifact: string;
    readonly others: readonly string[];
    readonly scenarios: readonly string[];
  }[];
  readonly corpus: { readonly replayed: number; readonly ignored: readonly string[] };
}

async function fuzzed(...args: readonly string[]): Promise<Report & { code: number | null }> {
  const { code, out } = await faultlane("fuzz", ...args, "--json");
  return { ...(JSON.parse(out) as Report), code };
}

describe("fuzz --corpus", () => {
  test("goes on where it stopped, and finds nothing a second time", async () => {
    const args = ["hostile.yaml", "--corpus", "again", "--runs", "160"];
    const first = await fuzzed(...args);
    expect(first).toMatchObject({ code: 1, seed: 1, runs: 160 });
    const second = await fuzzed(...args);
    expect(second).toMatchObject({ code: 1, seed: 161, runs: 160 });
    expect(second.corpus.replayed).toBeGreaterThan(0);
    const known = first.findings.map(({ checker }) => checker);
    for (const { checker, strategy } of second.findings) {
      expect(strategy === "replay", `finding of ${checker}`).toBe(known.includes(checker));
    }
    const { campaigns } = JSON.parse(readFileSync(join(folder, "again/state.json"), "utf8")) as {
      campaigns: unknown;
    };
    expect(campaigns).toMatchObject([{ scenario: "hostile", strategy: "portfolio", runs: 320 }]);
  });

  test("begins anew with another seed, strategy or scenario", async () => {
    const args = ["--corpus", "other", "--runs", "3"];
    await fuzzed("hostile.yaml", ...args);
    expect(await fuzzed("hostile.yaml", ...args, "--seed", "7")).toMatchObject({ seed: 7 });
    expect(await fuzzed("hostile.yaml", ...args, "--strategy", "urw")).toMatchObject({ seed: 1 });
    writeFileSync(join(folder, "edited.yaml"), `${HOSTILE}keys: 1\n`);
    expect(await fuzzed("edited.yaml", ...args)).toMatchObject({ seed: 1 });
    expect(await fuzzed("hostile.yaml", ...args)).toMatchObject({ seed: 4 });
  });

  for (const [what, text] of [
    ["corrupt", '{ "format": "faultlane-fuzz-sta'],
    ["foreign", '{ "format": "faultlane-fuzz-state-9", "campaigns": 7 }'],
  ] as const) {
    test(`ignores a ${what} state file and says so`, async () => {
      const corpus = join(folder, what);
      mkdirSync(join(corpus, "failing"), { recursive: true });
      writeFileSync(join(corpus, "state.json"), text);
      writeFileSync(join(corpus, "failing", "half.json"), '{ "format": ');
      const args = ["fuzz", "hostile.yaml", "--corpus", what, "--runs", "2"];
      const { code, out, err } = await faultlane(...args);
      expect(code).toBe(1);
      const ignored = `"${what}/state.json" is ignored: it is not the state of a campaign`;
      expect(err).toContain(ignored);
      expect(out).toContain(ignored);
      expect(out).toContain(`"${what}/failing/half.json" is ignored: Cannot read the artifact`);
      expect(readFileSync(join(corpus, "state.json"), "utf8")).toContain('"runs": 2');
    });
  }
});

describe("fuzz", () => {
  test("groups findings of one kind over scenarios, with one artifact and the others", async () => {
    const { findings, groups } = await fuzzed("a", "b", "--runs", "20", "--artifacts", "groups");
    expect(findings.map(({ scenario, checker }) => [scenario, checker])).toEqual([
      ["same", "I1"],
      ["same", "I1"],
    ]);
    expect(groups).toMatchObject([
      {
        checker: "I1",
        symptom: "group-outlives-poll",
        runs: findings.reduce((all, { runs }) => all + runs, 0),
        artifact: "groups/a-same.fuzz-calibration-1.json",
        others: ["groups/b-same.fuzz-calibration-1.json"],
      },
    ]);
    const { out } = await faultlane("fuzz", "a", "b", "--runs", "20", "--artifacts", "groups");
    expect(out.match(/^BROKEN/gm)).toHaveLength(1);
    expect(out).toContain("the same:\n    groups/b-same.fuzz-calibration-1.json");
    expect(out).toContain("2 findings of 1 kind");
  });

  // A first batch of one run and a second one of 64: in 1.8 s no machine comes to their end.
  test("with --minutes ends amid a batch", async () => {
    const large = join(checkoutRoot, "scenarios/everything-at-once.yaml");
    const { code, runs } = await fuzzed(large, "--minutes", "0.03");
    expect(code).toBe(0);
    expect(runs).toBeLessThan(65);
  });

  test("ends with everything found and a report when a run throws for a reason of the kit", async () => {
    const args = ["fuzz", "hostile.yaml", "fails-later.yaml", "--corpus", "thrown"];
    const { code, out, err } = await faultlane(...args, "--json", "--workers", "1");
    expect(code).toBe(3);
    const { findings, failure } = JSON.parse(out) as Report;
    expect(findings[0]).toMatchObject({ scenario: "hostile", checker: "I1" });
    expect(existsSync(join(folder, findings[0]?.artifact ?? ""))).toBe(true);
    expect(failure).toMatchObject({ scenario: "fails-later", error: "Error: planted in the kit" });
    const { strategy, seed } = failure as { strategy: string; seed: number };
    const which = `the run of "fails-later" by ${strategy}, seed ${seed}`;
    expect(err).toContain(`Cannot finish ${which}`);
    const told = await faultlane(...args.toSpliced(-1, 1, "told"), "--workers", "1");
    expect(told.code).toBe(3);
    expect(told.out).toContain("Ended early: the run of");
    expect(told.out).toContain("BROKEN  hostile");
  });

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    test(`on ${signal} ends with its report, and with ${code} if nothing was found`, async () => {
      const quiet = join(checkoutRoot, "scenarios/stalling-client.yaml");
      const started = startFaultlane(folder, "fuzz", quiet, "--minutes", "60", "--json");
      await started.sees(" s (");
      started.child.kill(signal);
      const ended = await started.ended;
      expect(ended.code).toBe(code);
      expect(JSON.parse(ended.out)).toMatchObject({ interrupted: signal, findings: [] });
      expect(ended.err).toContain(`${signal}: ending with a report`);
    });
  }
});

describe("other verbs", () => {
  const scenarios = join(checkoutRoot, "scenarios");
  const verbs: readonly (readonly [args: readonly string[], out: string])[] = [
    [["run", scenarios, "--seeds", "1000"], "runs were not made"],
    [["crash-points", join(scenarios, "resumable"), "--pairs", "100000"], "not all was tried"],
    [
      [
        ...["exhaust", join(scenarios, "late-joiner-is-not-in-the-snapshot.yaml")],
        ...["--bound", "preemptions=9", "delays=9"],
      ],
      "interrupted by SIGINT: not every run was made",
    ],
  ];
  for (const [args, text] of verbs) {
    test(`${args[0]} ends on SIGINT with a report of what was done`, async () => {
      const started = startFaultlane(folder, ...args);
      await started.sees(" of ");
      started.child.kill("SIGINT");
      const { code, out } = await started.ended;
      expect(code).toBe(130);
      expect(out).toContain(text);
    });
  }

  test("run gives two files with one scenario name artifacts of their own", async () => {
    const args = ["--seeds", "3", "--artifacts", "own"];
    writeFileSync(join(folder, "b/same.yaml"), `${HOSTILE}keys: 2\n`);
    const { out } = await faultlane("run", "a", "b", ...args);
    const written = readdirSync(join(folder, "own")).filter((name) => name.endsWith(".json"));
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((name) => !/^[ab]-same\.seed-\d\.json$/.test(name))).toEqual([]);
    expect(written.length).toBe(out.match(/replay: /g)?.length);
  });
});

describe("check", () => {
  const naive = join(checkoutRoot, "scenarios/producers/naive-orders.ts");
  const args = ["check", naive, "--broker", "kafka"];

  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    test(`leaves its first broken run at once, on ${signal} too`, async () => {
      const kept = join(folder, `check-${signal}`);
      const started = startFaultlane(folder, ...args, "--artifacts", kept);
      const over = new AbortController();
      void started.ended.then(() => over.abort());
      const isKept = (): boolean =>
        existsSync(kept) && readdirSync(kept).some((name) => name.endsWith(".yaml"));
      while (!isKept() && !over.signal.aborted) await sleep(2);
      started.child.kill(signal);
      const { code, out } = await started.ended;
      const [file = ""] = readdirSync(kept).filter((name) => name.endsWith(".yaml"));
      if (signal === "SIGINT") {
        expect(code).toBe(1);
        expect(out).toContain(`npx faultlane check ${join(kept, file)}`);
      }
      const played = await faultlane("check", join(kept, file));
      expect(played.code).toBe(1);
    });
  }

  test("keeps only the run that it reports, and none where it cannot", async () => {
    const { code } = await faultlane(...args, "--artifacts", "checked");
    expect(code).toBe(1);
    const kept = readdirSync(join(folder, "checked"));
    expect(kept.map((name) => name.replace(/^.*\./, ""))).toEqual(["html", "yaml"]);
    const refused = await faultlane(...args, "--artifacts", "hostile.yaml");
    expect(refused.code).toBe(2);
    expect(refused.out).toContain("The producer breaks G");
    expect(refused.err.match(/^Cannot write ".*": .*$/gm)).toHaveLength(1);
  });
});

describe("what cannot be written", () => {
  beforeAll(async () => {
    await faultlane("fuzz", "hostile.yaml", "--runs", "1", "--artifacts", "found");
  });
  const found = "found/hostile.fuzz-calibration-1.json";
  const verbs: readonly (readonly [args: readonly string[], flag: string, place: string])[] = [
    [["run", "hostile.yaml", "--seeds", "30"], "--artifacts", "hostile.yaml"],
    [["run", "hostile.yaml", "--seeds", "30"], "--artifacts", "/proc/faultlane"],
    [["fuzz", "hostile.yaml", "--runs", "5"], "--artifacts", "hostile.yaml"],
    [["fuzz", "hostile.yaml", "--runs", "5"], "--corpus", "hostile.yaml/corpus"],
    [["shrink", found], "--out", "hostile.yaml/small.yaml"],
    [["shrink", found], "--out", "/dev/full"],
  ];
  for (const [args, flag, place] of verbs) {
    test(`${args[0]} ${flag} ${place}: the finding, one line, exit code 2`, async () => {
      const { code, out, err } = await faultlane(...args, flag, place);
      expect(code).toBe(2);
      expect(out).toContain("I1: a key is held exactly while");
      expect(err.match(/^Cannot write ".*": .*$/gm)).toHaveLength(1);
      expect(err).not.toContain("    at ");
    });
  }
});

describe("what is shrunk again", () => {
  test("keeps its name, and so does what was shrunk to another promise", async () => {
    const aborted = join(checkoutRoot, "scenarios/airflow-hangs-when-advance-is-aborted.yaml");
    const text = readFileSync(aborted, "utf8").replace(/^expect:.*$/m, "");
    writeFileSync(join(folder, "aborted.yaml"), text);
    const fileOf = async (...args: readonly string[]): Promise<string> => {
      const { out } = await faultlane("shrink", ...args, "--json");
      return (JSON.parse(out) as { file: string }).file;
    };
    const small = await fileOf("aborted.yaml");
    expect(small).toBe(".faultlane/aborted.seed-1.shrunk.yaml");
    expect(await fileOf(small)).toBe(small);
    const settled = ".faultlane/aborted.seed-1.settled.shrunk.yaml";
    expect(await fileOf("aborted.yaml", "--promise", "settled")).toBe(settled);
    expect(readFileSync(join(folder, small), "utf8")).toContain("breaks I1");
    expect(await fileOf(settled)).toBe(settled);
  });
});
