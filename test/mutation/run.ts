// The mutation gate: changes the sources one place at a time, and runs the tests of the fast gate that
// execute it. A mutant that no test notices must stand in the table of survivors with a verdict.
import { parseArgs } from "node:util";
import { HostProcess } from "./host-process.ts";
import { fastTests, recordsOf } from "./records.ts";
import { progress, report, titleOf } from "./report.ts";
import { sampleOf } from "./sample.ts";
import {
  type Group,
  groupOf,
  GROUPS,
  mutantsOfFile,
  mutatedFiles,
  type SourceMutant,
} from "./source-mutants.ts";
import { type StaleRows, staleRowsOf } from "./stale-rows.ts";
import {
  type Measured,
  readTable,
  type Survivor,
  survivorFrom,
  type SurvivorTable,
  writeTable,
} from "./survivors.ts";
import { type Outcome, Trials } from "./trial.ts";
import type { TestRecord } from "./worker-setup.ts";

/** What two idle cores are done with in five minutes, with the records: the long gate draws so many. */
const GATE_SAMPLE = 240;

/** How many test files are recorded between two lines of progress. */
const RECORDED_TOGETHER = 10;

const HELP = `Usage: npm run test:mutation -- [options]

Changes the sources one place at a time and runs the tests of the fast gate that execute it, fastest
first, until one fails. Ends with code 1 if a mutant survives that test/mutation/survivors.json does not
list; one that is listed there is not tried.

  --sample <n>    how many, a third each of src, sim/checkers and the rest (default ${GATE_SAMPLE})
  --all           every mutant
  --seed <n>      which ones are drawn (default 1)
  --files <part>  only mutants of files whose path contains this; may be repeated
  --id <id>       only the mutant with this id; may be repeated
  --workers <n>   how many run at the same time (default 2)
  --recheck       try also those that the table lists
  --stale         take what tests execute from earlier runs, also where sources have changed since
  --list          print the mutants, and try none
  --write         write the table: survivors are added as open, what was killed is taken out;
                  of a whole sample also what was measured
  --json          print the result as JSON on standard output
  --help          print this
`;

