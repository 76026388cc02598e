import { readFileSync } from "node:fs";
import { Command } from "commander";
import { systemClock } from "../../src/platform/mod.ts";
import {
  compareReports,
  earlierReportFrom,
  textFromComparison,
} from "../../bench/engine/compare.ts";
import type { RowResult } from "../../bench/engine/measure.ts";
import { textFromReport } from "../../bench/engine/report.ts";
import type { Bench } from "../../bench/engine/rows.ts";
import { type BenchReport, runBench } from "../../bench/engine/run-bench.ts";
import { createCollector, createScales, readMachine, versionsOf } from "./bench-machine.ts";
import { complain, print, printJson, WrongInput, wholeNumber } from "./output.ts";

export interface BenchFlags {
  readonly json?: boolean;
  readonly quick?: boolean;
  readonly compare?: string;
  readonly only?: readonly string[];
  readonly rounds?: number;
}

/** What the checkout adds to the kit's own bench. */
export interface BenchExtras {
  readonly peers?: Bench["peers"];
  readonly packages?: readonly string[];
  readonly otherRows?: () => Promise<readonly RowResult[]>;
}

const ROUNDS = 5;
const ROUNDS_QUICK = 2;
const PACKAGES = ["faultlane", "mitata"];

/** `faultlane bench` */
export function createBenchCommand(): Command {
  return withBenchFlags(new Command("bench")).action(async (flags: BenchFlags) => {
    await benchAndPrint(flags, {});
  });
}

/** The verb with its flags; the checkout adds some of its own. */
export function withBenchFlags(command: Command): Command {
  return command
    .description(
      "measure advance throughput, compared with the textbook algorithm and a lower bound",
    )
    .option("--json", "one JSON document on standard output")
    .option(
      "--compare <old.json>",
      "report what changed by more than noise since an earlier --json",
    )
    .option("--quick", "small sizes, for a quick look instead of a measurement")
    .option("--only <parts...>", "only the rows with one of these in their name")
    .option("--rounds <n>", "how often each row is measured", wholeNumber("--rounds", 1, 1_000));
}

/** Runs the bench as the flags ask, prints the report and returns it. */
export async function benchAndPrint(flags: BenchFlags, extras: BenchExtras): Promise<BenchReport> {
  const { json, quick = false, compare, only = [] } = flags;
  const earlier = compare === undefined ? undefined : earlierReportFrom(textOf(compare), compare);
  const collect = createCollector();
  const weigh = createScales(collect);
  const { peers, packages = [], otherRows } = extras;
  const report = await runBench(
    {
      clock: systemClock,
      isQuick: quick,
      ...(weigh === undefined ? {} : { weigh }),
      ...(peers === undefined ? {} : { peers }),
    },
    {
      machine: readMachine(),
      versions: versionsOf([...PACKAGES, ...packages]),
      rounds: flags.rounds ?? (quick ? ROUNDS_QUICK : ROUNDS),
      only,
      onRow: (id, at, of) => complain(`${at + 1} of ${of}: ${id}`),
      ...(otherRows === undefined ? {} : { otherRows }),
    },
  );
  const comparison = earlier === undefined ? undefined : compareReports(earlier, report);
  if (json === true) {
    printJson(comparison === undefined ? report : { ...report, comparison });
  } else {
    print(textFromReport(report));
    if (comparison !== undefined) print(`\n${textFromComparison(comparison)}`);
  }
  return report;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new WrongInput(`Cannot read "${path}": ${(error as Error).message}`);
  }
}
