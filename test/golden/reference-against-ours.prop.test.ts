import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptOf } from "../arbitraries/shared-stream-script.ts";
import { createOurs, createReference } from "./managers.ts";
import { firstMismatch, type Mismatch, observe, textFromMismatch } from "./replay.ts";
import { FAMILIES } from "./script-families.ts";
import type { Script, ScriptStep } from "./script.ts";

const RUNS = { numRuns: 400, seed: 20_330 };

async function partingOf(script: Script): Promise<Mismatch | undefined> {
  const expected = await observe(script, createReference);
  return firstMismatch(script, expected, await observe(script, createOurs));
}

/** The law: a script shows the same on both managers, step by step. */
async function showsTheSame(script: Script): Promise<void> {
  const mismatch = await partingOf(script);
  if (mismatch !== undefined) throw new Error(textFromMismatch(mismatch));
}

describe("the reference and ours", () => {
  it.each(FAMILIES)("show the same for every script of %s", async (_, family) => {
    await fc.assert(fc.asyncProperty(scriptOf(family), showsTheSame), RUNS);
  });
});

/** What the generated scripts must get to see, or the law would hold of too little. */
const SIGHTS: readonly RegExp[] = [
  /^open:/,
  /^aclose:/,
  /^bound: .*true/,
  /^bound: .*false/,
  /^unsubscribed:/,
  /^stopped:/,
  /event \d+/,
  /error "overflow"/,
  /error "ackTimeout"/,
  /error "pollTerminated"/,
  /error "pollFailed"/,
  /error "advanceFailed"/,
  /error "laneFailed"/,
  /error "factoryFailed"/,
  /^advance .*\[\d+,[2-9],0,0,true\]/,
  /^advance .*\[\d+,0,0,0,false\]/,
  /^advance .*\[\d+,[1-9],[1-9],0,false\]/,
  /^advance .*\[\d+,[1-9],0,[1-9],false\]/,
  /^advance .*\], \[\d+/,
  /^groups: ack-a ack-b fast/,
];

describe("the generated scripts", () => {
  it("get to see every kind of event, error, outcome and group", async () => {
    const lines: string[] = [];
    for (const [, family] of FAMILIES) {
      for (const script of fc.sample(scriptOf(family), RUNS)) {
        lines.push(...(await observe(script, createReference)).flat());
      }
    }
    expect(SIGHTS.filter((sight) => !lines.some((line) => sight.test(line)))).toEqual([]);
  });
});

const CONFIG = { maxSubscriberQueue: 8, ackTimeoutSeconds: 10, cohortGraceSeconds: 0 };
const KEY = "ack-a";

function scriptFrom(steps: readonly ScriptStep[]): Script {
  return { name: "A written script", config: CONFIG, steps };
}

const joins = (id: number, key = KEY): ScriptStep => ({ op: "subscribe", id, key });
const leaves = (id: number): ScriptStep => ({ op: "unsubscribe", id, key: KEY });
const pulls = (id: number): ScriptStep => ({ op: "pull", id, key: KEY });
const binds = (id: number): ScriptStep => ({ op: "bind", id, key: KEY });
const rejects = (id: number): ScriptStep => ({ op: "reject", id, key: KEY });
const ticks = (seconds: number): ScriptStep => ({ op: "tick", seconds });
const advances = (mode: "block" | "abort"): ScriptStep => ({ op: "mode", key: KEY, mode });
const stopsAll: ScriptStep = { op: "stopAll" };
const pollFails: ScriptStep = { op: "pollFail", key: KEY };

function yields(raw: number, lane = "p0"): ScriptStep {
  return { op: "produce", key: KEY, items: [{ raw, lane }] };
}

/**
 * For each exclusion a script, and the step after which the two managers show different things.
 */
const PARTINGS: readonly (readonly [number: string, steps: readonly ScriptStep[]])[] = [
  ["E-01", [joins(1), advances("abort"), pulls(1), yields(1), pulls(1)]],
  [
    "E-06",
    [joins(2), joins(1), pulls(1), yields(1), binds(1), leaves(1), joins(1), pulls(1), ticks(10)],
  ],
  ["E-08", [joins(1), pollFails, joins(1), leaves(1)]],
  [
    "E-09",
    [joins(2), joins(1), pulls(1), yields(1), binds(1), leaves(1), rejects(1), pulls(2), pulls(2)],
  ],
  [
    "E-12",
    [
      ...[joins(1), yields(1, "p0"), yields(2, "p1"), pulls(1), yields(3, "p0"), pulls(1)],
      ...[advances("block"), ticks(11)],
    ],
  ],
  [
    "E-15",
    [joins(1), advances("block"), pulls(1), yields(1), pulls(1), joins(1, "ack-b"), stopsAll],
  ],
];

