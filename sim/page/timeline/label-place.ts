import type { Bars } from "../lanes/lane.ts";
import { placeAfter } from "./level-of-detail.ts";
import type { Scale } from "./scale.ts";

/** A label in a narrower place cannot be read. */
const WIDTH_MIN = 34;

/** Where a label stands, and the event that its bar begins with. */
export interface LabelPlace {
  readonly x: number;
  readonly width: number;
  readonly event: number;
  /** The place of the bar's tone. */
  readonly tone: number;
}

/**
 * Returns a place on each bar that is wide enough in view. Bars do not overlap: it is enough to
 * look at some pixels, however many bars there are.
 */
export function placesOn({ from, to, tones }: Bars, scale: Scale): readonly LabelPlace[] {
  const places: LabelPlace[] = [];
  let next = 0;
  for (let pixel = 0; pixel < scale.width; pixel += WIDTH_MIN) {
    const at = placeAfter(to, scale, pixel);
    const event = from[at];
    if (event === undefined) break;
    const x = Math.max(scale.xOf(event), 0);
    const width = Math.min(scale.xOf(to[at] ?? 0), scale.width) - x;
    if (at < next || x > pixel || width < WIDTH_MIN) continue;
    places.push({ x, width, event, tone: tones[at] ?? 0 });
    next = at + 1;
  }
  return places;
}

/**
 * Returns the part of a place on which no span lies: the first that is as wide as the label needs,
 * else the first that can have any.
 */
export function freePart(
  place: LabelPlace,
  spans: Bars,
  scale: Scale,
  needed: number,
): LabelPlace | undefined {
  const widthMin = Math.max(needed, WIDTH_MIN);
  return firstGap(place, spans, scale, widthMin) ?? firstGap(place, spans, scale, WIDTH_MIN);
}

function firstGap(
  place: LabelPlace,
  { from, to }: Bars,
  scale: Scale,
  widthMin: number,
): LabelPlace | undefined {
  const end = place.x + place.width;
  let { x } = place;
  while (x + widthMin <= end) {
    const event = from[placeAfter(to, scale, x)];
    const width = Math.min(event === undefined ? end : scale.xOf(event), end) - x;
    if (width >= widthMin) return { ...place, x, width };
    // On to the end of the last span that begins too near: all gaps before it are too narrow.
    x = scale.xOf(to[placeAfter(from, scale, x + widthMin) - 1] ?? 0);
  }
  return undefined;
}
