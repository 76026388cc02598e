// How soon each strategy finds each planted bug: `npm run bench:search [-- --seeds 20]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SEARCHES, type SearchName } from "../sim/search/strategy/portfolio.ts";
import type { Subject } from "../sim/search/subject.ts";
import { MutantSandbox } from "../test/mutants/mutant-sandbox.ts";
import { hunt, type Hunted } from "../test/search/hunt.ts";
import { pausedOwner } from "../test/search/lane-world.ts";
import { plantedBugs } from "../test/search/planted-bugs.ts";
import { cpuMs, gapRows, smallFailures, walkRows } from "./search-measures.ts";
import { markdownFrom, type Score, type ScoreRow } from "./search-table.ts";

const { values: flags } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    bugs: { type: "string", default: "" },
    /** After how many runs a hunt gives up, and the factor for the portfolio. */
    runs: { type: "string", default: "200" },
    "portfolio-times": { type: "string", default: "10" },
    /** Which tables are measured; the others stay empty. */
    parts: { type: "string", default: "planted,starved,gaps,walks,small" },
    out: { type: "string", default: "bench/SEARCH.md" },
  },
});

/** Far apart, so that no two hunts share a run. */
const SEED_STEP = 1_000_003;
const HEARTBEATS = [30, 100, 300] as const;
const STARVATION_RUNS_MAX = 20_000;

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

async function plantedRows(): Promise<readonly ScoreRow[]> {
  using sandbox = new MutantSandbox();
  const rows: ScoreRow[] = [];
  const wanted = flags.bugs.split(",").filter((bug) => bug !== "");
  for (const { bug, what, runsForOne, subjects } of plantedBugs(sandbox)) {
    if (wanted.length > 0 && !wanted.includes(bug)) continue;
    const made = await subjects();
    const scores: Score[] = [];
    for (const search of SEARCHES) {
      scores.push(await scoreOf(made, search, mostOf(search) * runsForOne));
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

const planted = await measured("planted", plantedRows);
const starved = await measured("starved", starvationRows);
const gaps = await measured("gaps", gapRows);
const walks = await measured("walks", walkRows);
const small = await measured("small", smallFailures);
writeFileSync(flags.out, markdownFrom({ planted, starved, seeds, gaps, walks, small }));
