import * as fc from "fast-check";
import { expect, it } from "vitest";
import { drawnBars, drawnMarks, drawnTicks } from "../../sim/page/timeline/level-of-detail.ts";
import { type Axis, Scale } from "../../sim/page/timeline/scale.ts";

const WIDTH = 40;

interface View {
  readonly times: readonly number[];
  readonly axis: Axis;
  readonly from: number;
  readonly length: number;
  readonly step: number;
}

const views: fc.Arbitrary<View> = fc.record({
  times: fc
    .array(fc.nat(200), { minLength: 1, maxLength: 60 })
    .map((times) => times.toSorted((one, other) => one - other)),
  axis: fc.constantFrom("time", "events"),
  from: fc.nat(200),
  length: fc.integer({ min: 1, max: 250 }),
  step: fc.integer({ min: 1, max: 3 }),
});

function scaleOf({ times, axis, from, length }: View): Scale {
  const scale = new Scale(Float64Array.from(times));
  scale.width = WIDTH;
  scale.setAxis(axis, 0);
  scale.show(from, from + length);
  return scale;
}

function someEvents({ times, step }: View): Uint32Array {
  return Uint32Array.from(times.keys()).filter((event) => event % step === 0);
}

it("for every view, each mark in view is drawn within three pixels, and no two nearer than that", () => {
  fc.assert(
    fc.property(views, (view) => {
      const scale = scaleOf(view);
      const events = someEvents(view);
      const drawn = drawnMarks({ events, tones: new Uint8Array(events.length) }, scale);
      const inView = events.filter((event) => {
        const x = scale.xOf(event);
        return x >= -1 && x <= WIDTH + 1;
      });
      expect(drawn.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(
        inView.length,
      );
      for (const event of inView) {
        expect(drawn.some(({ x }) => scale.xOf(event) - x < 3 && scale.xOf(event) >= x)).toBe(true);
      }
      for (const [at, { x }] of drawn.entries()) {
        if (at > 0) expect(x - (drawn[at - 1]?.x ?? 0)).toBeGreaterThanOrEqual(3);
      }
    }),
  );
});

it("for every view, ticks are counted as many times as there are events in view", () => {
  fc.assert(
    fc.property(views, (view) => {
      const scale = scaleOf(view);
      const events = someEvents(view);
      let count = 0;
      drawnTicks(events, scale, (_, events) => (count += events));
      const inView = events.filter((event) => scale.xOf(event) >= 0 && scale.xOf(event) <= WIDTH);
      expect(count).toBeGreaterThanOrEqual(inView.length);
    }),
  );
});

it("for every view, a bar lies in view, and every bar that crosses it is drawn", () => {
  fc.assert(
    fc.property(views, (view) => {
      const scale = scaleOf(view);
      const from = someEvents(view);
      const to = from.map((event, at) => from[at + 1] ?? event + 1);
      const drawn = drawnBars({ from, to, tones: new Uint8Array(from.length) }, scale);
      for (const { x, width } of drawn) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(WIDTH);
        expect(width).toBeGreaterThanOrEqual(1);
      }
      for (const [at, event] of from.entries()) {
        const [begin, end] = [scale.xOf(event), scale.xOf(to[at] ?? 0)];
        if (end - begin < 1 || end <= 0 || begin >= WIDTH) continue;
        const [first, last] = [Math.max(begin, 0), Math.min(end, WIDTH)];
        const isDrawn = drawn.some(({ x, width }) => x <= first && x + width >= last - 1e-9);
        expect(isDrawn).toBe(true);
      }
    }),
  );
});
