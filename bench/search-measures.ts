import {
  exploreAll,
  type Certificate,
  type ExhaustiveOptions,
} from "../sim/search/exhaustive/exhaustive.ts";
import { SEARCHES } from "../sim/search/strategy/portfolio.ts";
import { MutantSandbox } from "../test/mutants/mutant-sandbox.ts";
import { ledgerWorld } from "../test/search/calibration/ledger-world.ts";
import { paxos } from "../test/search/calibration/paxos.ts";
import { twoPhaseCommit } from "../test/search/calibration/two-phase-commit.ts";
import { GAPS, ordersOfFastCheck } from "../test/search/fast-check-orders.ts";
import { hunt } from "../test/search/hunt.ts";
import { racingTasks } from "../test/search/lane-world.ts";
import { plantedFailures, type SmallFailure } from "../test/search/shrink-planted.ts";

const GAP_RUNS_MAX = 40;

/** How many runs each search needs until it has seen both orders of two tasks. */
export interface GapRow {
  readonly gap: number;
  readonly runs: readonly number[];
  /** How many orders fast-check's scheduler sees. */
  readonly fastCheck: number;
}

export async function gapRows(): Promise<readonly GapRow[]> {
  const rows: GapRow[] = [];
  for (const gap of GAPS) {
    const runs: number[] = [];
    for (const search of SEARCHES) {
      const hunts = await Promise.all(
        (["early", "late"] as const).map((first) =>
          hunt([racingTasks(gap, first)], { search, seed: 1, runsMax: GAP_RUNS_MAX }),
        ),
      );
      runs.push(Math.max(...hunts.map((one) => (one.isFound ? one.runs : Infinity))));
    }
    rows.push({ gap, runs, fastCheck: (await ordersOfFastCheck(gap, GAP_RUNS_MAX)).size });
  }
  return rows;
}

/** A world that was walked completely. */
export interface WalkRow {
  readonly world: string;
  readonly certificate: Certificate;
  readonly failures: number;
  readonly ms: number;
}

/** Milliseconds of processor time that this process has used, which other load does not change. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export async function walkRows(): Promise<readonly WalkRow[]> {
  const ledger = { subscribers: 2, events: 3, lanes: 2 };
  const worlds: readonly (readonly [string, ExhaustiveOptions<unknown>])[] = [
    ["two-phase commit, 3 resource managers", { run: (path) => twoPhaseCommit(path, 3) }],
    ["two-phase commit, 5 resource managers", { run: (path) => twoPhaseCommit(path, 5) }],
    ["Paxos, 2 clients, 3 servers", { run: (path) => paxos(path, 2) }],
    [
      "ledger, 2 subscribers, 3 events, 2 lanes, 1 fault",
      { bounds: { faults: 1 }, run: (path) => ledgerWorld(path, ledger) },
    ],
  ];
  const rows: WalkRow[] = [];
  for (const [world, options] of worlds) {
    const beganAt = cpuMs();
    const { certificate, failures } = await exploreAll(options);
    rows.push({ world, certificate, failures: failures.length, ms: cpuMs() - beganAt });
  }
  return rows;
}

/** One failure of each planted bug, made small. */
export async function smallFailures(): Promise<readonly SmallFailure[]> {
  using sandbox = new MutantSandbox();
  const made: SmallFailure[] = [];
  for (const { shrunk } of plantedFailures(sandbox)) made.push(await shrunk());
  return made;
}
