import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bars } from "../../sim/page/lanes/lane.ts";
import { freePart, placesOn } from "../../sim/page/timeline/label-place.ts";
import { Scale } from "../../sim/page/timeline/scale.ts";

/** An event at every millisecond, a pixel each from `from` on. */
function scaleFrom(from: number, width = 500): Scale {
  const scale = new Scale(Float64Array.from({ length: 2_000 }, (_, at) => at));
  scale.width = width;
  scale.show(from, from + width);
  return scale;
}

function bars(...stretches: readonly (readonly [from: number, to: number])[]): Bars {
  return {
    from: Uint32Array.from(stretches, ([from]) => from),
    to: Uint32Array.from(stretches, ([, to]) => to),
    tones: Uint8Array.from(stretches, () => 3),
  };
}

/** Stretches that do not overlap, in order. */
const someBars = fc
  .array(fc.tuple(fc.nat(120), fc.integer({ min: 1, max: 120 })), { maxLength: 20 })
  .map((gaps) => {
    let at = 0;
    return gaps.map(([gap, length]): [number, number] => {
      const from = at + gap;
      at = from + length;
      return [from, at];
    });
  });

/** Where the one bar's label stands: the pixels. */
function placeOn(bar: readonly [number, number], spans: Bars, scale: Scale) {
  const [place] = placesOn(bars(bar), scale);
  const free = place && freePart(place, spans, scale, 80);
  return free && [free.x, free.x + free.width];
}

describe("placesOn()", () => {
  it("for every view, is each bar of which 34 pixels are in view", () => {
    fc.assert(
      fc.property(someBars, fc.nat(1_000), (stretches, from) => {
        const scale = scaleFrom(from);
        const inView = stretches
          .map(([begin, end]) => [Math.max(begin - from, 0), Math.min(end - from, 500), begin])
          .filter(([begin = 0, end = 0]) => end - begin >= 34);
        expect(
          placesOn(bars(...stretches), scale).map(({ x, width, event }) => [x, x + width, event]),
        ).toEqual(inView);
      }),
    );
  });
});

describe("freePart()", () => {
  it("is after a span with which the bar begins in view", () => {
    const spans = bars([100, 300], [600, 610]);
    expect(placeOn([100, 2_000], spans, scaleFrom(100))).toEqual([200, 500]);
    expect(placeOn([100, 2_000], spans, scaleFrom(250))).toEqual([50, 350]);
    expect(placeOn([100, 2_000], spans, scaleFrom(400))).toEqual([0, 200]);
  });

  it("is the first that has room, else one that is narrow", () => {
    const spans = bars([40, 50], [60, 200], [300, 310]);
    expect(placeOn([0, 400], spans, scaleFrom(0))).toEqual([200, 300]);
    expect(placeOn([0, 250], spans, scaleFrom(0))).toEqual([0, 40]);
  });

  it("is none where spans leave too little", () => {
    expect(placeOn([0, 300], bars([5, 295]), scaleFrom(0))).toBeUndefined();
    expect(placeOn([0, 30], bars(), scaleFrom(0))).toBeUndefined();
  });

  it("for every view, is the first stretch without a span that is wide enough", () => {
    fc.assert(
      fc.property(someBars, fc.nat(1_000), (spans, from) => {
        const begins = [from, ...spans.map(([, end]) => Math.max(end, from))];
        const stretches = begins
          .map((begin) => {
            const after = spans.find(([, end]) => end > begin)?.[0] ?? Number.POSITIVE_INFINITY;
            return [begin - from, Math.min(after - from, 500)];
          })
          .toSorted(([one = 0], [other = 0]) => one - other);
        const wide = (least: number) =>
          stretches.find(([begin = 0, end = 0]) => end - begin >= least);
        const place = placeOn([0, 2_000], bars(...spans), scaleFrom(from));
        expect(place).toEqual(wide(80) ?? wide(34));
      }),
    );
  });
});
