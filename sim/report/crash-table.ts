import type { CrashOutcome, CrashPointReport, CrashTrial } from "../search/crash-points.ts";
import { timeText } from "../story/story.ts";
import type { Paint } from "./terminal.ts";

const OUTCOME_WORDS: Readonly<Record<CrashOutcome, string>> = {
  before: "crash before",
  after: "crash after",
  "reply-lost": "reply lost",
};

/** How many broken trials are shown in full. */
const BROKEN_MAX = 10;
const GAP = "  ";

/**
 * Returns the report of `faultlane crash-points` as text.
 *
 * Where `columns` (the width of a terminal) is too narrow for the table, each of its rows becomes a
 * short block of lines, so that nothing wraps.
 */
export function crashTableFrom(
  report: CrashPointReport,
  paint: Paint,
  columns: number = Number.POSITIVE_INFINITY,
): string {
  const { scenario, seed, boundaries, coverage, trials, pairs } = report;
  const share = coverage.planned === 0 ? 100 : (coverage.struck * 100) / coverage.planned;
  const lines = [
    paint.bold(`${scenario}, seed ${seed}: ${boundaries.length} effect boundaries`),
    "",
    ...tableLines(rowsFrom(report), paint, columns),
    "",
    `covered ${coverage.struck} of ${coverage.planned} crash points (${share.toFixed(0)} %)`,
    pairsLine(pairs),
    ...jobLines(report),
    ...secondJobLines(report),
    ...brokenLines([...trials, ...pairs], report, paint),
  ];
  return lines.join("\n");
}

/** Returns a row per host and site: how many boundaries it has, and what each outcome led to. */
function rowsFrom({
  boundaries,
  outcomes,
  trials,
  jobs,
}: CrashPointReport): readonly (readonly string[])[] {
  const places = new Map<string, { numbers: Set<number>; site: string; host: string }>();
  for (const { number, site, host } of boundaries) {
    const place = places.get(`${host} ${site}`) ?? { numbers: new Set<number>(), site, host };
    places.set(`${host} ${site}`, place);
    place.numbers.add(number);
  }
  const rows: (readonly string[])[] = [
    ["host", "site", "boundaries", ...outcomes.map((outcome) => OUTCOME_WORDS[outcome])],
  ];
  for (const { numbers, site, host } of places.values()) {
    const cells = outcomes.map((outcome) => {
      const here = trials.filter(
        ({ strikes: [strike] }) => strike?.outcome === outcome && numbers.has(strike.boundary),
      );
      return cellFrom(here, jobs);
    });
    rows.push([host, site, String(numbers.size), ...cells]);
  }
  return rows;
}

function tableLines(
  rows: readonly (readonly string[])[],
  paint: Paint,
  columns: number,
): readonly string[] {
  const [head = "", ...rest] = aligned(rows);
  const isNarrow = [head, ...rest].some((line) => line.length > columns);
  return isNarrow ? blocksFrom(rows, paint) : [paint.dim(head), ...rest];
}

/** Returns a block per row: host and site, then a line for the outcomes that led to the same. */
function blocksFrom(rows: readonly (readonly string[])[], paint: Paint): readonly string[] {
  const [[, , , ...outcomes] = [], ...places] = rows;
  return places.flatMap(([host = "", site = "", boundaries = "", ...cells]) => {
    const outcomesOf = new Map<string, string[]>();
    cells.forEach((cell, at) => {
      outcomesOf.set(cell, [...(outcomesOf.get(cell) ?? []), outcomes[at] ?? ""]);
    });
    const noun = boundaries === "1" ? "boundary" : "boundaries";
    return [
      `${paint.bold(`${host} ${site}`)}${GAP}${boundaries} ${noun}`,
      ...[...outcomesOf].map(([cell, names]) => `${GAP}${names.join(", ")}: ${cell}`),
    ];
  });
}

function cellFrom(trials: readonly CrashTrial[], jobs: number | undefined): string {
  if (trials.length === 0) return "-";
  const broken = trials.filter((trial) => trial.broken.length > 0);
  if (broken.length > 0) {
    return `${broken.length} BROKEN ${[...new Set(broken.flatMap((one) => one.broken))].join(" ")}`;
  }
  const counts = new Map<string, number>();
  for (const trial of trials) {
    const word = wordFrom(trial, jobs);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, times]) => `${times} ${word}`).join(", ");
}

/** Returns what a trial led to: how the retry went on, or "held" where none was needed. */
function wordFrom({ decisions, jobs }: CrashTrial, calmJobs: number | undefined): string {
  if (jobs !== undefined && calmJobs !== undefined && jobs > calmJobs) return "second job";
  switch (decisions.at(-1)) {
    case "reconnect_success":
      return "reconnects";
    case "already_succeeded":
      return "returns";
    case "terminal_resubmit":
      return "resubmits";
    case "fresh_submit":
      return "submits first";
    default:
      return "held";
  }
}

function pairsLine(pairs: readonly CrashTrial[]): string {
  const struck = pairs.filter((pair) => pair.struck).length;
  const broken = pairs.filter((pair) => pair.broken.length > 0).length;
  return `pairs: ${pairs.length} tried, ${struck} struck twice, ${broken} broke a promise`;
}

function jobLines({ windows, trials, jobs }: CrashPointReport): readonly string[] {
  if (jobs === undefined || jobs === 0) return [];
  const lines = windows.map(({ task, openedAt, closedAt, boundaries }) => {
    const within = boundaries.map((number) => `#${number}`).join(", ");
    const from = timeText(openedAt);
    return `submit-to-persist window of ${task}: ${closedAt - openedAt} ms at ${from}, ${within}`;
  });
  const doubled = trials.filter((trial) => (trial.jobs ?? 0) > jobs);
  const inside = doubled.filter(({ strikes: [strike] }) =>
    windows.some(({ boundaries }) => boundaries.includes(strike?.boundary ?? 0)),
  );
  return [
    ...lines,
    `second jobs: ${doubled.length} of ${trials.length} crash points, ${inside.length} of them in a window`,
  ];
}

/** Returns the story of the first trial that led to a second job. */
function secondJobLines({ secondJob, boundaries }: CrashPointReport): readonly string[] {
  if (secondJob === undefined) return [];
  const { strike, story } = secondJob;
  return [
    "",
    `a second job, at ${placeOf(strike, boundaries)}:`,
    ...story.map((line) => `  ${line}`),
  ];
}

function placeOf(
  { boundary, outcome }: CrashTrial["strikes"][number],
  boundaries: CrashPointReport["boundaries"],
): string {
  const { host, site, nth } = boundaries[boundary - 1] as (typeof boundaries)[number];
  return `#${boundary} ${host} ${site} (call ${nth}), ${OUTCOME_WORDS[outcome]}`;
}

function brokenLines(
  trials: readonly CrashTrial[],
  { boundaries }: CrashPointReport,
  paint: Paint,
): readonly string[] {
  const broken = trials.filter((trial) => trial.broken.length > 0);
  const lines = broken.slice(0, BROKEN_MAX).map(({ strikes, broken: promises, detail }) => {
    const where = strikes.map((strike) => placeOf(strike, boundaries));
    return `${paint.bad("BROKEN")} ${promises.join(", ")} at ${where.join("; ")}: ${detail}`;
  });
  if (broken.length > BROKEN_MAX) lines.push(`(${broken.length - BROKEN_MAX} more)`);
  return lines;
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const [head = []] = rows;
  const widths = head.map((_cell, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}
