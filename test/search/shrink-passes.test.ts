import { describe, expect, test } from "vitest";
import {
  fewerActs,
  smallerCounts,
  wholeSeconds,
  withoutPair,
} from "../../sim/search/shrink/shrink-acts.ts";
import { simplerText, simplerValue } from "../../sim/search/shrink/shrink-value.ts";
import { shrink, type ShrinkPass } from "../../sim/search/shrink/shrink.ts";

/** What a pass makes of a subject, as long as `fails` says so. */
async function shrunk<S>(
  subject: S,
  pass: ShrinkPass<S>,
  fails: (candidate: S) => boolean,
): Promise<S> {
  const found = await shrink(subject, { stages: [[["pass", pass]]], stillFails: fails });
  expect(found.isMinimal).toBe(true);
  const again = await shrink(found.subject, { stages: [[["pass", pass]]], stillFails: fails });
  expect(again.subject).toEqual(found.subject);
  return found.subject;
}

interface Act {
  readonly kind: string;
  readonly at?: number;
  readonly verdict?: { readonly nth: number };
}

describe("fewerActs()", () => {
  test("removes only picked acts, also when one act is listed twice", async () => {
    const [crash, publish]: readonly Act[] = [{ kind: "crash" }, { kind: "publish" }];
    const acts = [crash, publish, crash, publish] as readonly Act[];
    const left = await shrunk(
      acts,
      (all) => fewerActs(all, ({ kind }) => kind === "crash"),
      (all) => all.some(({ kind }) => kind === "crash"),
    );
    expect(left.map(({ kind }) => kind)).toEqual(["crash", "publish", "publish"]);
  });
});

describe("withoutPair()", () => {
  test("removes two acts that single steps cannot remove", async () => {
    const isBalanced = (acts: readonly string[]): boolean =>
      acts.includes("bug") && acts.includes("cut") === acts.includes("heal");
    const acts: readonly string[] = ["cut", "bug", "heal"];
    expect(await shrunk(acts, withoutPair, isBalanced)).toEqual(["bug"]);
  });
});

describe("smallerCounts() and wholeSeconds()", () => {
  const acts: readonly Act[] = [{ kind: "strike", at: 12_437, verdict: { nth: 7 } }];

  test("lowers counts toward 1, wherever the member is", async () => {
    const counts = (all: readonly Act[]): ReturnType<typeof smallerCounts<Act>> =>
      smallerCounts(all, new Set(["nth"]));
    const [act] = await shrunk(acts, counts, ([one]) => (one?.verdict?.nth ?? 0) >= 3);
    expect(act).toEqual({ kind: "strike", at: 12_437, verdict: { nth: 3 } });
  });

  test("rounds to the nearest second that still fails", async () => {
    const seconds = (all: readonly Act[]): ReturnType<typeof wholeSeconds<Act>> =>
      wholeSeconds(all, new Set(["at"]));
    const [nearest] = await shrunk(acts, seconds, () => true);
    const [later] = await shrunk(acts, seconds, ([one]) => (one?.at ?? 0) > 12_400);
    expect([nearest?.at, later?.at]).toEqual([12_000, 13_000]);
  });
});

describe("simplerValue()", () => {
  const cases: readonly (readonly [string, unknown, (value: unknown) => boolean, unknown])[] = [
    ["a number", 4_711, (value) => (value as number) > 40, 41],
    ["a negative fraction", -3.7, (value) => (value as number) < 0, -1],
    ["true", true, () => true, false],
    ["text", "bärenhunger", (value) => String(value).includes("r"), "r"],
    ["what holds", { a: [1, { b: "deep" }] }, () => true, 0],
    ["an array", [5, 6, 7], (value) => Array.isArray(value) && value.length > 1, [0, 0]],
    [
      "a member's name",
      { "x y": null, z: 1 },
      (value) => typeof value === "object" && Object.keys(value ?? {}).includes("x y"),
      { "x y": null },
    ],
  ];
  for (const [what, value, fails, small] of cases) {
    test(`makes ${what} as simple as possible`, async () => {
      expect(await shrunk(value, simplerValue, fails)).toEqual(small);
    });
  }

  test("keeps whole letters of text", async () => {
    const fails = (text: string): boolean => text.length >= 2;
    expect(await shrunk("a\u{1f600}b", simplerText, fails)).toMatch(/^(aa|\u{1f600})$/u);
  });
});
