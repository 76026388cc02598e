import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { readDiagram } from "../page/exports/sequence-diagram.ts";
import { readTrace } from "../page/exports/trace-event-format.ts";
import { ABORTED, OURS } from "../page/runs.ts";
import { readJunit } from "../report/read-junit.ts";
import { faultlaneIn } from "./faultlane.ts";

const NAIVE = join(checkoutRoot, "scenarios/producers/naive-orders.ts");

function folderWith(...[yaml, ...others]: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "faultlane-formats-"));
  writeFileSync(join(folder, "aborted.yaml"), `# a comment\n\n${yaml ?? ""}`);
  for (const one of others) writeFileSync(join(folder, "ours.yaml"), one);
  return folder;
}

describe("--format", () => {
  it("junit has each run of faultlane run as a test, and the story of one that broke", async () => {
    const folder = folderWith(ABORTED, OURS);
    const { code, out } = await faultlaneIn(folder, "run", ".", "--format", "junit");
    expect(code).toBe(1);
    expect(readJunit(out)).toEqual([
      {
        suite: "aborted.yaml",
        name: "aborted, seed 1",
        failure: {
          type: "I1",
          message: expect.stringContaining("its group lives on") as string,
          text: expect.stringMatching(
            /5\.037 s {2}advance of poll 4 throws[^]*report: \.faultlane\/aborted\.seed-1\.html/,
          ) as string,
        },
      },
      { suite: "ours.yaml", name: "ours, seed 1" },
    ]);
  });

  it("run --junit writes the same document to a file, beside the text", async () => {
    const folder = folderWith(ABORTED, OURS);
    const files = ["aborted.yaml", "ours.yaml"];
    const printed = await faultlaneIn(folder, "run", ...files, "--format", "junit");
    const { code, out } = await faultlaneIn(folder, "run", ...files, "--junit", "ci/runs.xml");
    expect(code).toBe(1);
    expect(out).toContain("2 runs: 1 held, 1 broke a promise");
    expect(readFileSync(join(folder, "ci/runs.xml"), "utf8")).toBe(printed.out);
  });

  it("run --junit reports what broke, then that the file cannot be written: exit code 2", async () => {
    const folder = folderWith(ABORTED);
    const { code, out, err } = await faultlaneIn(
      folder,
      "run",
      ".",
      "--junit",
      "aborted.yaml/x.xml",
    );
    expect(out).toContain("1 run: 1 broke a promise");
    expect(err).toContain('Cannot write "aborted.yaml/x.xml": a part of the path is a file');
    expect(code).toBe(2);
  });

  it("github prints the text, then an annotation at the scenario", async () => {
    const folder = folderWith(ABORTED);
    const { out } = await faultlaneIn(folder, "run", "aborted.yaml", "--format", "github");
    expect(out).toContain("1 run: 1 broke a promise");
    expect(out).toMatch(
      /\n::error file=aborted\.yaml,line=3,title=aborted%2C seed 1%3A I1::a key is held exactly while .*%0A.*5\.037 s.*\n$/,
    );
  });

  it("json is what --json prints", async () => {
    const folder = folderWith(ABORTED);
    const [one, other] = await Promise.all([
      faultlaneIn(folder, "run", "aborted.yaml", "--json"),
      faultlaneIn(folder, "run", "aborted.yaml", "--format", "json"),
    ]);
    expect(other.out).toBe(one.out);
    expect(JSON.parse(one.out)).toMatchObject({ runs: [{ verdict: "broken" }] });
  });

  it("junit has each finding of faultlane fuzz as a test", async () => {
    const folder = folderWith(ABORTED, OURS);
    const args = ["--runs", "2", "--workers", "1", "--format", "junit"];
    const { code, out } = await faultlaneIn(folder, "fuzz", ".", ...args);
    expect(code).toBe(1);
    const cases = readJunit(out);
    expect(cases).toContainEqual({
      suite: "ours.yaml",
      name: "ours, search by portfolio from seed 1",
    });
    const broken = cases.filter(({ failure }) => failure !== undefined);
    expect(broken.map(({ failure }) => failure?.type)).toContain("I1");
    for (const { suite, failure } of broken) {
      expect(suite).toBe("aborted.yaml");
      expect(failure?.text).toContain("npx faultlane replay .faultlane/");
    }
  });

  it("junit and github show what faultlane check found, at the factory", async () => {
    const folder = folderWith(ABORTED);
    const args = ["check", NAIVE, "--broker", "kafka", "--seed", "106", "--runs", "1"];
    const junit = await faultlaneIn(folder, ...args, "--format", "junit");
    expect(junit.code).toBe(1);
    expect(readJunit(junit.out)).toEqual([
      {
        suite: NAIVE,
        name: "check on kafka",
        failure: {
          type: "G1",
          message: expect.stringContaining("is not settled: ref-") as string,
          text: expect.stringContaining("story (") as string,
        },
      },
    ]);
    const line = readFileSync(NAIVE, "utf8")
      .split("\n")
      .findIndex((one) => one.includes("createProducer"));
    const github = await faultlaneIn(folder, ...args, "--format", "github");
    expect(github.out).toContain("The producer breaks G1");
    expect(github.out).toContain(`\n::error file=${NAIVE},line=${line + 1},title=`);
  });

  it("refuses another form", async () => {
    const { code, err } = await faultlaneIn(folderWith(ABORTED), "run", ".", "--format", "tap");
    expect(code).toBe(2);
    expect(err).toContain("Allowed choices are text, json, junit, github");
  });
});

describe("faultlane report --format", () => {
  it("perfetto and mermaid are written beside the artifact", async () => {
    const folder = folderWith(ABORTED);
    const read = (path: string): string => readFileSync(join(folder, path), "utf8");
    const perfetto = await faultlaneIn(folder, "report", "aborted.yaml", "--format", "perfetto");
    expect(perfetto.out).toBe("report: .faultlane/aborted.seed-1.perfetto.json\n");
    expect(readTrace(read(".faultlane/aborted.seed-1.perfetto.json")).processes.size).toBe(5);
    const mermaid = await faultlaneIn(folder, "report", "aborted.yaml", "--format", "mermaid");
    expect(mermaid.out).toBe("report: .faultlane/aborted.seed-1.mmd\n");
    expect(readDiagram(read(".faultlane/aborted.seed-1.mmd")).at(-1)).toMatchObject({
      text: expect.stringContaining("its group lives on") as string,
    });
  });

  it("mermaid draws the way of what --follow names, and needs it where all held", async () => {
    const folder = folderWith(OURS);
    const args = ["report", "aborted.yaml", "--format", "mermaid", "--out", "way.mmd"];
    expect(await faultlaneIn(folder, ...args, "--follow", "orders/1@0")).toMatchObject({ code: 0 });
    const lines = readDiagram(readFileSync(join(folder, "way.mmd"), "utf8"));
    expect(lines).toContainEqual({
      kind: "message",
      from: "p1",
      to: "p2",
      text: "0.060 s: orders/1@0 is published (orders)",
    });
    for (const [more, complaint] of [
      [[], "no promise broke; name a record"],
      [["--follow", "nobody"], 'Cannot follow "nobody"'],
    ] as const) {
      const { code, err } = await faultlaneIn(folder, ...args, ...more);
      expect([code, err]).toEqual([2, expect.stringContaining(complaint)]);
    }
  });
});
