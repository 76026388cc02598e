// AIP-30's examples of incremental processes, as functions in a world whose workers die: rows by the
// time at which they were modified, new files of a folder, and facts out of several tables.
import { describe, expect, test } from "vitest";
import type { StateModelPort, TaskFunction } from "../../src/operator/mod.ts";
import type { TaskServices } from "../../sim/hosts/task-process.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { EPOCH_MS } from "../../sim/trace/epoch.ts";

const SEEDS = 15;
const RUNS = 6;
const EVERY_MS = 20_000;
/** AIP-30's initial load value. */
const INITIAL = "1900-01-01T00:00:00.000Z";

const SCENARIO = parseScenario(
  `
story: Runs of an incremental task whose workers die before and after each load and each write.
world: tasks
workers: 2
tasks:
  - { name: orders, operator: watermark, runs: ${RUNS}, every: 20s, retries: 30, retryDelay: 2s }
faults:
  - { site: warehouse.load, rate: "1/6", verdict: crash-before }
  - { site: warehouse.load, rate: "1/6", verdict: crash-after }
  - { site: api.set-task-state, rate: "1/6", verdict: crash-before }
  - { site: store.commit, rate: "1/8", verdict: fail-after }
phases: { safety: 240s }
`,
  "incremental-processes",
);

/** One thing to load, and when it came to be. */
interface Item {
  readonly name: string;
  readonly modifiedAt: number;
}

/** A table or a folder in which something new appears every few seconds. */
function itemsOf(source: string, everyMs: number, untilMs: number): readonly Item[] {
  const count = Math.floor((untilMs - EPOCH_MS) / everyMs);
  return Array.from({ length: count }, (_, at) => {
    return { name: `${source}/${at}`, modifiedAt: EPOCH_MS + (at + 1) * everyMs };
  });
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
const newestOf = (items: readonly Item[]): string => isoOf(items.at(-1)?.modifiedAt ?? EPOCH_MS);

/** Loads one item, or a range, and records it: the effect that is not to be repeated or left out. */
type Load = (items: readonly Item[]) => Promise<void>;
type Process = (state: StateModelPort, now: number, load: Load) => Promise<void>;

/** Pulls what was modified since the last run, by a watermark that is a date. */
const byModified =
  (tables: readonly (readonly [name: string, everyMs: number])[]): Process =>
  async (state, now, load) => {
    const low = await state.get(INITIAL);
    const all = tables.map(([name, everyMs]) => itemsOf(name, everyMs, now));
    // A fact needs all its tables: the mark is the newest date that each of them has reached.
    const high = all.map(newestOf).toSorted()[0] ?? low;
    const isNew = ({ modifiedAt }: Item): boolean =>
      low < isoOf(modifiedAt) && isoOf(modifiedAt) <= high;
    await load(all.flat().filter(isNew));
    await state.raise(high);
  };

/** Retrieves the files that were not there before, by the set of those that it has seen. */
const byName: Process = async (state, now, load) => {
  const seen = await state.get<string[]>([]);
  for (const file of itemsOf("inbox", 5_000, now)) {
    if (seen.includes(file.name)) continue;
    await load([file]);
    seen.push(file.name);
    await state.set(seen);
  }
};

const functionOf =
  (process: Process, { life }: TaskServices, loaded: string[]): TaskFunction =>
  async ({ taskState }) => {
    if (taskState === undefined) throw new Error("There is no TaskState");
    await process(taskState, life.clock.wallNow(), (items) =>
      life.call("warehouse.load", "warehouse", () => {
        loaded.push(...items.map(({ name }) => name));
      }),
    );
  };

/** What was loaded in one run of the world, and how many faults may each have cost an attempt. */
async function loadedWith(
  process: Process,
  seed: number,
): Promise<{ readonly loaded: readonly string[]; readonly faults: number }> {
  const loaded: string[] = [];
  const { trace } = await simulate(SCENARIO, {
    seed,
    taskParts: { createOperator: (_spec, services) => functionOf(process, services, loaded) },
  });
  return { loaded, faults: trace.filter(({ kind }) => kind === "fault").length };
}

describe("AIP-30's incremental processes, in a world under faults:", () => {
  test.each<readonly [string, Process, readonly (readonly [string, number])[]]>([
    ["rows by datetime_modified", byModified([["rows", 3_000]]), [["rows", 3_000]]],
    [
      "facts, by the least of the newest dates of two tables",
      byModified([
        ["orders", 4_000],
        ["customers", 7_000],
      ]),
      [
        ["orders", 4_000],
        ["customers", 7_000],
      ],
    ],
    ["new files, by a set of those seen", byName, [["inbox", 5_000]]],
  ])("%s: nothing is left out, and only a lost attempt repeats", async (_, process, sources) => {
    let repeats = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { loaded, faults } = await loadedWith(process, seed);
      // What came before the last run began, less what waits for another table.
      const until = EPOCH_MS + (RUNS - 1) * EVERY_MS - 10_000;
      const owed = sources.flatMap(([name, everyMs]) => itemsOf(name, everyMs, until));
      expect(owed.map(({ name }) => name).filter((name) => !loaded.includes(name))).toEqual([]);
      const times = Map.groupBy(loaded, (name) => name);
      const most = Math.max(...[...times.values()].map(({ length }) => length));
      expect(most).toBeLessThanOrEqual(1 + faults);
      if (most > 1) repeats += 1;
      if (faults === 0) expect(most).toBe(1);
    }
    // The window between a load and its mark is really hit.
    expect(repeats).toBeGreaterThan(0);
  });

  test("a set that each run keeps for itself has every file loaded anew", async () => {
    const forgetful: Process = (state, now, load) =>
      byName({ ...state, get: async <T>(none?: T) => none as T, set: async () => {} }, now, load);
    const { loaded } = await loadedWith(forgetful, 1);
    expect(loaded.filter((name) => name === "inbox/0").length).toBeGreaterThanOrEqual(RUNS - 1);
  });
});
