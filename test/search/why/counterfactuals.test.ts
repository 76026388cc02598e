import { describe, expect, test } from "vitest";
import { type Choices, SeededChoices } from "../../../sim/choices/choices.ts";
import { parseScenario } from "../../../sim/scenario/parse.ts";
import type { Scenario } from "../../../sim/scenario/scenario.ts";
import {
  type Counterfactuals,
  PartsLeftOut,
  type TryRun,
  type WithoutPart,
} from "../../../sim/search/why/counterfactuals.ts";
import { type RunPart, scenarioWithout } from "../../../sim/search/why/run-parts.ts";

const SCENARIO = parseScenario("{ story: x, world: manager }", "acts");
const ACTS = 6;

/** The acts of a run; an act of 2 makes an additional choice. */
function actsOf(choices: Choices): readonly number[] {
  const client = choices.stream("workload", "client");
  return Array.from({ length: ACTS }, () => {
    const act = client.choose(4, "act");
    return act === 2 ? 10 + client.choose(3, "detail") : act;
  });
}

/** A run that breaks if its acts do so. */
function runs(isBroken: (acts: readonly number[]) => boolean): TryRun {
  return async (_, choices) => {
    const acts = actsOf(choices);
    return { isBroken: isBroken(acts), digest: acts.join() };
  };
}

/** The first seed whose run has one act of 2 at least, and three that differ from 0. */
function recordingOf(): { readonly recording: SeededChoices; readonly acts: readonly number[] } {
  for (let seed = 1; ; seed += 1) {
    const recording = new SeededChoices(seed);
    const acts = actsOf(recording);
    if (acts[0] === 12 && acts[2] === 3 && acts[4] === 1) return { recording, acts };
  }
}

const { recording, acts } = recordingOf();
const choices = recording.recorded();
/** The choice of each act. */
const actAt = choices.flatMap(({ label }, at) => (label === "act" ? [at] : []));

function partOf(choice: number): RunPart {
  return { kind: "act", path: undefined, choice, words: `choice ${choice}`, part: undefined };
}

interface LeftOut {
  all(parts: readonly RunPart[]): Promise<Counterfactuals>;
  without(parts: readonly RunPart[]): Promise<WithoutPart | undefined>;
}

function leaveOut(tryRun: TryRun): LeftOut {
  const left = new PartsLeftOut({ scenario: SCENARIO, recording: choices, digest: acts.join() });
  return {
    all: (parts) => left.all(parts, tryRun),
    without: (parts) => left.without(parts, tryRun),
  };
}

const [first = 0, , third = 0, , fifth = 0] = actAt;

describe("PartsLeftOut", () => {
  test("a part is needed if the promise holds without it, and only then", async () => {
    const left = leaveOut(runs((made) => made[2] === 3));
    const { singles, pairs, untried } = await left.all([first, third, fifth].map(partOf));
    expect(singles.map(({ parts, without }) => [parts[0]?.choice, without])).toEqual([
      [first, "breaks"],
      [third, "holds"],
      [fifth, "breaks"],
    ]);
    expect([pairs, untried]).toEqual([[], 0]);
  });

  test("of two parts of which one is enough, neither is needed alone, and the pair is", async () => {
    const left = leaveOut(runs((made) => made[2] === 3 || made[4] === 1));
    const found = await left.all([first, third, fifth].map(partOf));
    expect(found.singles.map(({ without }) => without)).toEqual(["breaks", "breaks", "breaks"]);
    expect(found.withoutAll).toBe("holds");
    expect(found.pairs.map(({ parts }) => parts.map(({ choice }) => choice))).toEqual([
      [third, fifth],
    ]);
  });

  test("nothing is needed where the run breaks without all of them", async () => {
    const found = await leaveOut(runs(() => true)).all([first, third].map(partOf));
    expect(found).toMatchObject({ withoutAll: "breaks", pairs: [] });
  });

  test("the others stay what they were when an act with a choice of its own is left out", async () => {
    const others = acts.slice(1).join();
    const left = leaveOut(runs((made) => made.slice(1).join() === others));
    expect(await left.without([partOf(first)])).toBe("breaks");
  });

  test("a part without which the run is the same is none", async () => {
    const same: TryRun = async () => ({ isBroken: true, digest: acts.join() });
    expect(await leaveOut(same).without([partOf(first)])).toBe("same");
    expect((await leaveOut(same).all([partOf(first)])).singles).toEqual([]);
  });

  test("ends where the budget does, and counts what was not tried", async () => {
    let left = 2;
    const tryRun: TryRun = async (scenario, made) => {
      left -= 1;
      return left < 0 ? undefined : runs(() => true)(scenario, made);
    };
    const found = await leaveOut(tryRun).all([first, third, fifth].map(partOf));
    expect(found.singles).toHaveLength(2);
    expect(found).toMatchObject({ untried: 1, pairsUntried: 1, isWhole: false });
  });

  test("goes on where it ended, and makes no run again", async () => {
    const parts = [first, third, fifth].map(partOf);
    let made = 0;
    let most = Infinity;
    const tryRun: TryRun = async (scenario, choosing) => {
      if (made >= most) return undefined;
      made += 1;
      return runs((all) => all[2] === 3 || all[4] === 1)(scenario, choosing);
    };
    const whole = await leaveOut(tryRun).all(parts);
    const needed = made;
    expect(whole).toMatchObject({ untried: 0, pairsUntried: 0, isWhole: true });
    const cut = leaveOut(tryRun);
    for (const tried of [1, 2, 3]) {
      most = made + 1;
      expect(await cut.all(parts)).toMatchObject({ untried: 3 - tried, isWhole: false });
    }
    most = Infinity;
    expect(await cut.all(parts)).toEqual(whole);
    expect(made).toBe(2 * needed);
  });
});

describe("scenarioWithout()", () => {
  const producer = parseScenario(
    `{ story: x, world: producer, producer: ./x.ts, broker: { kafka: { partitions: 1 } },
       records: [{ at: 1s, publish: ref-000001, key: a }, { at: 2s, publish: ref-000002, key: a }],
       subscribers: [{ subscriber: 1 }],
       behaviours: [{ subscriber: 1, on: ref-000001, does: reject }],
       faults: [{ at: 500ms, crash: triggerer }] }`,
    "producer",
  );

  function listed(list: "records" | "faults", at: number): RunPart {
    const part = (producer as unknown as Record<string, readonly object[]>)[list]?.[at];
    return { kind: "act", path: `${list}[${at}]`, choice: undefined, words: "", part };
  }

  const lengths = (scenario: Scenario | undefined): readonly number[] =>
    ["records", "behaviours", "faults"].map((name) => {
      const members: Readonly<Record<string, unknown>> = { ...scenario };
      return (members[name] as readonly unknown[]).length;
    });

  test("leaves out a fault", () => {
    expect(lengths(scenarioWithout(producer, [listed("faults", 0)]))).toEqual([2, 1, 0]);
  });

  test("leaves out what makes no sense without an act", () => {
    expect(lengths(scenarioWithout(producer, [listed("records", 0)]))).toEqual([1, 0, 1]);
  });

  test("returns the scenario itself where only drawn parts are left out", () => {
    expect(scenarioWithout(producer, [partOf(3)])).toBe(producer);
  });
});
