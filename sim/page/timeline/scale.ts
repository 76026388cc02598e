/** What the horizontal axis counts: virtual milliseconds, or events. */
export type Axis = "time" | "events";

/** A run is never shown more closely than this many pixels for a millisecond or an event. */
const PIXELS_PER_UNIT_MAX = 200;

/**
 * Where events lie on the horizontal axis, and which stretch of it is in view.
 *
 * Holds: later events never lie to the left of earlier ones, so that positions can be searched.
 */
export class Scale {
  /** The stretch in view, in the units of the axis. */
  from = 0;
  to = 1;
  /** How many pixels the stretch takes. */
  width = 1;
  #axis: Axis = "time";
  readonly #times: Float64Array;

  constructor(times: Float64Array) {
    this.#times = times;
    this.showAll();
  }

  get axis(): Axis {
    return this.#axis;
  }

  /** The last position of the axis. */
  get end(): number {
    return this.#axis === "time" ? (this.#times.at(-1) ?? 0) + 1 : this.#times.length;
  }

  /** The position of an event; of the number of all events, the end. */
  positionOf(event: number): number {
    if (event >= this.#times.length) return this.end;
    return this.#axis === "time" ? (this.#times[event] ?? 0) : event;
  }

  /** The pixel of an event, from the left edge of the stretch. */
  xOf(event: number): number {
    return this.xAt(this.positionOf(event));
  }

  xAt(position: number): number {
    return ((position - this.from) / (this.to - this.from)) * this.width;
  }

  positionAt(x: number): number {
    return this.from + (x / this.width) * (this.to - this.from);
  }

  /** Returns the scale of a stretch by itself, which may begin before the run. */
  stretch({ from, to, width }: { from: number; to: number; width: number }): Scale {
    const part = new Scale(this.#times);
    part.#axis = this.#axis;
    [part.from, part.to, part.width] = [from, to, width];
    return part;
  }

  /** Changes what the axis counts, and keeps `event` where it is in view. */
  setAxis(axis: Axis, event: number): void {
    if (axis === this.#axis) return;
    const first = this.eventAt(this.from);
    const last = this.eventAt(this.to);
    const x = this.xOf(event);
    this.#axis = axis;
    this.show(this.positionOf(first), Math.max(this.positionOf(last), this.positionOf(first) + 1));
    this.pan(this.xOf(event) - Math.min(Math.max(x, 0), this.width));
  }

  /** Returns the first event at or after a position. */
  eventAt(position: number): number {
    if (this.#axis === "events") {
      return Math.min(Math.max(Math.ceil(position), 0), this.#times.length);
    }
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#times[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Shows a stretch; one that is too short or too long is changed about its middle. */
  show(from: number, to: number): void {
    const least = this.width / PIXELS_PER_UNIT_MAX;
    const length = Math.min(Math.max(to - from, least, 1e-3), Math.max(this.end, least));
    const middle = (from + to) / 2;
    const start = Math.min(Math.max(middle - length / 2, 0), Math.max(this.end - length, 0));
    this.from = start;
    this.to = start + length;
  }

  showAll(): void {
    this.show(0, this.end);
  }

  /** Makes the stretch `factor` times as long, with the position at `x` where it is. */
  zoom(factor: number, x: number): void {
    const position = this.positionAt(x);
    const length = (this.to - this.from) * factor;
    const from = position - (x / this.width) * length;
    this.show(from, from + length);
  }

  /** Moves the stretch to the right by so many pixels. */
  pan(pixels: number): void {
    const by = (pixels / this.width) * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }

  /** Moves the stretch no further than needed for an event to be well in view. */
  reveal(event: number): void {
    const x = this.xOf(event);
    const margin = this.width / 8;
    if (x < margin) this.pan(x - this.width / 3);
    else if (x > this.width - margin) this.pan(x - (this.width * 2) / 3);
  }

  /** Shows so many events before and after one. */
  showAround(event: number, before: number, after: number): void {
    const from = this.positionOf(Math.max(event - before, 0));
    const to = this.positionOf(Math.min(event + after, this.#times.length));
    this.show(from, Math.max(to, from + 1));
  }
}

/** Returns the distance between two labels of the axis, in its units: 1, 2 or 5 times a power of ten. */
export function labelStep(unitsPerPixel: number, pixelsMin: number): number {
  const least = unitsPerPixel * pixelsMin;
  let power = 1;
  while (power * 10 <= least) power *= 10;
  for (const factor of [1, 2, 5]) if (power * factor >= least) return power * factor;
  return power * 10;
}
