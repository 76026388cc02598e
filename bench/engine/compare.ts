import { z } from "zod";
import { numberText } from "./number-text.ts";
import type { BenchReport } from "./run-bench.ts";

/** A change of less is called noise, whatever the quartiles say. */
const NOISE = 1 / 20;

/** What is read of an earlier document; the rest may differ from version to version. */
export interface EarlierReport {
  readonly machine: { readonly runtime: string; readonly version: string; readonly cpu: string };
  readonly sizes: "full" | "quick";
  readonly rows: readonly EarlierRow[];
}

interface EarlierRow {
  readonly id: string;
  readonly entrants: readonly EarlierEntrant[];
}

interface EarlierEntrant {
  readonly name: string;
  readonly at?: number | undefined;
  readonly median: number;
  readonly quartiles: readonly [low: number, high: number];
}

const EARLIER: z.ZodType<EarlierReport> = z.object({
  machine: z.object({ runtime: z.string(), version: z.string(), cpu: z.string() }),
  sizes: z.enum(["full", "quick"]),
  rows: z.array(
    z.object({
      id: z.string(),
      entrants: z.array(
        z.object({
          name: z.string(),
          at: z.number().optional(),
          median: z.number(),
          quartiles: z.tuple([z.number(), z.number()]),
        }),
      ),
    }),
  ),
});

/** One number that moved by more than noise; a factor below 1 is an improvement. */
export interface Move {
  readonly id: string;
  readonly name: string;
  readonly at?: number;
  readonly before: number;
  readonly after: number;
  readonly factor: number;
  readonly unit: string;
}

export interface Comparison {
  /** Why the numbers are not of the same kind; empty when they are. */
  readonly differences: readonly string[];
  readonly compared: number;
  readonly moves: readonly Move[];
}

/** @throws {RangeError} when `text` is no document of `--json` */
export function earlierReportFrom(text: string, path: string): EarlierReport {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RangeError(`Cannot compare with "${path}": it is no JSON`);
  }
  const parsed = EARLIER.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path: where, message } = parsed.error.issues[0] ?? { path: [], message: "" };
  throw new RangeError(`Cannot compare with "${path}": at ${where.join(".")}: ${message}`);
}

/**
 * What moved: the middle halves of the samples do not overlap, and the medians are apart by more
 * than a twentieth.
 */
export function compareReports(earlier: EarlierReport, report: BenchReport): Comparison {
  const before = new Map(earlier.rows.map(({ id, entrants }) => [id, entrants]));
  const moves: Move[] = [];
  let compared = 0;
  for (const { id, unit, entrants } of report.rows) {
    for (const { name, at, median, quartiles } of entrants) {
      const old = before.get(id)?.find((one) => one.name === name && one.at === at);
      if (old === undefined) continue;
      compared += 1;
      const isApart = quartiles[0] > old.quartiles[1] || quartiles[1] < old.quartiles[0];
      const factor = median / old.median;
      if (!isApart || Math.abs(factor - 1) <= NOISE) continue;
      const place = at === undefined ? {} : { at };
      moves.push({ id, name, ...place, before: old.median, after: median, factor, unit });
    }
  }
  return { differences: differencesOf(earlier, report), compared, moves };
}

function differencesOf(earlier: EarlierReport, report: BenchReport): readonly string[] {
  const pairs = [
    ["runtime", earlier.machine.runtime, report.machine.runtime],
    ["version", earlier.machine.version, report.machine.version],
    ["cpu", earlier.machine.cpu, report.machine.cpu],
    ["sizes", earlier.sizes, report.sizes],
  ] as const;
  return pairs
    .filter(([, then, now]) => then !== now)
    .map(([what, then, now]) => `${what}: ${then}, now ${now}`);
}

export function textFromComparison({ differences, compared, moves }: Comparison): string {
  const lines = moves.map(({ id, name, at, before, after, factor, unit }) => {
    const where = at === undefined ? name : `${name} at ${numberText(at)}`;
    const way = factor < 1 ? "less" : "more";
    return `${id}: ${where}: ${numberText(before)} to ${numberText(after)} ${unit}, ${numberText(factor)} times (${way})`;
  });
  return [
    `Compared: ${moves.length} of ${compared} numbers moved beyond noise`,
    ...differences.map((difference) => `not of the same kind: ${difference}`),
    ...lines,
  ].join("\n");
}
