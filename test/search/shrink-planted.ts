import type { StateCommand } from "../../sim/check/backend/state-backend-commands.ts";
import { COMMAND_STAGES } from "../../sim/check/backend/state-backend-model-law.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { WorldParts } from "../../sim/worlds/world-parts.ts";
import { inputFrom, writeScenario } from "../../sim/scenario/write.ts";
import {
  type FailureIdentity,
  identityOf,
  isSameFailure,
} from "../../sim/search/shrink/shrink-identity.ts";
import { shrinkScenario, type ShrunkScenario } from "../../sim/search/shrink/shrink-scenario.ts";
import { shrink, type Shrunk } from "../../sim/search/shrink/shrink.ts";
import { PLANTED_JOB_BUGS, type PlantedJobBug } from "../check/resumable-job-bugs.ts";
import { MUTANTS } from "../mutants/bug-list.ts";
import type { MutantSandbox } from "../mutants/mutant-sandbox.ts";
import { ALGORITHM_BUGS, type AlgorithmBug } from "../resumable/algorithm-bugs.ts";
import { brokenPromise, type History } from "../resumable/laws.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import type { PlantedBug as BackendBug } from "../store/broken-backends.ts";
import { STORE_BUGS } from "../tasks/store-bugs.ts";
import { HISTORY_STAGES, historyFrom } from "./algorithm-subject.ts";
import { commandsFrom } from "../../sim/check/backend/state-backend-draws.ts";
import { disagreement } from "./backend-subject.ts";
import { brokenOperator, sweptScenario } from "./job-subject.ts";
import { COMMAND_BUGS, managerOf, mappedWatermark, named, SCENARIOS } from "./planted-bugs.ts";

/** What became of a failing run that was made small. */
export interface SmallFailure {
  readonly isMinimal: boolean;
  readonly reruns: number;
  readonly ms: number;
  /** What a reader has to take in: faults, operations and pinned choices are a line each. */
  readonly lines: number;
  readonly faults: number;
  /** Whether it fails in the same way when it is run from what is written. */
  readonly failsStill: boolean;
  /** Whether shrinking it once more changes nothing. */
  readonly isAtRest: boolean;
}

/** A planted bug, and the first of the generated runs that shows it. */
export interface PlantedFailure {
  readonly bug: string;
  readonly what: string;
  /** Finds the run and makes it small. */
  readonly shrunk: () => Promise<SmallFailure>;
}

const SEEDS_MAX = 2_000;

export function plantedFailures(sandbox: MutantSandbox): readonly PlantedFailure[] {
  return [
    ...MUTANTS.map((mutant) => ({
      bug: mutant.bug,
      what: mutant.what,
      shrunk: async () => {
        const createManager = await managerOf(sandbox, mutant);
        const scenarios = (mutant.scenarios ?? SCENARIOS).map(readScenario);
        return shrunkScenario(scenarios, { createManager });
      },
    })),
    ...STORE_BUGS.map(({ bug, scenario, parts }) => ({
      ...named(bug),
      shrunk: () => shrunkScenario([readScenario(scenario)], { taskParts: parts }),
    })),
    {
      ...named("E54 mapped tasks that share an asset's key lose each other's watermark"),
      shrunk: () => shrunkScenario([mappedWatermark()], {}),
    },
    ...PLANTED_JOB_BUGS.map((bug) => ({ ...named(bug.name), shrunk: () => shrunkJob(bug) })),
    ...ALGORITHM_BUGS.map((bug) => ({ ...named(bug.bug), shrunk: () => shrunkHistory(bug) })),
    ...COMMAND_BUGS.map((bug) => ({
      ...named(bug.name.replace(":", "")),
      shrunk: () => shrunkCommands(bug),
    })),
  ];
}

async function timed<T>(act: () => Promise<T>): Promise<readonly [T, ms: number]> {
  const beganAt = performance.now();
  const made = await act();
  return [made, performance.now() - beganAt];
}

type Parts = WorldParts;

interface FailingRun {
  readonly scenario: Scenario;
  readonly seed: number;
}

async function shrunkScenario(scenarios: readonly Scenario[], parts: Parts): Promise<SmallFailure> {
  return shrunkRun(await failingRun(scenarios, parts), parts);
}

async function shrunkRun({ scenario, seed }: FailingRun, parts: Parts): Promise<SmallFailure> {
  const [small, ms] = await timed(() => shrinkScenario(scenario, { seed, parts }));
  const read = parseScenario(small.text, small.scenario.name);
  const report = await simulate(read, { ...parts, trace: false });
  const failures = report.verdict === "broken" ? report.violations.map(identityOf) : [];
  const again = await shrinkScenario(read, { parts });
  return {
    isMinimal: small.isMinimal,
    reruns: small.reruns,
    ms,
    ...sizeOf(small),
    failsStill: failures.some((one) => isSameFailure(one, small.failure)),
    isAtRest: textOf(again) === textOf(small),
  };
}

