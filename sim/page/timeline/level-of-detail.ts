import type { Bars, Marks } from "../lanes/lane.ts";
import type { Scale } from "./scale.ts";

/** Marks nearer to each other than this, in pixels, are drawn as one. */
const MARK_PITCH = 3;

/** How many of the things on one pixel are looked at to find the most striking. */
const LOOKED_AT_MAX = 64;

/** A bar, or several that are too short to be told apart. */
export interface DrawnBar {
  readonly x: number;
  readonly width: number;
  /** The place of the most striking tone among them. */
  readonly tone: number;
  /** The event that the first one begins with. */
  readonly event: number;
  readonly count: number;
}

/** A mark, or several that are too near to each other to be told apart. */
export interface DrawnMark {
  readonly x: number;
  readonly tone: number;
  readonly event: number;
  readonly count: number;
}

/**
 * Returns the bars in view: at most two for each pixel, however many there are. Short ones of one
 * tone that leave no gap between them are one.
 */
export function drawnBars({ from, to, tones }: Bars, scale: Scale): readonly DrawnBar[] {
  const drawn: DrawnBar[] = [];
  const first = firstWhere(to.length, (at) => scale.positionOf(to[at] ?? 0) >= scale.from);
  for (let at = first; at < from.length;) {
    const event = from[at] ?? 0;
    const x = scale.xOf(event);
    if (x > scale.width) break;
    const width = scale.xOf(to[at] ?? 0) - x;
    // A bar that ends beyond the pixel is drawn by itself.
    const next = width >= 1 ? at + 1 : firstAfter(to, at, scale, x + 1);
    const bar: DrawnBar = {
      x: Math.max(x, 0),
      width: Math.max(Math.min(width, scale.width - x, width + x), 1),
      tone: strongest(tones, at, next),
      event,
      count: next - at,
    };
    const last = drawn.at(-1);
    if (last !== undefined && areOne(last, bar)) drawn[drawn.length - 1] = joined(last, bar);
    else drawn.push(bar);
    at = next;
  }
  return drawn;
}

/** A bar at least this wide, in pixels, stands by itself. */
const WIDE = 3;

/** Whether the second bar begins where the first one, made of short ones, ends. */
function areOne(first: DrawnBar, second: DrawnBar): boolean {
  const isShort = second.width < WIDE && (first.count > 1 || first.width < WIDE);
  return isShort && first.tone === second.tone && second.x - (first.x + first.width) < 1;
}

function joined(first: DrawnBar, second: DrawnBar): DrawnBar {
  const end = Math.max(first.x + first.width, second.x + second.width);
  return { ...first, width: end - first.x, count: first.count + second.count };
}

/** Returns the marks in view: at most one for every few pixels, however many there are. */
export function drawnMarks({ events, tones }: Marks, scale: Scale): readonly DrawnMark[] {
  const drawn: DrawnMark[] = [];
  const first = firstWhere(events.length, (at) => scale.xOf(events[at] ?? 0) >= -1);
  for (let at = first; at < events.length;) {
    const event = events[at] ?? 0;
    const x = scale.xOf(event);
    if (x > scale.width + 1) break;
    const next = firstAfter(events, at, scale, x + MARK_PITCH);
    const place = strongestPlace(tones, at, next);
    drawn.push({ x, tone: tones[place] ?? 0, event: events[place] ?? event, count: next - at });
    at = next;
  }
  return drawn;
}

/** Calls `draw` for each pixel that has events in view, with how many it has. */
export function drawnTicks(
  events: Uint32Array,
  scale: Scale,
  draw: (x: number, count: number) => void,
): void {
  const first = firstWhere(events.length, (at) => scale.xOf(events[at] ?? 0) >= 0);
  for (let at = first; at < events.length;) {
    const x = scale.xOf(events[at] ?? 0);
    if (x > scale.width) break;
    const next = firstAfter(events, at, scale, x + 1);
    draw(x, next - at);
    at = next;
  }
}

/** Returns the event nearest to a pixel, if one is within `reach` pixels of it. */
export function nearestEvent(
  events: Uint32Array,
  scale: Scale,
  x: number,
  reach: number,
): number | undefined {
  const after = firstWhere(events.length, (at) => scale.xOf(events[at] ?? 0) >= x);
  const near = [events[after - 1], events[after]].filter((event) => event !== undefined);
  const distanceOf = (event: number): number => Math.abs(scale.xOf(event) - x);
  const [nearest] = near.toSorted((one, other) => distanceOf(one) - distanceOf(other));
  return nearest !== undefined && distanceOf(nearest) <= reach ? nearest : undefined;
}

/** Returns the bar at a pixel, by its first event. */
export function barAt({ from, to }: Bars, scale: Scale, x: number): number | undefined {
  const at = firstWhere(to.length, (place) => scale.xOf(to[place] ?? 0) >= x);
  const event = from[at];
  return event !== undefined && scale.xOf(event) <= x ? event : undefined;
}

/** Returns the place of the first of some events in order that lies to the right of a pixel. */
export function placeAfter(events: Uint32Array, scale: Scale, x: number): number {
  return firstWhere(events.length, (place) => scale.xOf(events[place] ?? 0) > x);
}

/** Returns the first place from 0 of which `is` holds; it holds of all after that. */
function firstWhere(length: number, is: (place: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (is(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the place of the first event at or to the right of a pixel, after the one at `at`. What
 * comes next is mostly near, so it is looked for in growing steps.
 */
function firstAfter(events: Uint32Array, at: number, scale: Scale, x: number): number {
  let low = at + 1;
  let step = 1;
  while (low + step < events.length && scale.xOf(events[low + step] ?? 0) < x) step *= 2;
  const span = Math.min(step + 1, events.length - low);
  const from = low;
  low += firstWhere(span, (place) => scale.xOf(events[from + place] ?? 0) >= x);
  return low;
}

function strongest(tones: Uint8Array, from: number, to: number): number {
  return tones[strongestPlace(tones, from, to)] ?? 0;
}

function strongestPlace(tones: Uint8Array, from: number, to: number): number {
  let best = from;
  const end = Math.min(to, from + LOOKED_AT_MAX);
  for (let at = from + 1; at < end; at += 1) {
    if ((tones[at] ?? 0) > (tones[best] ?? 0)) best = at;
  }
  return best;
}
