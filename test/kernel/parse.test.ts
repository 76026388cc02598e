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
      'at streams[0]: there is no member "trigers"; there are name, mode, partitions, triggers,',
    ],
    [
      "a number for a duration",
      `${HEAD}streams: [{ name: o, publishEvery: 5 }]`,
      'at streams[0].publishEvery: expected a duration such as "250ms", "30s", "5m" or "24h", found 5',
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
    ["no story", `world: triggerer\n${STREAM}`, "at story: expected a text, found nothing"],
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
      'at faults[0].at: expected a duration such as "250ms", "30s", "5m" or "24h", found nothing',
    ],
    ["text instead of a mapping", "just words", "expected a mapping with story, world"],
    ["broken YAML", `${HEAD}streams: [`, "line"],
    ["an alias", `${HEAD}streams: [&a { name: o }, *a]`, "it uses the alias *a"],
    [
      "a seed below 0",
      `${HEAD}${STREAM}seed: -1`,
      "at seed: expected a whole number of at least 0, found -1",
    ],
    [
      "a fraction for a count",
      `${HEAD}streams: [{ name: o, triggers: 1.5 }]`,
      "at streams[0].triggers: expected a whole number, found 1.5",
    ],
    [
      "no number for a count",
      `${HEAD}streams: [{ name: o, triggers: .nan }]`,
      "at streams[0].triggers: expected a whole number, found NaN",
    ],
    [
      "an empty name",
      `${HEAD}streams: [{ name: "" }]`,
      'at streams[0].name: expected a text that is not empty, found ""',
    ],
    ["no stream", `${HEAD}streams: []`, "at streams: expected a list of at least one, found []"],
    ["a text for a list", `${HEAD}streams: o`, 'at streams: expected a list, found "o"'],
    [
      "a text for a choice of two",
      `${HEAD}${STREAM}strictPersistence: yes please`,
      'at strictPersistence: expected true or false, found "yes please"',
    ],
    [
      "a link of three hosts",
      `${HEAD}${STREAM}faults: [{ at: 1s, cut: [broker, database, runner-1], for: 1s }]`,
      "at faults[0].cut: expected a list of at most 2, found",
    ],
    [
      "an unknown member beside a fault's own",
      `${HEAD}${STREAM}faults: [{ at: 1s, crash: runner-1, restartsAfter: 1s }]`,
      'at faults[0]: there is no member "restartsAfter"; there are at, crash, restartAfter',
    ],
    [
      "a tag",
      `${HEAD}${STREAM}seed: !!js/function 'function () {}'`,
      "at line 4, column 7: it uses the tag !!js/function, and a scenario has none",
    ],
    [
      "two documents",
      `${HEAD}${STREAM}---\n${HEAD}${STREAM}`,
      "at line 4, column 1: a second document begins here; a file holds one scenario",
    ],
    [
      "a member that comes twice",
      `${HEAD}${STREAM}seed: 1\nseed: 2`,
      'at line 5, column 1: the member "seed" comes twice',
    ],
    [
      "lists within lists",
      `${HEAD}streams: ${"[".repeat(50)}${"]".repeat(50)}`,
      "at line 3, column 42: it is nested deeper than 32 levels",
    ],
    [
      "lists within lists without end",
      `${HEAD}streams: ${"[".repeat(20_000)}`,
      "it is nested deeper than 32 levels",
    ],
    [
      "a wrong indentation",
      `${HEAD}streams:\n  - name: o\n   triggers: 2`,
      "at line 5, column 1: it is no valid YAML: ",
    ],
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

  test("with fifty thousand unknown members is rejected in one short line", () => {
    const unknown = Array.from({ length: 50_000 }, (_, at) => `member${at}: 1\n`).join("");
    const message = complaintAbout(`${HEAD}${STREAM}${unknown}`);
    expect(message).toContain(
      'there is no member "member0", "member1", "member2", "member3", "member4" and 49995 more; there are world,',
    );
    expect(message.length).toBeLessThan(1_000);
  });

  test("has a JSON Schema for editors", () => {
    expect(JSON.stringify(scenarioJsonSchema())).toContain("ackTimeout");
  });
});