describe("a script that is left out", () => {
  it.each(PARTINGS)("parts the two where %s applies", async (_, steps) => {
    const mismatch = await partingOf(scriptFrom(steps));
    expect(mismatch?.at, "the step after which they part").toBe(steps.length - 1);
  });
});

/** How many siblings there are, and how many events they have all passed when the pump runs. */
const cohort = fc.record({
  siblings: fc.integer({ min: 1, max: 4 }),
  events: fc.integer({ min: 1, max: 5 }),
  laterEvents: fc.integer({ min: 1, max: 5 }),
  seconds: fc.constantFrom(1, 10, 12, 300),
});

describe("an advance that rejects as if it had been cancelled (E-01)", () => {
  it("ends the group on ours for every cohort, and on the reference all settling", async () => {
    await fc.assert(
      fc.asyncProperty(cohort, async ({ siblings, events, laterEvents, seconds }) => {
        const ids = Array.from({ length: siblings }, (_, at) => at + 1);
        const pass = (raw: number): ScriptStep[] => [yields(raw), ...ids.map(pulls)];
        const steps = [...ids.map((id) => joins(id)), ...ids.map(pulls)];
        for (let raw = 1; raw < events; raw += 1) steps.push(...pass(raw));
        steps.push(advances("abort"), ...pass(events));
        const fatal = steps.length - 1;
        steps.push({ op: "mode", key: KEY, mode: "ok" });
        for (let raw = 1; raw <= laterEvents; raw += 1) steps.push(...pass(events + raw));
        steps.push(ticks(seconds));
        const script = scriptFrom(steps);

        const ours = (await observe(script, createOurs))[fatal] ?? [];
        expect(ours).toContain("groups: ");
        expect(ours).toContain(`aclose: "${KEY}"`);
        for (const id of ids) {
          expect(ours).toContain(`subscriber ${id} of "${KEY}": error "advanceCancelled"`);
        }

        const reference = (await observe(script, createReference)).slice(fatal);
        expect(reference[0]).toContain(`groups: ${KEY}`);
        const after = reference.slice(1).flat();
        expect(after.filter((line) => line.includes("advance") || line.includes("error"))).toEqual(
          [],
        );
        expect(after.filter((line) => line.startsWith("subscriber"))).toHaveLength(
          laterEvents * siblings,
        );
        expect(reference.at(-1)).toContain(`groups: ${KEY}`);
      }),
      { numRuns: 100, seed: 20_330 },
    );
  });
});

/** What a trigger does before it leaves with something unconfirmed, and after it came back. */
const returning = fc.record({
  passed: fc.integer({ min: 0, max: 3 }),
  isClosed: fc.boolean(),
  pause: fc.integer({ min: 0, max: 4 }),
  laterEvents: fc.integer({ min: 0, max: 3 }),
});

describe("a trigger that subscribes again with its id while something is unconfirmed (E-06)", () => {
  it("gets no timeout on ours for every way back, and on the reference always", async () => {
    await fc.assert(
      fc.asyncProperty(returning, async ({ passed, isClosed, pause, laterEvents }) => {
        const [sibling, returner] = [2, 1];
        const pass = (raw: number): ScriptStep[] => [yields(raw), pulls(returner), pulls(sibling)];
        const steps = [joins(sibling), joins(returner), pulls(sibling), pulls(returner)];
        for (let raw = 1; raw <= passed; raw += 1) steps.push(...pass(raw));
        steps.push(yields(passed + 1), pulls(sibling), binds(returner));
        if (isClosed) steps.push(pulls(returner));
        steps.push(leaves(returner), ticks(pause), joins(returner), pulls(returner));
        const back = steps.length;
        for (let at = 1; at <= laterEvents; at += 1) steps.push(...pass(passed + 1 + at));
        steps.push(ticks(12 - pause));
        const script = scriptFrom(steps);
        const timeout = `subscriber ${returner} of "${KEY}": error "ackTimeout"`;
        const isTimedOut = async (createManager: typeof createOurs): Promise<boolean> =>
          (await observe(script, createManager)).slice(back).flat().includes(timeout);

        expect(await isTimedOut(createOurs)).toBe(false);
        expect(await isTimedOut(createReference)).toBe(true);
      }),
      { numRuns: 100, seed: 20_330 },
    );
  });
});
