// The mutation gate: changes the sources one place at a time, and runs the tests of the fast gate that
// execute it. A mutant that no test notices must stand in the table of survivors with a verdict.
import { parseArgs } from "node:util";
import { HostProcess } from "./host-process.ts";
import { fastTests, recordsOf } from "./records.ts";
import { sampleOf } from "./sample.ts";
import {
  type Group,
  groupOf,
  GROUPS,
  mutantsOfFile,
  mutatedFiles,
  type SourceMutant,
} from "./source-mutants.ts";
import {
  GOALS,
  type Measured,
  readTable,
  scoreOf,
  type Survivor,
  survivorFrom,
  type SurvivorTable,
  writeTable,
} from "./survivors.ts";
import { type Outcome, Trials } from "./trial.ts";
import type { TestRecord } from "./worker-setup.ts";

/** What two cores are done with in ten minutes. */
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
  --stale         take what tests execute from earlier runs, also of tests that have changed since
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
  const known = new Map(table.survivors.map((one) => [one.id, one]));
  const tried = options.recheck ? drawn : drawn.filter(({ id }) => !known.has(id));
  progress(`${drawn.length} of ${everything.length} mutants, ${drawn.length - tried.length} known`);

  const trials = new Trials(await records());
  const outcomes = await runAll(trials, tried);
  const survivors = outcomes.filter(({ end }) => end === "survived").map(({ mutant }) => mutant);
  const unknown = survivors.filter(({ id }) => !known.has(id));
  const killed = outcomes.filter(({ end }) => end !== "survived").map(({ mutant }) => mutant);
  const groups = GROUPS.map((group) => measuredOf(group, drawn, killed, known));
  if (options.write) {
    const there = new Set(everything.map(({ id }) => id));
    for (const { id } of killed) there.delete(id);
    writeTable(newTable(table, there, unknown, { seed, sample: drawn.length, groups }));
  }
  report(groups, outcomes, unknown, known);
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
  return await recordsOf(fastTests(), options.stale, async function* record(missing) {
    const failed: string[] = [];
    using host = new HostProcess();
    for (let at = 0; at < missing.length; at += RECORDED_TOGETHER) {
      progress(`recording what the tests execute: ${at}/${missing.length} files`);
      const tests = missing.slice(at, at + RECORDED_TOGETHER);
      const reply = await host.record({ kind: "record", tests, files: mutatedFiles() });
      failed.push(...reply.failed);
      yield reply.records.filter(({ test }) => !reply.failed.includes(test));
    }
    if (failed.length > 0) {
      throw new Error(`Cannot judge mutants: without one fail ${failed.join(", ")}`);
    }
  });
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
  async function work(): Promise<void> {
    using host = new HostProcess();
    while (next < mutants.length) {
      const index = next;
      next += 1;
      const outcome = await trials.of(mutants[index] as SourceMutant, host);
      outcomes[index] = outcome;
      done += 1;
      const seconds = Math.round((performance.now() - start) / 1_000);
      const end = outcome.end === "survived" ? "SURVIVED" : outcome.end.padEnd(8);
      progress(`${done}/${mutants.length} ${seconds} s  ${end}  ${titleOf(outcome.mutant)}`);
    }
  }
  const workers = wholeNumber("workers", options.workers);
  await Promise.all(Array.from({ length: workers }, work));
  return outcomes.filter((one) => one !== undefined);
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

/** Returns the table without those that are `there` no more, and with the new survivors. */
function newTable(
  { measured, survivors }: SurvivorTable,
  there: ReadonlySet<string>,
  unknown: readonly SourceMutant[],
  measurement: SurvivorTable["measured"][number],
): SurvivorTable {
  const kept = survivors.filter(({ id }) => there.has(id));
  const added = unknown.map((mutant) => survivorFrom(mutant, "open", ""));
  const isWhole = options.files === undefined && options.id === undefined;
  const others = measured.filter(({ seed }) => seed !== measurement.seed);
  return {
    measured: isWhole ? [...others, measurement] : measured,
    survivors: [...kept, ...added],
  };
}

function report(
  groups: readonly Measured[],
  outcomes: readonly Outcome[],
  unknown: readonly SourceMutant[],
  known: ReadonlyMap<string, Survivor>,
): void {
  if (options.json) {
    const tried = outcomes.map(({ mutant, end, by, tests }) => {
      const { edit: _edit, ...shown } = mutant;
      return { ...shown, operator: mutant.edit.operator, end, by, tests };
    });
    console.log(JSON.stringify({ groups, tried }, undefined, 2));
    return;
  }
  for (const one of groups) {
    const goal = `goal ${GOALS[one.group]} %`;
    const counts = `${one.killed} killed, ${one.survived} survived, ${one.equivalent} equivalent`;
    console.log(
      `${one.group.padEnd(13)} ${scoreOf(one).toFixed(1).padStart(5)} %, ${goal}: ${counts}`,
    );
  }
  for (const { mutant } of outcomes.filter((one) => one.end !== "survived")) {
    if (known.has(mutant.id))
      console.log(`killed, though in the table: ${mutant.id} ${titleOf(mutant)}`);
  }
  for (const mutant of unknown) console.log(`survived: ${mutant.id} ${titleOf(mutant)}`);
  if (unknown.length > 0) {
    const ids = unknown.map(({ id }) => `--id ${id}`).join(" ");
    console.log(
      `\n${unknown.length} survivors are not in test/mutation/survivors.json. To run them again:`,
    );
    console.log(`  npm run test:mutation -- ${ids}`);
  }
}

function titleOf({ file, line, edit, original, mutated }: SourceMutant): string {
  return `${file}:${line} ${edit.operator}: ${original} => ${mutated}`;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) {
    throw new RangeError(`Cannot use --${name} "${text}": it is a whole number`);
  }
  return value;
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