/** As a file, without what it was shrunk from. */
function textOf({ scenario }: ShrunkScenario): string {
  return writeScenario({ ...scenario, story: "x" });
}

async function failingRun(scenarios: readonly Scenario[], parts: Parts): Promise<FailingRun> {
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    for (const scenario of scenarios) {
      const report = await simulate(scenario, { seed, trace: false, ...parts });
      if (report.verdict === "broken") return { scenario, seed };
    }
  }
  throw new Error(`Not found in ${SEEDS_MAX} seeds`);
}

function sizeOf({ scenario }: ShrunkScenario): Pick<SmallFailure, "lines" | "faults"> {
  const { faults = [], operations } = inputFrom(scenario);
  const listed = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  const lines = listed(faults) + listed(operations) + (scenario.choices?.length ?? 0);
  return { lines, faults: listed(faults) };
}

async function shrunkJob(bug: PlantedJobBug): Promise<SmallFailure> {
  const parts = { operator: brokenOperator(bug) };
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    const scenario = sweptScenario(bug, seed);
    const { verdict } = await simulate(scenario, { seed, trace: false, ...parts });
    if (verdict === "broken") return shrunkRun({ scenario, seed }, parts);
  }
  throw new Error(`Not found in ${SEEDS_MAX} seeds`);
}

async function shrunkHistory({ benchOf }: AlgorithmBug): Promise<SmallFailure> {
  const failureOf = async (history: History): Promise<FailureIdentity | undefined> => {
    const broken = await brokenPromise(history, benchOf);
    return broken && { checker: broken.promise, symptom: "wrong-result" };
  };
  const [history, failure] = await firstFailing(
    (seed) => historyFrom(new SeededChoices(seed).stream("workload", "history")),
    failureOf,
  );
  const { subject, ...small } = await shrunkData(history, failure, {
    failureOf,
    shrunk: (one, stillFails) => shrink(one, { stages: HISTORY_STAGES, stillFails }),
  });
  const { crashes, endings } = subject;
  return { ...small, lines: crashes.length + endings.length, faults: crashes.length };
}

async function shrunkCommands({ create }: BackendBug): Promise<SmallFailure> {
  const failureOf = async (commands: Commands): Promise<FailureIdentity | undefined> => {
    const detail = await disagreement(create, commands);
    return detail === undefined ? undefined : { checker: "model", symptom: "read-differs" };
  };
  const [commands, failure] = await firstFailing(
    (seed) => commandsFrom(new SeededChoices(seed).stream("workload", "commands")),
    failureOf,
  );
  const { subject, ...small } = await shrunkData(commands, failure, {
    failureOf,
    shrunk: (one, stillFails) => shrink(one, { stages: COMMAND_STAGES, stillFails }),
  });
  return { ...small, lines: subject.length, faults: 0 };
}

type Commands = readonly StateCommand[];

async function firstFailing<S>(
  subjectOf: (seed: number) => S,
  failureOf: (subject: S) => Promise<FailureIdentity | undefined>,
): Promise<readonly [S, FailureIdentity]> {
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    const failure = await failureOf(subjectOf(seed));
    if (failure !== undefined) return [subjectOf(seed), failure];
  }
  throw new Error(`Not found in ${SEEDS_MAX} seeds`);
}

interface Shrinking<S> {
  readonly failureOf: (subject: S) => Promise<FailureIdentity | undefined>;
  readonly shrunk: (
    subject: S,
    stillFails: (candidate: S) => Promise<boolean>,
  ) => Promise<Shrunk<S>>;
}

async function shrunkData<S>(
  subject: S,
  failure: FailureIdentity,
  { failureOf, shrunk }: Shrinking<S>,
): Promise<Omit<SmallFailure, "lines" | "faults"> & { readonly subject: S }> {
  const stillFails = async (candidate: S): Promise<boolean> => {
    const now = await failureOf(candidate);
    return now !== undefined && isSameFailure(now, failure);
  };
  const [small, ms] = await timed(() => shrunk(subject, stillFails));
  const again = await shrunk(small.subject, stillFails);
  return {
    subject: small.subject,
    isMinimal: small.isMinimal,
    reruns: small.reruns,
    ms,
    failsStill: await stillFails(small.subject),
    isAtRest: JSON.stringify(again.subject) === JSON.stringify(small.subject),
  };
}
