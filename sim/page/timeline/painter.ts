import { type Lane, TONES } from "../lanes/lane.ts";
import type { ChosenJourney } from "../page-state.ts";
import type { RunModel } from "../model/run-model.ts";
import { barLabel } from "./bar-label.ts";
import { drawnBars, drawnMarks, drawnTicks } from "./level-of-detail.ts";
import { freePart, type LabelPlace, placesOn } from "./label-place.ts";
import type { Palette } from "./palette.ts";
import type { Row, Rows } from "./rows.ts";
import { labelStep, type Scale } from "./scale.ts";
import { arrow, clippedText, flag, mark, rounded } from "./shapes.ts";
import type { Tiles } from "./tiles.ts";

/** What is drawn of a run. */
export interface Picture {
  readonly run: RunModel;
  readonly scale: Scale;
  readonly rows: Rows;
  /** The width of the names at the left. */
  readonly gutter: number;
  /** The height of the axis at the top. */
  readonly axis: number;
  /** How far the lanes are scrolled down. */
  readonly top: number;
  readonly height: number;
  readonly cursor: number;
  readonly hovered: number | undefined;
  readonly journey: ChosenJourney | undefined;
  readonly found: Uint32Array | undefined;
}

/** What is left free at both sides of a label, in pixels. */
const LABEL_MARGINS = 10;
/** More steps of a journey than these are not drawn as arrows. */
const ARROWS_MAX = 400;
const LABEL_PIXELS_MIN = 90;

/** Draws the timeline on a canvas. */
export class Painter {
  readonly #context: CanvasRenderingContext2D;
  readonly #palette: Palette;

  readonly #tiles: Tiles;

  constructor(context: CanvasRenderingContext2D, palette: Palette, tiles: Tiles) {
    this.#context = context;
    this.#palette = palette;
    this.#tiles = tiles;
  }

  draw(picture: Picture): void {
    const { scale, gutter, axis, height, rows, top } = picture;
    const context = this.#context;
    const { ground, font } = this.#palette;
    const width = gutter + scale.width;
    context.clearRect(0, 0, width, height);
    context.fillStyle = ground;
    context.fillRect(0, 0, width, height);
    context.font = `12px ${font}`;
    context.textBaseline = "middle";
    context.save();
    context.beginPath();
    context.rect(0, axis, width, height - axis);
    context.clip();
    const inView = rows.rows.filter(({ y, height: own }) => y + own >= top && y <= top + height);
    for (const row of inView) {
      if (row.kind === "title") this.#title(row.text, row.y - top + axis, row.height, width);
    }
    this.#tilesOf(picture, inView);
    for (const row of inView) {
      if (row.kind === "lane") this.#names(picture, row.lane, row.y - top + axis, row.height);
    }
    this.#lines(picture);
    if (picture.journey !== undefined) this.#journey(picture, picture.journey);
    context.restore();
    this.#axis(picture);
  }

