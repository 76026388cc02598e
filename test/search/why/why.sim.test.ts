import { describe, expect, test } from "vitest";
import { PLAIN } from "../../../sim/report/terminal.ts";
import { whyDocumentFrom } from "../../../sim/report/why-document.ts";
import { whyTextFrom } from "../../../sim/report/why-text.ts";
import { simulate } from "../../../sim/run/simulate.ts";
import { parseScenario } from "../../../sim/scenario/parse.ts";
import { explainFailure, NothingToExplain, ReplayDiffers } from "../../../sim/search/why/why.ts";
import { explained, HOSTILE } from "./explained.ts";

describe("explainFailure()", () => {
  test("hostile, seed 1: the same seeds give the same answer, within the budget", async () => {
    const options = { checker: "I1", runsMax: 36, drawSeed: 3 };
    const [one, other] = [
      await explained(HOSTILE, 1, options),
      await explained(HOSTILE, 1, options),
    ];
    expect(whyDocumentFrom(other)).toEqual(whyDocumentFrom(one));
    expect(one).toMatchObject({ runs: 36, isComplete: false });
    const drawn = await explained(HOSTILE, 1, { ...options, drawSeed: 4 });
    expect(drawn.points).not.toEqual(one.points);
  });

  test("hostile, seed 1: all of the curve is measured coarsely before any of it finely", async () => {
    const why = await explained(HOSTILE, 1, { checker: "I1", runsMax: 147 });
    const { curve, choices } = whyDocumentFrom(why);
    expect(curve).toHaveLength(9);
    expect(curve.filter(({ runs }) => runs >= 6)).toHaveLength(8);
    expect(curve.filter(({ runs }) => runs === 24).length).toBeGreaterThan(1);
    expect(curve[8]).toMatchObject({ taken: choices, runs: 1, share: 1, low: 1, high: 1 });
  });

  test("hostile, seed 1: a third is for what is left out, and the rest is said", async () => {
    const why = await explained(HOSTILE, 1, { checker: "I1", runsMax: 39 });
    const { singles, untried } = why.counterfactuals;
    expect(singles.length).toBeGreaterThan(5);
    expect(untried).toBeGreaterThan(5);
    expect(why).toMatchObject({ runs: 39, isCurveWhole: false, isComplete: false });
    const text = whyTextFrom(whyDocumentFrom(why), { scenario: "hostile", seed: 1 }, PLAIN);
    expect(text).toContain("Not tried within the budget: a finer curve (");
    expect(text).toContain(`; leaving out ${untried} more faults and acts`);
  });

  test("a budget in steps ends it, each run counted as a thousand more", async () => {
    const why = await explained(HOSTILE, 1, { checker: "I1", costMax: 12_345 });
    expect(why.isComplete).toBe(false);
    const cost = why.steps + 1_000 * why.runs;
    expect(cost).toBeGreaterThanOrEqual(12_345);
    expect(cost).toBeLessThan(15_000);
  });

  test("a scenario that breaks in every run: nothing rises, and its fault is needed", async () => {
    const always = parseScenario(
      `{ story: x, world: tasks, tasks: [{ name: report, operator: plain }], workers: 1,
         faults: [{ at: 1200ms, crash: worker-1 }, { at: 40s, pause: worker-1, for: 1s }],
         phases: { safety: 60s }, expect: { checkers: [R-I1] } }`,
      "always",
    );
    const why = await explained(always, 1, { runsMax: 320 });
    expect(why).toMatchObject({ certainFrom: 0, rises: [], isComplete: true });
    const listed = why.counterfactuals.singles.filter(
      ({ parts: [one] }) => one?.path !== undefined,
    );
    expect(listed.map(({ parts: [one], without }) => [one?.words, without])).toEqual([
      ["crash worker-1 at 1200ms", "holds"],
    ]);
    const text = whyTextFrom(whyDocumentFrom(why), { scenario: "always", seed: 1 }, PLAIN);
    expect(text).toContain("the scenario itself breaks it");
    expect(text).toContain("needed: faults[0] (crash worker-1 at 1200ms)");
    expect(text).not.toContain("Not tried");
  });

  test("ends with what is known when it is aborted", async () => {
    const ending = new AbortController();
    const why = await explained(HOSTILE, 1, {
      checker: "I1",
      signal: ending.signal,
      onProgress: ({ runs }) => runs === 30 && ending.abort(),
    });
    expect(why).toMatchObject({ runs: 30, isComplete: false });
    const text = whyTextFrom(whyDocumentFrom(why), { scenario: "hostile", seed: 1 }, PLAIN);
    expect(text).toContain("BROKEN  hostile, seed 1");
  });

  test("refuses a run that holds, a promise that holds, and a run that is not the recorded one", async () => {
    const { choices } = await simulate(HOSTILE, { seed: 1 });
    const run = { seed: 1, replay: choices };
    await expect(explainFailure(HOSTILE, { ...run, checker: "I14" })).rejects.toThrow(
      new NothingToExplain('Cannot explain "hostile": the run holds promise I14'),
    );
    const ours = parseScenario("{ story: x, world: manager, operations: 10 }", "ours");
    await expect(explained(ours, 1)).rejects.toThrow(
      new NothingToExplain('Cannot explain "ours": the run holds all promises'),
    );
    await expect(
      explainFailure(HOSTILE, { ...run, digest: "0".repeat(64) }),
    ).rejects.toBeInstanceOf(ReplayDiffers);
  });
});
