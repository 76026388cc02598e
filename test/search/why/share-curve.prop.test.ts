import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Chance, chanceOf } from "../../../sim/search/strategy/chance.ts";
import { type CurvePoint, ShareCurve } from "../../../sim/search/why/share-curve.ts";

/** In so many of a thousand runs that take `taken` choices the promise breaks. */
type ShareOf = (taken: number) => number;

/** Measures all that the curve asks for; calls `onStep` after each measurement. */
function measured(
  length: number,
  shareOf: ShareOf,
  seed: number,
  onStep: (points: readonly CurvePoint[]) => void = () => undefined,
): ShareCurve {
  const curve = new ShareCurve(length);
  const chance: Chance = chanceOf(seed, "share curve");
  for (let steps = 0; steps < 10_000; steps += 1) {
    const measurement = curve.next();
    if (measurement === undefined) return curve;
    const { taken, runs } = measurement;
    let broken = 0;
    for (let run = 0; run < runs; run += 1) if (chance(1_000) < shareOf(taken)) broken += 1;
    curve.add({ taken, runs, broken });
    onStep(curve.points);
  }
  throw new Error("The curve asks for ever more");
}

const lengths = fc.integer({ min: 2, max: 2_000 });
const seeds = fc.integer({ min: 0, max: 1_000_000 });

describe("ShareCurve", () => {
  test("for every curve with one step, the step is found to the choice", () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 0, max: 1_999 }), seeds, (length, place, seed) => {
        const step = place % length;
        const curve = measured(length, (taken) => (taken <= step ? 100 : 900), seed);
        const [steepest] = curve.rises();
        expect([steepest?.from.taken, steepest?.to.taken]).toEqual([step, step + 1]);
      }),
      { numRuns: 100 },
    );
  });

  test("for every curve with two steps far apart, both are found", () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 2_000 }), seeds, (length, seed) => {
        const [first, second] = [length >> 2, (length >> 1) + 3];
        const shareOf: ShareOf = (taken) => (taken <= first ? 20 : taken <= second ? 450 : 1_000);
        const found = measured(length, shareOf, seed).rises();
        const starts = found.slice(0, 2).map(({ from, to }) => [from.taken, to.taken]);
        expect(starts.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
          [first, first + 1],
          [second, second + 1],
        ]);
      }),
      { numRuns: 50 },
    );
  });

  test("for every flat curve nothing rises but the last interval, to the run itself", () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 0, max: 600 }), seeds, (length, share, seed) => {
        const curve = measured(length, () => share, seed);
        const [steepest] = curve.rises();
        expect([steepest?.from.taken, steepest?.to.taken]).toEqual([length - 1, length]);
      }),
      { numRuns: 50 },
    );
  });

  test("for every curve that is certain everywhere nothing rises", () => {
    fc.assert(
      fc.property(lengths, (length) => {
        const curve = measured(length, () => 1_000, 1);
        expect(curve.rises()).toEqual([]);
        expect(curve.certainFrom).toBe(0);
      }),
    );
  });

  test("for every measurement, points stay and grow, in order, the run itself last", () => {
    fc.assert(
      fc.property(lengths, seeds, (length, seed) => {
        const shares = chanceOf(seed, "shares");
        const steps = Array.from({ length: 5 }, () => [shares(length), shares(300)] as const);
        const shareOf: ShareOf = (taken) =>
          steps.reduce((all, [at, rise]) => (taken > at ? all + rise : all), 0);
        let before: readonly CurvePoint[] = [];
        const curve = measured(length, shareOf, seed, (points) => {
          for (const { taken, runs } of before) {
            expect(points.find((one) => one.taken === taken)?.runs).toBeGreaterThanOrEqual(runs);
          }
          before = [...points];
        });
        const places = curve.points.map(({ taken }) => taken);
        expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
        expect(curve.points.at(-1)).toEqual({ taken: length, runs: 1, broken: 1 });
        const rises = curve.rises().toSorted((a, b) => a.from.taken - b.from.taken);
        for (const [at, { from, to }] of rises.entries()) {
          expect(to.broken * from.runs).toBeGreaterThan(from.broken * to.runs);
          expect(to.taken).toBeLessThanOrEqual(rises[at + 1]?.from.taken ?? length);
        }
      }),
      { numRuns: 10 },
    );
  });

  test("for every seed the same runs give the same curve", () => {
    fc.assert(
      fc.property(lengths, seeds, (length, seed) => {
        const shareOf: ShareOf = (taken) => Math.floor((taken * 1_000) / length);
        expect(measured(length, shareOf, seed).points).toEqual(
          measured(length, shareOf, seed).points,
        );
      }),
      { numRuns: 20 },
    );
  });
});