  #title(text: string, y: number, height: number, width: number): void {
    const context = this.#context;
    context.fillStyle = this.#palette.band;
    context.fillRect(0, y, width, height);
    context.fillStyle = this.#palette.faint;
    context.font = `600 11px ${this.#palette.font}`;
    context.fillText(text.toUpperCase(), 10, y + height / 2 + 1);
    context.font = `12px ${this.#palette.font}`;
  }

  /** Draws what lies in the lanes, but for its words: it is the same wherever the view begins. */
  #tilesOf({ run, scale, rows, gutter, axis, top, height }: Picture, inView: readonly Row[]): void {
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(gutter, axis, scale.width, height - axis);
    context.clip();
    context.translate(gutter, axis);
    const view = {
      made: [run, rows, this.#palette, scale.axis, top, height, devicePixelRatio],
      pixelsPerUnit: scale.width / (scale.to - scale.from),
      from: scale.from,
      width: scale.width,
      height: height - axis,
    };
    this.#tiles.draw(context, view, (tile, stretch) => {
      const painter = new Painter(tile, this.#palette, this.#tiles);
      const part = scale.stretch(stretch);
      tile.translate(-stretch.margin, -top);
      for (const row of inView) if (row.kind === "lane") painter.#lane(run, row, part);
    });
    context.restore();
  }

  #lane(run: RunModel, row: Extract<Row, { kind: "lane" }>, scale: Scale): void {
    const lane = run.lanes.lanes[row.lane];
    if (lane === undefined) return;
    const { y, height } = row;
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(0, y, scale.width, height);
    context.clip();
    context.translate(0, y);
    this.#bars(lane, scale, height);
    this.#ticks(lane, scale, height);
    this.#marks(lane, scale, height);
    context.restore();
  }

  /** Writes the name of a lane, and on its wide bars what they are. */
  #names({ run, scale, gutter }: Picture, at: number, y: number, height: number): void {
    const lane = run.lanes.lanes[at];
    if (lane === undefined) return;
    const context = this.#context;
    const { line, text, onTones } = this.#palette;
    context.fillStyle = line;
    context.fillRect(0, y + height - 1, gutter + scale.width, 1);
    context.save();
    context.beginPath();
    context.rect(gutter, y, scale.width, height);
    context.clip();
    context.translate(gutter, y);
    for (const bar of placesOn(lane.bars, scale)) {
      const { width } = context.measureText(barLabel(run.trace.event(bar.event)));
      const place = freePart(bar, lane.spans, scale, width + LABEL_MARGINS);
      if (place !== undefined) this.#label(run, place, text, height);
    }
    for (const place of placesOn(lane.spans, scale)) {
      this.#label(run, place, onTones[place.tone] ?? "", height);
    }
    context.restore();
    this.#name(lane.name, y, height, gutter);
  }

  #name(name: string, y: number, height: number, gutter: number): void {
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(0, y, gutter - 6, height);
    context.clip();
    context.fillStyle = this.#palette.text;
    context.fillText(name, 10, y + height / 2);
    context.restore();
  }

  #bars({ bars, spans }: Lane, scale: Scale, height: number): void {
    const context = this.#context;
    const { tones } = this.#palette;
    const long = drawnBars(bars, scale);
    context.globalAlpha = 0.28;
    for (const { x, width, tone } of long) {
      context.fillStyle = tones[tone] ?? "";
      rounded(context, x, 4, width, height - 9);
    }
    context.globalAlpha = 1;
    for (const { x, width, tone } of long) {
      context.fillStyle = tones[tone] ?? "";
      context.fillRect(x, height - 7, width, 2);
    }
    const short = drawnBars(spans, scale);
    context.globalAlpha = 0.85;
    for (const { x, width, tone } of short) {
      context.fillStyle = tones[tone] ?? "";
      rounded(context, x, 6, Math.max(width, 1.5), height - 13);
    }
    context.globalAlpha = 1;
  }

  /** Writes what a bar is. */
  #label(run: RunModel, place: LabelPlace, colour: string, height: number): void {
    const context = this.#context;
    const { x, width, event } = place;
    context.fillStyle = colour;
    clippedText(
      context,
      barLabel(run.trace.event(event)),
      x + 6,
      height / 2 - 1,
      width - LABEL_MARGINS,
    );
  }

  /** The more events a pixel has, the higher its tick; all are filled at once. */
  #ticks({ ticks }: Lane, scale: Scale, height: number): void {
    const context = this.#context;
    context.fillStyle = this.#palette.faint;
    context.globalAlpha = 0.6;
    context.beginPath();
    drawnTicks(ticks, scale, (x, count) => {
      const size = Math.min(3 + Math.floor(count / 3), 7);
      context.rect(Math.floor(x), height - 2 - size, 1, size);
    });
    context.fill();
    context.globalAlpha = 1;
  }

  #marks({ marks }: Lane, scale: Scale, height: number): void {
    const context = this.#context;
    for (const { x, tone } of drawnMarks(marks, scale)) {
      context.fillStyle = this.#palette.tones[tone] ?? "";
      mark(context, TONES[tone] ?? "quiet", x, height / 2 - 1);
    }
  }

  #lines({ run, scale, gutter, axis, height, cursor, hovered, found }: Picture): void {
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(gutter, 0, scale.width, height);
    context.clip();
    const line = (event: number, colour: string, width: number, dash: readonly number[]): void => {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.setLineDash([...dash]);
      context.beginPath();
      const x = gutter + scale.xOf(event);
      context.moveTo(x, axis);
      context.lineTo(x, height);
      context.stroke();
    };
    context.fillStyle = this.#palette.found;
    if (found !== undefined) {
      drawnTicks(found, scale, (x) => context.fillRect(gutter + x, axis, 1, height - axis));
    }
    for (const event of run.breaks) line(event, this.#palette.broken, 1.5, [5, 4]);
    if (hovered !== undefined) line(hovered, this.#palette.faint, 1, []);
    line(cursor, this.#palette.cursor, 1.5, []);
    context.setLineDash([]);
    context.restore();
  }

  /** The way of a record, a task or a job from lane to lane. */
  #journey(
    { run, scale, rows, gutter, top, axis, height }: Picture,
    { steps }: ChosenJourney,
  ): void {
    const context = this.#context;
    const { parts } = this.#palette;
    const colourOf = partColours(steps.map(({ part }) => part));
    const points = steps.flatMap(({ event, part }) => {
      const middle = rows.middleOf(run.lanes.laneOf[event] ?? 0);
      if (middle === undefined) return [];
      const colour = parts[(colourOf.get(part) ?? 0) % parts.length] ?? "";
      return [{ x: gutter + scale.xOf(event), y: middle - top + axis - 1, colour }];
    });
    context.save();
    context.beginPath();
    context.rect(gutter, axis, scale.width, height - axis);
    context.clip();
    context.lineWidth = 1.5;
    for (const [at, { x, y, colour }] of points.slice(0, ARROWS_MAX).entries()) {
      context.strokeStyle = colour;
      context.fillStyle = colour;
      const before = points[at - 1];
      if (before !== undefined) arrow(context, before, { x, y });
      context.beginPath();
      context.arc(x, y, 4, 0, Math.PI * 2);
      context.fill();
    }
    context.restore();
  }

  #axis({ run, scale, gutter, axis, cursor }: Picture): void {
    const context = this.#context;
    const { ground, line, faint, cursor: cursorColour, broken } = this.#palette;
    context.fillStyle = ground;
    context.fillRect(0, 0, gutter + scale.width, axis);
    context.fillStyle = line;
    context.fillRect(0, axis - 1, gutter + scale.width, 1);
    const step = labelStep((scale.to - scale.from) / scale.width, LABEL_PIXELS_MIN);
    context.fillStyle = faint;
    const first = Math.ceil(scale.from / step) * step;
    context.save();
    context.beginPath();
    context.rect(gutter, 0, scale.width, axis);
    context.clip();
    for (let position = first; position <= scale.to; position += step) {
      const x = gutter + scale.xAt(position);
      context.fillRect(x, axis - 7, 1, 6);
      context.fillText(axisText(position, scale), x + 4, axis / 2 - 1);
    }
    for (const event of run.breaks) flag(context, gutter + scale.xOf(event), axis, broken);
    flag(context, gutter + scale.xOf(cursor), axis, cursorColour);
    context.restore();
    context.fillStyle = faint;
    context.fillText(scale.axis === "time" ? "virtual time" : "event number", 10, axis / 2);
  }
}

function axisText(position: number, scale: Scale): string {
  if (scale.axis === "events") return `#${position}`;
  const seconds = position / 1_000;
  return Number.isInteger(seconds) ? `${seconds} s` : `${seconds.toFixed(3).replace(/0+$/, "")} s`;
}

/** Numbers the parts in the order in which they come up. */
export function partColours(parts: readonly number[]): ReadonlyMap<number, number> {
  return new Map([...new Set(parts)].map((part, at) => [part, at]));
}
