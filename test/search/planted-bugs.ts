import { managersOf } from "../../sim/worlds/manager/profiles.ts";
import type { ManagerFactory } from "../../sim/worlds/stage.ts";
import type { TaskScenario } from "../../sim/worlds/tasks/task-scenario.ts";
import type { Subject } from "../../sim/search/subject.ts";
import { subjectFrom } from "../../sim/search/subject.ts";
import { PLANTED_JOB_BUGS } from "../check/resumable-job-bugs.ts";
import { COORDINATED_MUTANTS, MUTANTS } from "../mutants/bug-list.ts";
import type { Mutant } from "../mutants/mutant.ts";
import type { MutantSandbox } from "../mutants/mutant-sandbox.ts";
import { ALGORITHM_BUGS } from "../resumable/algorithm-bugs.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import {
  PLANTED_BUGS as BACKEND_BUGS,
  type PlantedBug as BackendBug,
} from "../store/broken-backends.ts";
import { STORE_BUGS } from "../tasks/store-bugs.ts";
import { algorithmSubject } from "./algorithm-subject.ts";
import { backendSubject } from "./backend-subject.ts";
import { jobSubject } from "./job-subject.ts";

/** A bug that was planted, and where searches look for it. */
export interface PlantedBug {
  readonly bug: string;
  readonly what: string;
  /**
   * How many runs of its world cost about as much as one of a manager: so many times more are made
   * before a search gives up.
   */
  readonly runsForOne: number;
  readonly subjects: () => Promise<readonly Subject[]>;
}

/** Where bugs of the manager are sought unless they say otherwise. */
export const SCENARIOS: readonly string[] = ["hostile-client", "stalling-client"];
/** A history of one task takes less than a millisecond. */
const JOB_RUNS_FOR_ONE = 10;
/** A handful of attempts on a bench, or of commands to a store in memory, as well. */
const BENCH_RUNS_FOR_ONE = 10;
/** Bugs of a backend that commands alone can show; the worlds show some of the others. */
export const COMMAND_BUGS: readonly BackendBug[] = BACKEND_BUGS.filter(({ name }) =>
  ["E10", "E11", "E12", "E36", "E39", "E41", "E43"].includes(name.split(":")[0] ?? ""),
);

/**
 * All planted bugs: of the shared stream (B-…), of stores, of tasks that keep state, of the jobs of
 * tasks, of the algorithm that resumes them and of state backends (E…).
 */
export function plantedBugs(sandbox: MutantSandbox): readonly PlantedBug[] {
  return [
    ...MUTANTS.map((mutant) => bugFrom(sandbox, mutant, SCENARIOS)),
    ...STORE_BUGS.map(({ bug, scenario, parts }) => ({
      ...named(bug),
      runsForOne: 1,
      subjects: async () => [subjectFrom(readScenario(scenario), { taskParts: parts })],
    })),
    {
      ...named("E54 mapped tasks that share an asset's key lose each other's watermark"),
      runsForOne: 1,
      subjects: async () => [subjectFrom(mappedWatermark())],
    },
    ...PLANTED_JOB_BUGS.map((bug) => ({
      ...named(bug.name),
      runsForOne: JOB_RUNS_FOR_ONE,
      subjects: async () => [await jobSubject(bug)],
    })),
    ...ALGORITHM_BUGS.map((bug) => ({
      ...named(bug.bug),
      runsForOne: BENCH_RUNS_FOR_ONE,
      subjects: async () => [algorithmSubject(bug)],
    })),
    ...COMMAND_BUGS.map(({ name, create }) => ({
      ...named(name.replace(":", "")),
      runsForOne: BENCH_RUNS_FOR_ONE,
      subjects: async () => [backendSubject(name, create)],
    })),
  ];
}

/** Bugs of the shared stream that show only after several coordinated steps. */
export function coordinatedBugs(sandbox: MutantSandbox): readonly PlantedBug[] {
  return COORDINATED_MUTANTS.map((mutant) => bugFrom(sandbox, mutant, ["hostile-client"]));
}

function bugFrom(sandbox: MutantSandbox, mutant: Mutant, scenarios: readonly string[]): PlantedBug {
  return {
    ...named(`${mutant.bug} ${mutant.what}`),
    runsForOne: 1,
    subjects: () => mutantSubjects(sandbox, mutant, mutant.scenarios ?? scenarios),
  };
}

/** "E9 what goes wrong" in two. */
export function named(text: string): { readonly bug: string; readonly what: string } {
  const [bug = text, ...words] = text.split(" ");
  return { bug, what: words.join(" ") };
}

/** Its watermark is one for all map indices. */
export function mappedWatermark(): TaskScenario {
  const scenario = readScenario("store/asset-watermark") as TaskScenario;
  const tasks = scenario.tasks.map((task) => ({ ...task, mapped: 3 }));
  return { ...scenario, workers: 3, tasks, operations: [] };
}

async function mutantSubjects(
  sandbox: MutantSandbox,
  mutant: Mutant,
  names: readonly string[],
): Promise<readonly Subject[]> {
  const createManager = await managerOf(sandbox, mutant);
  return names.map((name) => subjectFrom(readScenario(name), { createManager }));
}

/** Makes managers of the copy that has the bug. */
export async function managerOf(sandbox: MutantSandbox, mutant: Mutant): Promise<ManagerFactory> {
  return managersOf(await sandbox.load(mutant));
}