const { values: options } = parseArgs({
  options: {
    sample: { type: "string", default: String(GATE_SAMPLE) },
    all: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    files: { type: "string", multiple: true },
    id: { type: "string", multiple: true },
    workers: { type: "string", default: "2" },
    recheck: { type: "boolean", default: false },
    stale: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (options.help) process.stdout.write(HELP);
else process.exitCode = await main();

async function main(): Promise<number> {
  const seed = wholeNumber("seed", options.seed);
  const everything = mutatedFiles().flatMap(mutantsOfFile);
  const drawn = drawnFrom(everything, seed);
  if (options.list) {
    for (const one of drawn) console.log(`${one.id} ${titleOf(one)}`);
    return 0;
  }
  const table = readTable();
  const listed = new Map(table.survivors.map((one) => [one.id, one]));
  const tried = options.recheck ? drawn : drawn.filter(({ id }) => !listed.has(id));
  progress.say(
    `${drawn.length} of ${everything.length} mutants, ${drawn.length - tried.length} known`,
  );

  const outcomes = tried.length === 0 ? [] : await runAll(new Trials(await records()), tried);
  const survivors = outcomes.filter(({ end }) => end === "survived").map(({ mutant }) => mutant);
  const killed = outcomes.filter(({ end }) => end !== "survived").map(({ mutant }) => mutant);
  const stale = staleRowsOf(table.survivors, everything);
  const moved = [...stale.moved].map(([{ id }, row]) => [id, row] as const);
  const known = new Map([...listed, ...moved]);
  const unknown = survivors.filter(({ id }) => !known.has(id));
  const groups = GROUPS.map((group) => measuredOf(group, drawn, killed, known));
  if (options.write) {
    const there = new Set(everything.map(({ id }) => id));
    for (const { id } of killed) there.delete(id);
    writeTable(newTable(table, there, stale, unknown, { seed, sample: drawn.length, groups }));
  }
  const left = options.write ? { moved: new Map<never, never>(), gone: [] } : stale;
  report({ groups, outcomes, known, unknown, stale: left }, options);
  return unknown.length === 0 ? 0 : 1;
}

function drawnFrom(everything: readonly SourceMutant[], seed: number): readonly SourceMutant[] {
  const { files, id: ids, all, sample } = options;
  const asked = everything.filter(
    ({ id, file }) =>
      (files === undefined || files.some((part) => file.includes(part))) &&
      (ids === undefined || ids.includes(id)),
  );
  if (asked.length === 0) throw new RangeError("Cannot draw a mutant: no file or id is like that");
  return all || ids !== undefined ? asked : sampleOf(asked, wholeNumber("sample", sample), seed);
}

/** Returns what the tests take and execute unmutated; most of it was recorded by an earlier run. */
async function records(): Promise<readonly TestRecord[]> {
  return await recordsOf(fastTests(), options.stale, async (missing, keep) => {
    const failed: string[] = [];
    let next = 0;
    await atTheSameTime(async (host) => {
      while (next < missing.length) {
        progress.say(`recording what the tests execute: ${next}/${missing.length} files`);
        const tests = missing.slice(next, next + RECORDED_TOGETHER);
        next += tests.length;
        const again = await recordTests(tests, host, keep);
        failed.push(...(again.length === 0 ? [] : await recordTests(again, host, keep)));
      }
    });
    if (failed.length > 0) {
      throw new Error(`Cannot judge mutants: without one fail ${failed.join(", ")}`);
    }
  });
}

/** Returns those that failed. */
async function recordTests(
  tests: readonly string[],
  host: HostProcess,
  keep: (records: readonly TestRecord[]) => void,
): Promise<readonly string[]> {
  const { records: made, failed } = await host.record({
    kind: "record",
    tests,
    files: mutatedFiles(),
  });
  keep(made.filter(({ test }) => !failed.includes(test)));
  return failed;
}

/** Tries the mutants, as many at the same time as there are workers. */
async function runAll(
  trials: Trials,
  mutants: readonly SourceMutant[],
): Promise<readonly Outcome[]> {
  const start = performance.now();
  const outcomes: (Outcome | undefined)[] = mutants.map(() => undefined);
  let next = 0;
  let done = 0;
  await atTheSameTime(async (host) => {
    while (next < mutants.length) {
      const index = next;
      next += 1;
      const outcome = await trials.of(mutants[index] as SourceMutant, host);
      outcomes[index] = outcome;
      done += 1;
      const seconds = Math.round((performance.now() - start) / 1_000);
      const end = outcome.end === "survived" ? "SURVIVED" : outcome.end.padEnd(8);
      const line = `${done}/${mutants.length} ${seconds} s  ${end}  ${titleOf(outcome.mutant)}`;
      if (outcome.end === "survived") progress.say(line);
      else progress.sayNowAndThen(line);
    }
  });
  return outcomes.filter((one) => one !== undefined);
}

/** Runs so many of the same work as there are workers, each with a host of its own. */
async function atTheSameTime(work: (host: HostProcess) => Promise<void>): Promise<void> {
  const workers = wholeNumber("workers", options.workers);
  const works = Array.from({ length: workers }, async () => {
    using host = new HostProcess();
    await work(host);
  });
  await Promise.all(works);
}

function measuredOf(
  group: Group,
  drawn: readonly SourceMutant[],
  killed: readonly SourceMutant[],
  known: ReadonlyMap<string, Survivor>,
): Measured {
  const mutants = drawn.filter(({ file }) => groupOf(file) === group);
  const dead = new Set(killed);
  const left = mutants.filter((mutant) => !dead.has(mutant));
  const equivalent = left.filter(({ id }) => known.get(id)?.verdict === "equivalent").length;
  return {
    group,
    mutants: mutants.length,
    killed: mutants.length - left.length,
    equivalent,
    survived: left.length - equivalent,
  };
}

/**
 * Returns the table without those that are `there` no more, with those that have moved where they
 * are now, and with the new survivors.
 */
function newTable(
  { measured, survivors }: SurvivorTable,
  there: ReadonlySet<string>,
  { moved }: StaleRows,
  unknown: readonly SourceMutant[],
  measurement: SurvivorTable["measured"][number],
): SurvivorTable {
  const kept = survivors.filter(({ id }) => there.has(id));
  const followed = [...moved]
    .filter(([{ id }]) => there.has(id))
    .map(([mutant, { verdict, why }]) => survivorFrom(mutant, verdict, why));
  const added = unknown.map((mutant) => survivorFrom(mutant, "open", ""));
  const { files, id: ids } = options;
  const isWhole = files === undefined && ids === undefined && measurement.sample > 0;
  const others = measured.filter(({ seed }) => seed !== measurement.seed);
  return {
    measured: isWhole ? [...others, measurement] : measured,
    survivors: [...kept, ...followed, ...added],
  };
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) {
    throw new RangeError(`Cannot use --${name} "${text}": it is a whole number`);
  }
  return value;
}
