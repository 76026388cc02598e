import type { GoalResult } from "./goals.ts";
import { type EntrantResult, entrantOf, ratioOf, type RowResult } from "./measure.ts";
import { numberText } from "./number-text.ts";
import type { BenchReport, Machine } from "./run-bench.ts";

const OURS = "faultlane";
const PERCENT = 100;

/** A table as cells: the terminal pads them, the README puts bars between them. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** What the bench found, ratios before times, so that the machine matters least where one looks. */
export function tablesFrom(report: BenchReport): readonly Table[] {
  const curves = report.rows.filter(isCurve);
  const plain = report.rows.filter((row) => !isCurve(row));
  return [
    goalTable(report.goals, report.sizes),
    ratioTable(plain),
    peerTable(plain),
    ...curves.map(curveTable),
    timeTable(plain),
  ].filter(({ lines }) => lines.length > 0);
}

function isCurve({ entrants }: RowResult): boolean {
  return entrants.some(({ at }) => at !== undefined);
}

function goalTable(goals: readonly GoalResult[], sizes: BenchReport["sizes"]): Table {
  return {
    title: sizes === "full" ? "Goals" : "Goals, which are stated for the full sizes",
    head: ["work", "goal", "measured", ""],
    lines: goals.map(({ work, aim, goal, unit, value, verdict }) => [
      work,
      `${aim === "at least" ? ">=" : "<="} ${goal} ${unit}`,
      value === null ? "-" : numberText(value),
      verdict,
    ]),
  };
}

function ratioTable(rows: readonly RowResult[]): Table {
  return {
    title: "Ratios: the median over interleaved rounds",
    head: ["work", "times the textbook", "% of the floor", "times the bare loop"],
    lines: rows.flatMap((row) => {
      const ours = entrantOf(row, OURS);
      if (ours === undefined || entrantOf(row, "textbook") === undefined) return [];
      const over = (name: string, scale: number): string => {
        const other = entrantOf(row, name);
        return other === undefined ? "-" : numberText(ratioOf(other, ours) * scale);
      };
      const loop = entrantOf(row, "bare loop");
      const times = loop === undefined ? "-" : numberText(ratioOf(ours, loop));
      return [[row.work, over("textbook", 1), over("floor", PERCENT), times]];
    }),
  };
}

function peerTable(rows: readonly RowResult[]): Table {
  return {
    title: "Peers on tracker-only work: how many times as long they take",
    head: ["work", "peer", "than the whole of ours", "than our resolving alone"],
    lines: rows.flatMap((row) => {
      const ours = entrantOf(row, OURS);
      const resolving = entrantOf(row, `${OURS}, resolving`);
      if (ours === undefined || resolving === undefined) return [];
      return row.entrants
        .filter((one) => one !== ours && one !== resolving)
        .map((peer) => [
          row.work,
          peer.name,
          numberText(ratioOf(peer, ours)),
          numberText(ratioOf(peer, resolving)),
        ]);
    }),
  };
}

function curveTable(row: RowResult): Table {
  const names = [...new Set(row.entrants.map(({ name }) => name))];
  const points = [...new Set(row.entrants.map(({ at }) => at ?? 0))];
  return {
    title: `${row.work}: ${row.unit}`,
    head: [row.id.replace("growth over ", ""), ...names],
    lines: points.map((at) => [
      numberText(at),
      ...names.map((name) => {
        const one = entrantOf(row, name, at);
        return one === undefined ? "-" : numberText(one.median);
      }),
    ]),
  };
}

function timeTable(rows: readonly RowResult[]): Table {
  return {
    title: "Medians and ranges",
    head: ["work", "of", "median", "range", "unit"],
    lines: rows.flatMap((row) =>
      row.entrants.map((one) => [
        row.work,
        one.note === undefined ? one.name : `${one.name} (${one.note})`,
        numberText(one.median),
        rangeText(one),
        row.unit,
      ]),
    ),
  };
}

function rangeText({ range: [min, max] }: EntrantResult): string {
  return `${numberText(min)} to ${numberText(max)}`;
}

export function machineText({ machine, versions, sizes, rounds }: BenchReport): string {
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [hostText(machine), `${sizes} sizes, ${rounds} rounds`, packages.join(", ")].join("; ");
}

function hostText({ runtime, version, platform, cpu, cores, memoryGib, load }: Machine): string {
  return `${runtime} ${version}, ${platform}, ${cpu}, ${cores} cores, ${memoryGib} GiB, load ${load}`;
}

/** The report for a terminal. */
export function textFromReport(report: BenchReport): string {
  const sections = tablesFrom(report).map(textFromTable);
  return [...sections, machineText(report)].join("\n\n");
}

function textFromTable({ title, head, lines }: Table): string {
  const widths = head.map((cell, at) =>
    Math.max(cell.length, ...lines.map((line) => (line[at] ?? "").length)),
  );
  const padded = [head, ...lines].map((line) =>
    line
      .map((cell, at) =>
        isNumber(lines, at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return [title, ...padded].join("\n");
}

/** Whether a column holds nothing but numbers, and so is written flush right. */
export function isNumber(lines: readonly (readonly string[])[], at: number): boolean {
  return lines.every((line) => /^[\d,.-]*$/.test(line[at] ?? ""));
}
