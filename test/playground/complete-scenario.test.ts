import { describe, expect, it } from "vitest";
import { proposalsAt } from "../../sim/playground/complete-scenario.ts";
import { hashFrom, sharedFrom } from "../../sim/playground/link.ts";
import { problemsOfText } from "../../sim/playground/read-scenario.ts";
import { scenarioJsonSchema } from "../../sim/scenario/schema.ts";

/** What is proposed where the text has a bar. */
function proposed(text: string): readonly string[] {
  const offset = text.indexOf("|");
  const found = proposalsAt(scenarioJsonSchema(), text.replace("|", ""), offset);
  return found?.proposals.map(({ label }) => label) ?? [];
}

describe("proposalsAt()", () => {
  it("proposes the worlds", () => {
    const worlds = proposed("story: Mine\nworld: |");
    expect(worlds).toEqual(["triggerer", "manager", "tasks", "operator", "producer"]);
  });

  it("proposes the members of the chosen world only", () => {
    const members = proposed("story: Mine\nworld: manager\n|");
    expect(members).toContain("operations");
    expect(members).not.toContain("triggerers");
    expect(proposed("story: Mine\nworld: nowhere\n|")).toContain("triggerers");
  });

  it("proposes the members of an item, in blocks and in braces", () => {
    const head = "world: triggerer\nstreams:\n  - name: orders\n";
    expect(proposed(`${head}    |`)).toContain("advanceThrows");
    expect(proposed(`${head}    filter:\n      |`)).toContain("form");
    expect(proposed(`${head}    filter: { |`)).toContain("form");
    expect(proposed(`${head}    filter: { form: |`)).toEqual(["async", "sync", "either"]);
    expect(proposed(`${head}    filter:\n      form: s|`)).toEqual(["async", "sync", "either"]);
    expect(proposed(`${head}faults:\n  - { site: |`)).toContain("broker.settle");
    expect(proposed(`${head}faults:\n  - |`)).toContain("site");
  });

  it("proposes nothing in a comment, or where nothing is known", () => {
    expect(proposed("world: manager # |")).toEqual([]);
    expect(proposed("world: manager\nnonsense:\n  |")).toEqual([]);
  });
});

describe("problemsOfText()", () => {
  it("returns the place of what is wrong", () => {
    const text = "story: Mine\nworld: triggerer\nstreams: [{ name: orders, triggers: none }]\n";
    const [problem] = problemsOfText(text);
    expect(text.slice(problem?.from, problem?.to)).toBe("none");
    expect(problem?.message).toContain("expected");
  });

  it("returns the place of a syntax error", () => {
    const text = "story: Mine\nworld: [";
    expect(problemsOfText(text)[0]?.from).toBeGreaterThan(text.indexOf("world"));
  });

  it("returns nothing for a scenario", () => {
    expect(problemsOfText("{ story: Mine, world: manager }")).toEqual([]);
  });
});

describe("a link", () => {
  it("carries texts of any characters", () => {
    const shared = {
      tab: "producer",
      text: "漢字\u2028</script>",
      seed: 7,
      broker: "sqs",
    } as const;
    expect(sharedFrom(hashFrom(shared))).toEqual(shared);
    expect(hashFrom(shared)).toMatch(/^#[\w-]+$/);
  });

  it("that is damaged carries nothing", () => {
    for (const hash of ["", "#", "#!!", "#AAAA", "#eyJ9"]) expect(sharedFrom(hash)).toBeUndefined();
  });
});
