import { describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { scenarioJsonSchema } from "../../sim/scenario/schema.ts";

const HEAD = "story: x\nworld: triggerer\n";
const STREAM = "streams: [{ name: o }]\n";

function complaintAbout(text: string): string {
  try {
    parseScenario(text, "mine.yaml");
  } catch (error) {
    return (error as Error).message;
  }
  return "no complaint";
}

describe("a scenario file", () => {
  test("is YAML or JSON; durations and rates become whole numbers", () => {
    const text = `${HEAD}streams: [{ name: o, publishEvery: 2m, filter: { rejects: "1/20" } }]`;
    const parsed = parseScenario(text, "mine");
    expect(parsed.name).toBe("mine");
    expect(parsed).toMatchObject({
      streams: [{ publishEvery: 120_000, filter: { rejects: { numerator: 1, denominator: 20 } } }],
    });
    const json = JSON.stringify({ story: "x", world: "manager", manager: { ackTimeout: "10s" } });
    expect(parseScenario(json, "mine")).toMatchObject({ manager: { ackTimeout: 10_000 } });
  });

  const wrong: [string, string, string][] = [
    [
      "an unknown member",
      `${HEAD}streams: [{ name: o, trigers: 3 }]`,
      'at streams[0]: there is no member "trigers"',
    ],
    [
      "a number for a duration",
      `${HEAD}streams: [{ name: o, publishEvery: 5 }]`,
      "at streams[0].publishEvery: expected string, found 5",
    ],
    [
      "a wrong duration",
      `${HEAD}streams: [{ name: o, publishEvery: 5 parsecs }]`,
      'at streams[0].publishEvery: expected a duration such as "250ms", "30s", "5m" or "24h", found "5 parsecs"',
    ],
    [
      "a wrong rate",
      `${HEAD}streams: [{ name: o, filter: { fires: 0.5x } }]`,
      'at streams[0].filter.fires: expected a rate such as "1/20", found "0.5x"',
    ],
    [
      "a rate over one",
      `${HEAD}streams: [{ name: o, filter: { fires: 3/2 } }]`,
      'at streams[0].filter.fires: expected a rate between "0/1" and "1/1", found "3/2"',
    ],
    ["no story", `world: triggerer\n${STREAM}`, "at story: expected string, found nothing"],
    [
      "an unknown world",
      "story: x\nworld: trigerer\n",
      'at world: expected one of "triggerer", "manager", "tasks", "operator", "producer", found "trigerer"',
    ],
    [
      "an unknown site",
      `${HEAD}${STREAM}faults: [{ site: database.comit, verdict: delay }]`,
      "at faults[0].site: expected one of",
    ],
    [
      "a timed fault without its time",
      `${HEAD}${STREAM}faults: [{ crash: runner-1 }]`,
      "at faults[0].at: expected string, found nothing",
    ],
    ["text instead of a mapping", "just words", "expected a mapping with story, world"],
    ["broken YAML", `${HEAD}streams: [`, "line"],
    ["an alias", `${HEAD}streams: [&a { name: o }, *a]`, "it uses the alias *a"],
    ["far too much", "#".repeat(1_000_001), "it is longer than 1000000 characters"],
  ];
  for (const [what, text, complaint] of wrong) {
    test(`with ${what} is rejected: the message names the file, the path and what was expected`, () => {
      const message = complaintAbout(text);
      expect(message).toContain('Cannot use scenario "mine.yaml"');
      expect(message).toContain(complaint);
      expect(message).not.toContain("\n");
    });
  }

  test("has a JSON Schema for editors", () => {
    expect(JSON.stringify(scenarioJsonSchema())).toContain("ackTimeout");
  });
});
