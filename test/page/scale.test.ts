import { describe, expect, it } from "vitest";
import { labelStep, Scale } from "../../sim/page/timeline/scale.ts";

function scale(...times: readonly number[]): Scale {
  const made = new Scale(Float64Array.from(times));
  made.width = 100;
  return made;
}

describe("Scale", () => {
  it("finds the first event at or after a position on either axis", () => {
    const one = scale(0, 5, 5, 9);
    expect([0, 1, 5, 6, 10].map((position) => one.eventAt(position))).toEqual([0, 1, 1, 3, 4]);
    one.setAxis("events", 0);
    expect([-3, 0.5, 2, 17].map((position) => one.eventAt(position))).toEqual([0, 1, 2, 4]);
  });

  it("zooms about a pixel, whose position stays where it is", () => {
    const one = scale(0, 1_000);
    one.show(200, 800);
    const before = one.positionAt(30);
    one.zoom(0.5, 30);
    expect(one.positionAt(30)).toBeCloseTo(before);
    expect(one.to - one.from).toBeCloseTo(300);
  });

  it("never leaves the run", () => {
    const one = scale(0, 1_000);
    one.pan(-1e9);
    expect(one.from).toBe(0);
    one.zoom(0.1, 50);
    one.pan(1e9);
    expect(one.to).toBeCloseTo(1_001);
    one.zoom(1e9, 50);
    expect([one.from, one.to]).toEqual([0, 1_001]);
  });

  it("keeps an event in its place when the axis changes", () => {
    const one = scale(0, 10, 20, 300, 310, 900);
    one.show(0, 400);
    const x = one.xOf(3);
    one.setAxis("events", 3);
    expect(Math.abs(one.xOf(3) - x)).toBeLessThan(40);
    expect(one.xOf(3)).toBeGreaterThanOrEqual(0);
  });

  it("brings an event into view, and moves nothing for one that is", () => {
    const one = scale(0, 500, 1_000);
    one.show(400, 600);
    const before = one.from;
    one.reveal(1);
    expect(one.from).toBe(before);
    one.reveal(2);
    expect(one.xOf(2)).toBeGreaterThan(0);
    expect(one.xOf(2)).toBeLessThanOrEqual(100);
  });
});

describe("labelStep()", () => {
  it("is 1, 2 or 5 times a power of ten, and wide enough", () => {
    expect(labelStep(1, 90)).toBe(100);
    expect(labelStep(0.01, 90)).toBe(1);
    expect(labelStep(3, 50)).toBe(200);
    expect(labelStep(6, 50)).toBe(500);
  });
});
