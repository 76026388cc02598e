import { entrantOf, type RowResult } from "../engine/measure.ts";
import { numberText } from "../engine/number-text.ts";

const WIDTH = 760;
const HEIGHT = 380;
const MARGIN = { left: 76, right: 120, top: 40, bottom: 48 } as const;

/** A colour for each series, distinguishable on light and dark backgrounds. */
const COLOURS = ["#d1495b", "#2e86ab", "#6a994e", "#b08900"] as const;

/** A curve of the report as SVG, both axes logarithmic. */
export function curveChart(row: RowResult): string {
  const names = [...new Set(row.entrants.map(({ name }) => name))];
  const points = [...new Set(row.entrants.map(({ at }) => at ?? 0))];
  const values = row.entrants.map(({ median }) => median);
  const x = scale(Math.min(...points), Math.max(...points), MARGIN.left, WIDTH - MARGIN.right);
  const y = scale(
    floorTen(Math.min(...values)),
    ceilTen(Math.max(...values)),
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
  );
  const series = names.map((name, at) => {
    const colour = COLOURS[at % COLOURS.length] ?? COLOURS[0];
    const places = points.flatMap((point) => {
      const one = entrantOf(row, name, point);
      return one === undefined ? [] : [[x(point), y(one.median)] as const];
    });
    return seriesSvg(name, colour, places);
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${MARGIN.left}" y="22" font-size="14">${row.work}: ${row.unit}</text>`,
    ...decades(Math.min(...values), Math.max(...values)).map((value) => rule(y(value), value)),
    ...points.map((point) => label(x(point), HEIGHT - MARGIN.bottom + 20, numberText(point))),
    label((MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 8, row.id.replace("growth over ", "")),
    ...series,
    "</svg>",
  ].join("\n")}\n`;
}

function seriesSvg(
  name: string,
  colour: string,
  places: readonly (readonly [x: number, y: number])[],
): string {
  const line = places.map(([left, top]) => `${left},${top}`).join(" ");
  const [left, top] = places.at(-1) ?? [0, 0];
  return [
    `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`),
    `<text x="${left + 8}" y="${top + 4}" fill="${colour}">${name}</text>`,
  ].join("\n");
}

function rule(top: number, value: number): string {
  return [
    `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${top}" y2="${top}" stroke="#dddddd"/>`,
    `<text x="${MARGIN.left - 8}" y="${top + 4}" text-anchor="end">${numberText(value)}</text>`,
  ].join("\n");
}

function label(left: number, top: number, text: string): string {
  return `<text x="${left}" y="${top}" text-anchor="middle">${text}</text>`;
}

/** Where a value lies between two places, by its logarithm. */
function scale(min: number, max: number, from: number, to: number): (value: number) => number {
  const span = Math.log10(max / min) || 1;
  return (value) => Math.round(from + ((to - from) * Math.log10(value / min)) / span);
}

function decades(min: number, max: number): readonly number[] {
  const values: number[] = [];
  for (let value = floorTen(min); value <= ceilTen(max); value *= 10) values.push(value);
  return values;
}

function floorTen(value: number): number {
  return 10 ** Math.floor(Math.log10(value));
}

function ceilTen(value: number): number {
  return 10 ** Math.ceil(Math.log10(value));
}
