import { describe, expect, test } from "vitest";
import { wilsonInterval, Z_95, Z_99 } from "../../../sim/search/why/wilson.ts";

describe("wilsonInterval()", () => {
  // Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %d of %d is %d to %d", (hits, runs, low, high) => {
    const interval = wilsonInterval(hits, runs);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test("reaches 1 when all runs hit, and says nothing without a run", () => {
    expect(wilsonInterval(20, 20)).toEqual({ low: expect.closeTo(0.8389, 4) as number, high: 1 });
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });

  test("for every share the interval contains it, is mirrored, and is wider for 99 than for 95", () => {
    for (let runs = 1; runs <= 60; runs += 1) {
      for (let hits = 0; hits <= runs; hits += 1) {
        const { low, high } = wilsonInterval(hits, runs, Z_95);
        const wide = wilsonInterval(hits, runs, Z_99);
        const mirrored = wilsonInterval(runs - hits, runs, Z_95);
        expect(low).toBeLessThanOrEqual(hits / runs);
        expect(high).toBeGreaterThanOrEqual(hits / runs);
        expect(wide.low).toBeLessThanOrEqual(low);
        expect(wide.high).toBeGreaterThanOrEqual(high);
        expect(mirrored.low).toBeCloseTo(1 - high, 12);
      }
    }
  });
});
