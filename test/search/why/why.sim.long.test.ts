import { describe, expect, test } from "vitest";
import type { NamedRise, Why } from "../../../sim/search/why/why.ts";
import { CRASHES, explained, HOSTILE } from "./explained.ts";

/** The choices of a rise that is resolved to one choice. */
function onlyChoice(rise: NamedRise | undefined): unknown {
  const { choices: [choice] = [], more } = rise ?? {};
  return more === 0 ? choice : undefined;
}

function neededIn({ counterfactuals }: Why): readonly string[] {
  return counterfactuals.singles
    .filter(({ without }) => without === "holds")
    .flatMap(({ parts }) => parts.map(({ words }) => words));
}

describe("explainFailure()", () => {
  test("hostile, seed 1: the steepest rise is the choice by which advance aborts, and it is needed", async () => {
    const why = await explained(HOSTILE, 1, { checker: "I1", runsMax: 2_000 });
    const words = 'client, "advance": throws-oddly';
    expect(onlyChoice(why.rises[0])).toMatchObject({ label: "advance", words });
    expect(neededIn(why)).toContain(words);
  });

  test("crashes, seed 2: the steepest rise is the crash, from which on it is certain, and it is needed", async () => {
    const why = await explained(CRASHES, 2, { runsMax: 2_000 });
    const words = "crash-before at call 1 of api.heartbeat";
    expect(onlyChoice(why.rises[0])).toMatchObject({
      kind: "fault",
      words,
      next: ["fault at api.heartbeat: crash the caller before the effect", "worker-1: crash"],
    });
    expect(why.certainFrom).toBe((why.rises[0]?.from.taken ?? 0) + 1);
    expect(neededIn(why)).toEqual([words]);
  });
});
