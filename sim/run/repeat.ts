import { invariant } from "../../src/invariant.ts";
import { systemClock } from "../../src/platform/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import { ReplayDrift } from "../choices/choices.ts";
import { serialize } from "../kernel/serialize.ts";
import { Unrecognisable } from "../worlds/producer/producer-observer.ts";
import { FactoryThrew, NoProducer } from "../worlds/producer/producer-under-test.ts";
import {
  areAllEqual,
  areEqual,
  clearestPair,
  differenceBetween,
  outcomesOf,
} from "./first-difference.ts";
import { likelySource, PAUSE_MS } from "./likely-source.ts";
import {
  type Difference,
  type LikelySource,
  NotDeterministic,
  type NotDeterministicParts,
} from "./not-deterministic.ts";
import type { RunReport } from "./run-report.ts";
import { stateProbe } from "./state-probe.ts";

/** A run of code under test that can be made any number of times. */
export interface RepeatableRun {
  /** What is run: "producer", "job". */
  readonly subject: string;
  /** The function in which such code creates its state: "createProducer". */
  readonly createdIn: string;
  /** The name of the scenario. */
  readonly scenario: string;
  /** The seed by which a user makes the run. */
  readonly seed: number;
  /** Makes the run with the same choices, and keeps its trace. */
  readonly again: () => Promise<RunReport>;
  /** Makes it with the module of the code under test loaded anew, where that is possible. */
  readonly afresh?: (() => Promise<RunReport>) | undefined;
}

/** How many runs the likely source is read from; chance seldom grows through so many. */
const RUNS_MADE = 6;

/**
 * Makes a run twice and returns the second report, which has the trace.
 *
 * @throws {NotDeterministic} when the two differ
 */
export async function assertRepeats(run: RepeatableRun): Promise<RunReport> {
  const first = await run.again();
  return assertSameAgain(run, first, { isFirstEver: true });
}

/**
 * Makes a run once more, compares it with its first report and returns the second one.
 *
 * Shape: without a trace in `first`, two runs that differ are told apart by what broke in them.
 * `isFirstEver`: the code under test had not run before, so that nothing was left from a run.
 *
 * @throws {NotDeterministic} when the two differ
 */
export async function assertSameAgain(
  run: RepeatableRun,
  first: RunReport,
  { isFirstEver = false }: { readonly isFirstEver?: boolean } = {},
): Promise<RunReport> {
  const second = await outcomeOf(run.again);
  if (!("threw" in second) && areEqual(first, second)) return second;
  throw await explained(run, first, { second, isFirstEver });
}

/**
 * Repeats a run that is about to be held against the code under test: as above, and once with the
 * module loaded anew, because code that is spoilt by earlier runs may break in every later one.
 *
 * @throws {NotDeterministic} when one of them differs
 */
export async function assertAccusation(run: RepeatableRun, first: RunReport): Promise<RunReport> {
  const second = await assertSameAgain(run, first);
  const { afresh } = run;
  if (afresh === undefined) return second;
  const fresh = await withoutAdded(afresh);
  if (areEqual(fresh, second)) return second;
  const isCertain = areEqual(fresh, await withoutAdded(afresh));
  const likely = isCertain ? "state-outlives-run" : "unknown";
  const state = await stateChangedBy(run);
  throw errorFrom(run, [fresh, second], { likely, isCertain, state });
}

interface Threw {
  readonly threw: Error;
}

/** Makes a run that has been made before: that it cannot be made again is an outcome, too. */
async function outcomeOf(make: () => Promise<RunReport>): Promise<RunReport | Threw> {
  try {
    return await make();
  } catch (error) {
    const isOutcome =
      error instanceof FactoryThrew ||
      error instanceof NoProducer ||
      error instanceof Unrecognisable ||
      error instanceof ReplayDrift;
    if (isOutcome) return { threw: error };
    throw error;
  }
}

interface Compared {
  readonly second: RunReport | Threw;
  readonly isFirstEver: boolean;
}

/** Returns the error for two reports of one run that differ; makes a few more runs to explain it. */
export async function explained(
  run: RepeatableRun,
  first: RunReport,
  { second, isFirstEver }: Compared,
): Promise<NotDeterministic> {
  if ("threw" in second) return errorFromThrown(run, second);
  const runs = [first, second];
  while (runs.length < RUNS_MADE - 1) runs.push(await run.again());
  await letRealTimePass();
  runs.push(await run.again());
  const isCertain = await isStateForSure(run, runs);
  const likely = isCertain ? "state-outlives-run" : likelySource(outcomesOf(runs), { isFirstEver });
  const state = await stateChangedBy(run);
  return errorFrom(run, clearestPair(runs), { likely, isCertain, state });
}

/** Returns the names of the state that a run leaves to the next, where that can be seen. */
async function stateChangedBy({ again }: RepeatableRun): Promise<readonly string[]> {
  return (await stateProbe()?.changedBy(again)) ?? [];
}

/** Waits for the real clock, outside of all runs. */
export function letRealTimePass(): Promise<void> {
  return serialize(() => sleep(systemClock, PAUSE_MS));
}

/** Makes a run with globals and built-in objects as they were before the code was first loaded. */
async function withoutAdded(afresh: () => Promise<RunReport>): Promise<RunReport> {
  const putBack = stateProbe()?.forgetAdded();
  try {
    return await afresh();
  } finally {
    putBack?.();
  }
}

/** Loads the module anew for each of two runs: if only then they are equal, it keeps state. */
async function isStateForSure(
  { afresh }: RepeatableRun,
  [first, second, ...later]: readonly RunReport[],
): Promise<boolean> {
  if (afresh === undefined || first === undefined || second === undefined) return false;
  const [one, other] = [await withoutAdded(afresh), await withoutAdded(afresh)];
  if (!areEqual(one, other)) return false;
  const isSteady = areAllEqual([second, ...later]);
  return !isSteady || areEqual(first, one) || !areEqual(second, one);
}

/** The first of two runs came to its end, and the second did not. */
function errorFromThrown(run: RepeatableRun, { threw }: Threw): NotDeterministic {
  if (threw instanceof ReplayDrift) {
    const { position, recorded, asked } = threw;
    const difference = { place: `at choice ${position}`, first: [recorded], second: [asked] };
    return unproven(run, difference, "choices-differ");
  }
  const difference = { place: "at their beginning", first: ["begins"], second: [threw.message] };
  return unproven(run, difference, "state-outlives-run");
}

function unproven(
  run: RepeatableRun,
  difference: Pick<Difference, "place" | "first" | "second">,
  likely: LikelySource,
): NotDeterministic {
  const at = { atMs: 0, before: [] };
  return new NotDeterministic({
    ...run,
    difference: { ...at, ...difference },
    likely,
    isCertain: false,
    state: [],
  });
}

function errorFrom(
  run: RepeatableRun,
  [first, second]: readonly [RunReport, RunReport],
  source: Pick<NotDeterministicParts, "likely" | "isCertain" | "state">,
): NotDeterministic {
  const difference = differenceBetween(first, second);
  invariant(difference !== undefined, "Two runs with different digests have the same events");
  return new NotDeterministic({ ...run, difference, ...source });
}
