// How soon each strategy finds each planted bug: `npm run bench:search [-- --seeds 20]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SEARCHES, type SearchName } from "../sim/search/strategy/portfolio.ts";
import type { Subject } from "../sim/search/subject.ts";
import { MutantSandbox } from "../test/mutants/mutant-sandbox.ts";
import { hunt, type Hunted } from "../test/search/hunt.ts";
import { pausedOwner } from "../test/search/lane-world.ts";
import { coordinatedBugs, type PlantedBug, plantedBugs } from "../test/search/planted-bugs.ts";
import { cpuMs, gapRows, smallFailures, walkRows } from "./search-measures.ts";
import { markdownFrom, type Score, type ScoreRow, stepsMarkdown } from "./search-table.ts";

const { values: flags } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    bugs: { type: "string", default: "" },
    /** After how many runs a hunt gives up, and the factor for the portfolio. */
    runs: { type: "string", default: "200" },
    "portfolio-times": { type: "string", default: "10" },
    /** Which tables are measured; the others stay empty, and without `steps` its file stays as it is. */
    parts: { type: "string", default: "planted,starved,gaps,walks,small,steps" },
    out: { type: "string", default: "bench/SEARCH.md" },
    "steps-out": { type: "string", default: "bench/SEARCH-STEPS.md" },
  },
});

/** Far apart, so that no two hunts share a run. */
const SEED_STEP = 1_000_003;
const HEARTBEATS = [30, 100, 300] as const;
const STARVATION_RUNS_MAX = 20_000;
/** Bugs that need several steps are rarer. */
const STEPS_TIMES = 10;

const seeds = Number(flags.seeds);
const runsMax = Number(flags.runs);

async function scoreOf(
  subjects: readonly Subject[],
  search: SearchName,
  most: number,
): Promise<Score> {
  const hunts: Hunted[] = [];
  for (let at = 0; at < seeds; at += 1) {
    const seed = 1 + at * SEED_STEP;
    hunts.push(await hunt(subjects, { search, seed, runsMax: most, now: cpuMs }));
  }
  return { search, runsMax: most, hunts };
}

function mostOf(search: SearchName): number {
  return search === "portfolio" ? runsMax * Number(flags["portfolio-times"]) : runsMax;
}

async function rowsOf(
  bugs: readonly PlantedBug[],
  searches: readonly SearchName[],
  most: (search: SearchName) => number,
): Promise<readonly ScoreRow[]> {
  const rows: ScoreRow[] = [];
  const wanted = flags.bugs.split(",").filter((bug) => bug !== "");
  for (const { bug, what, runsForOne, subjects } of bugs) {
    if (wanted.length > 0 && !wanted.includes(bug)) continue;
    const made = await subjects();
    const scores: Score[] = [];
    for (const search of searches) {
      scores.push(await scoreOf(made, search, most(search) * runsForOne));
    }
    rows.push({ bug, what, scores });
    process.stderr.write(`${bug}: ${what}\n`);
  }
  return rows;
}

async function starvationRows(): Promise<readonly ScoreRow[]> {
  const rows: ScoreRow[] = [];
  for (const heartbeats of HEARTBEATS) {
    const subject = pausedOwner(heartbeats);
    const scores: Score[] = [];
    for (const search of ["portfolio", "pct", "random"] as const) {
      scores.push(await scoreOf([subject], search, STARVATION_RUNS_MAX));
    }
    rows.push({ bug: String(heartbeats), what: subject.name, scores });
  }
  return rows;
}

const parts = new Set(flags.parts.split(","));

async function measured<R>(
  part: string,
  measure: () => Promise<readonly R[]>,
): Promise<readonly R[]> {
  return parts.has(part) ? await measure() : [];
}

using sandbox = new MutantSandbox();
const planted = await measured("planted", () => rowsOf(plantedBugs(sandbox), SEARCHES, mostOf));
const starved = await measured("starved", starvationRows);
const gaps = await measured("gaps", gapRows);
const walks = await measured("walks", walkRows);
const small = await measured("small", smallFailures);
const steps = await measured("steps", () =>
  rowsOf(coordinatedBugs(sandbox), ["portfolio", "random"], () => runsMax * STEPS_TIMES),
);
if (parts.has("steps")) writeFileSync(flags["steps-out"], stepsMarkdown(steps, seeds));
if (parts.size > (parts.has("steps") ? 1 : 0)) {
  writeFileSync(flags.out, markdownFrom({ planted, starved, seeds, gaps, walks, small }));
}
