import { describe, expect, test } from "vitest";
import { artifactFrom, parseArtifact } from "../../sim/run/artifact.ts";
import type { RunReport } from "../../sim/run/run-report.ts";
import { drawScenario, WORLD_NAMES } from "../../sim/scenario/world-kinds.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { readScenario, scenarioNames } from "../sim/read-scenarios.ts";

const REPORT = {
  seed: 7,
  digest: "0".repeat(64),
  violations: [],
  choices: [],
} as unknown as RunReport;

function artifactOf(scenario: Scenario): string {
  return artifactFrom(scenario, REPORT);
}

/** The artifact of a scenario with one member, or a member of the artifact, replaced. */
function withMember(name: string, value: unknown): string {
  const artifact = JSON.parse(artifactOf(readScenario("everything-at-once"))) as {
    scenario: object;
  };
  const [first = "", second = ""] = name.split(".");
  if (second === "") return JSON.stringify({ ...artifact, [first]: value });
  return JSON.stringify({ ...artifact, scenario: { ...artifact.scenario, [second]: value } });
}

describe("parseArtifact()", () => {
  test("reads the scenario that artifactFrom() wrote, of every scenario of the package", () => {
    for (const name of scenarioNames()) {
      const scenario = readScenario(name);
      expect(parseArtifact(artifactOf(scenario)).scenario).toEqual(
        JSON.parse(JSON.stringify(scenario)),
      );
    }
  });

  test.each(WORLD_NAMES)("for every drawn scenario of the world %s, reads it", (world) => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const scenario = drawScenario(world, seed);
      expect(parseArtifact(artifactOf(scenario)).seed).toBe(7);
    }
  });

  test.each([
    ["seed", "seven", 'at seed: expected a whole number, found "seven"'],
    ["digest", "abc", 'at digest: expected 64 hexadecimal digits, found "abc"'],
    ["scenario", 1, "at scenario: expected a mapping, found 1"],
    ["more", 1, ': there is no member "more"; there are format, scenario, file'],
    ["scenario.streams", "orders", 'at scenario.streams: expected a list, found "orders"'],
    ["scenario.strems", [], 'at scenario: there is no member "strems"; there are '],
    ["scenario.phases", { safety: -1, liveness: 1 }, "at scenario.phases.safety: expected "],
    [
      "scenario.expect",
      { checkers: ["no-such"], broken: [], brokenIn: "every-run", marks: [] },
      'at scenario.expect.checkers[0]: there is no checker "no-such" in the world',
    ],
    [
      "scenario.faults",
      [{ site: "job.submit", nth: 1, verdict: { kind: "drop", what: "request" } }],
      "at scenario.faults[0]",
    ],
  ])("says where and why when %s cannot be", (name, value, words) => {
    const text = withMember(name, value);
    expect(() => parseArtifact(text)).toThrow(
      `Cannot read the artifact${words.startsWith(":") ? "" : " "}${words}`,
    );
  });

  test("reads the file that the artifact says it is of", () => {
    const scenario = readScenario("hostile-client");
    expect(parseArtifact(artifactFrom(scenario, REPORT, "../a/x.yaml")).file).toBe("../a/x.yaml");
    expect(parseArtifact(artifactOf(scenario))).not.toHaveProperty("file");
  });

  test("says so when the text is no JSON, or no artifact at all", () => {
    expect(() => parseArtifact("seed 7")).toThrow("Cannot read the artifact: it is not JSON");
    expect(() => parseArtifact("[]")).toThrow("Cannot read the artifact: expected a mapping");
  });
});
