import { Command, Option } from "commander";
import { BROKER_NAMES } from "../brokers/broker-named.ts";
import { checkProducer, type ProducerSpec } from "../check/producer/check-producer.ts";
import type { CheckReport } from "../check/producer/check-report.ts";
import { counted, PropertyViolation } from "../check/property-violation.ts";
import { NotDeterministic } from "../run/not-deterministic.ts";
import { NotVirtual } from "../realm/not-virtual.ts";
import { JOB_SYSTEM_NAMES } from "../jobs/presets.ts";
import { writeScenario } from "../scenario/write.ts";
import { brokerFrom } from "../worlds/producer/broker-spec.ts";
import {
  DECISION_TABLE_NAMES,
  type DecisionTableName,
} from "../checkers/producer/decision-tables.ts";
import { ownBrokerFrom } from "../worlds/producer/own-broker.ts";
import { createProducerFrom } from "../worlds/producer/producer-subject.ts";
import type { CreateProducer, ProducerUnderTest } from "../worlds/producer/producer-under-test.ts";
import { BrokenCheck, playLine } from "./broken-check.ts";
import {
  type BrokerFlags,
  brokerFlagsText,
  brokerModelFrom,
  brokerNameOption,
  brokerOptionsHelp,
  brokerSettingOption,
} from "./broker-flags.ts";
import { checkOperator, playOperator } from "./check-operator.ts";
import { watchForHang } from "./hang-watch.ts";
import { type FormatFlags, formatOption, isText, withFormat } from "./format.ts";
import { listenForInterruption } from "./interruption.ts";
import { EXIT, WrongInput, wholeNumber } from "./output.ts";
import { OWN_FOLDER } from "./own-folder.ts";
import { brokenWords, printBroken, printHeld } from "./print-check.ts";
import { createProgress } from "./progress.ts";
import { reportNotDeterministic, reportNotVirtual } from "./repeat-subject.ts";
import { readScenario } from "./scenario-files.ts";
import { loadModule, subjectPartsOf, takeFrom } from "./subject-module.ts";
import { printVacuous, STRICT_OPTION, type StrictFlag, strictExit, vacuousIn } from "./strict.ts";
import { isWrongInput } from "./wrong-input.ts";

interface CheckFlags extends StrictFlag, FormatFlags, BrokerFlags {
  readonly system?: string;
  readonly decide?: DecisionTableName;
  readonly runs: number;
  readonly seed: number;
  readonly artifacts: string;
}

const RUNS_DEFAULT = 1_000;
const RUNS_MAX = 1e7;
const SEED_MAX = 1e12;
const SCENARIO = /\.(ya?ml|json)$/;

const EXAMPLES = `
Examples:
  $ npx faultlane check my-producer.ts --broker kafka
  $ npx faultlane check my-producer.ts --broker sqs --runs 10000 --seed 5000
  $ npx faultlane check my-producer.ts --broker nats --broker-option ackPolicy=all
  $ npx faultlane check my-producer.ts --broker kafka --decide dead-letter
  $ npx faultlane check my-operator.ts --system livy
  $ npx faultlane check .faultlane/my-producer.seed-33.yaml     play one run that it left

A producer's module exports createProducer({ client }); the client has the shape of the library that
people use for that broker. An operator's module exports createJob(client, { task }), which returns
a resumable job.

${brokerOptionsHelp()}

Tables for --decide. In each, what failed or what nobody took is given back, and what everybody took
is settled:
  airflow       what was rejected is dead-lettered or nacked, or given back if it failed as well
  dead-letter   what was rejected is dead-lettered, whatever became of it elsewhere
  failed-first  what failed is given back, also if it was rejected elsewhere; what was only rejected
                is dead-lettered

Verdicts:
  exit  with --json                    what it means
  0     "held": true                   every promise held in every run
  1     "held": false                  a promise was broken; the run that shows it was made twice
  2     "verdict": "not-deterministic" two runs from one seed differ, so that no run proves anything:
                                       the first event that differs, and the likely source
  2     a message on standard error    the module cannot be judged: no such file, no factory, real
                                       timers or sockets, what the model of the broker
                                       does not have, a factory that throws
  3     a message on standard error    the kit itself failed`;

/** `faultlane check <module> --broker <name>`, `--system <name>`, and `check <scenario>` */
export function createCheckCommand(setExit: (code: number) => void): Command {
  return new Command("check")
    .description(
      "try a producer or an operator of yours against a model of its broker or its job system, under generated faults",
    )
    .argument(
      "<path>",
      "a module with createProducer({ client }) or createJob(client), by that name or as its default; or a scenario that a check left",
    )
    .addOption(brokerNameOption())
    .addOption(brokerSettingOption())
    .option("--system <name>", `of an operator: one of ${JOB_SYSTEM_NAMES.join(", ")}`)
    .addOption(
      new Option(
        "--decide <table>",
        "of a producer: what it owes for each outcome; default: all that Airflow's documents allow",
      ).choices(DECISION_TABLE_NAMES),
    )
    .option("--runs <n>", "how many runs", wholeNumber("--runs", 1, RUNS_MAX), RUNS_DEFAULT)
    .option("--seed <n>", "of the first run", wholeNumber("--seed", 0, SEED_MAX), 1)
    .option("--artifacts <folder>", "where a broken run leaves its scenario", OWN_FOLDER)
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .addOption(formatOption())
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, given: CheckFlags) => {
      const flags = withFormat(given);
      setExit(SCENARIO.test(path) ? await playFile(path, flags) : await checkModule(path, flags));
    });
}

async function checkModule(path: string, flags: CheckFlags): Promise<number> {
  const { system, decide } = flags;
  const flagText = brokerFlagsText(flags);
  if (system !== undefined && flagText !== "") {
    throw new WrongInput(`Cannot check "${path}": it needs --broker or --system, not both`);
  }
  if (system !== undefined && decide !== undefined) throw decidesNothing(path);
  if (system !== undefined) return checkOperator(path, { ...flags, system });
  const named = brokerModelFrom(flags);
  const module = await loadModule(path);
  const broker = named ?? takeFrom(path, () => ownBrokerFrom(module));
  if (broker === undefined) {
    throw new WrongInput(
      `Cannot check "${path}" without its broker: add --broker with one of ${BROKER_NAMES.join(", ")}; or --system for an operator; or export a model of yours from it as broker`,
    );
  }
  const createProducer = factoryFrom(path, module);
  const loadAnew = async (): Promise<CreateProducer<unknown>> =>
    factoryFrom(path, await loadModule(path, { anew: true }));
  const { runs: numRuns, seed } = flags;
  const progress = createProgress(numRuns, "runs");
  const { artifacts, json = false } = flags;
  const broken = new BrokenCheck({ noun: "producer", module: path, artifacts, json });
  const check = {
    broker,
    createProducer,
    loadAnew,
    numRuns,
    seed,
    decide,
    rerun: (of: number) =>
      `npx faultlane check ${path}${flagText}${flagFor(decide)} --seed ${of} --runs 1`,
    onRun: () => {
      broken.count();
      progress.advance(broker.name);
    },
    onBroken: broken.keepFirst,
  };
  using interruption = listenForInterruption();
  broken.endOn(interruption);
  return await judge(path, check, flags, { end: () => progress.stop(), broken });
}

function decidesNothing(path: string): WrongInput {
  return new WrongInput(`Cannot check "${path}" with --decide: it is for producers, not operators`);
}

function flagFor(decide: DecisionTableName | undefined): string {
  return decide === undefined ? "" : ` --decide ${decide}`;
}

/** Makes the one run of a scenario file. */
async function playFile(path: string, flags: CheckFlags): Promise<number> {
  const { decide } = flags;
  if (flags.brokerOption !== undefined) {
    throw new WrongInput(
      `Cannot check "${path}" with --broker-option: the file sets up its broker`,
    );
  }
  const scenario = readScenario(path);
  if (scenario.world === "operator") {
    if (decide !== undefined) throw decidesNothing(path);
    const parts = await subjectPartsOf(scenario, path);
    return playOperator({ path, scenario, parts }, flags);
  }
  if (scenario.world !== "producer") {
    throw new WrongInput(
      `Cannot check "${path}": its world is "${scenario.world}"; try npx faultlane run ${path}`,
    );
  }
  const partsOf = async (anew: boolean) =>
    (await subjectPartsOf(scenario, path, { anew })).producer as ProducerUnderTest;
  const { broker = brokerFrom(scenario.broker), createProducer } = await partsOf(false);
  const check = {
    broker,
    createProducer: createProducer as CreateProducer<unknown>,
    loadAnew: async () => (await partsOf(true)).createProducer as CreateProducer<unknown>,
    scenario: writeScenario(scenario),
    decide,
    rerun: () => `${playLine(path)}${flagFor(decide)}`,
  };
  return judge(path, check, flags, { end: () => undefined, broken: undefined });
}

interface Keeper {
  readonly end: () => void;
  /** Keeps the violation's scenario; undefined if that scenario was checked. */
  readonly broken: BrokenCheck | undefined;
}

async function judge(
  path: string,
  check: ProducerSpec<unknown>,
  flags: CheckFlags,
  { end, broken }: Keeper,
): Promise<number> {
  const { json } = flags;
  const on = check.scenario === undefined ? check.broker.name : "its scenario";
  try {
    watchForHang(EXIT.wrongInput, path);
    const report = await checkProducer<unknown>(check);
    end();
    printHeld({ path, on, words: wordsFrom(report), document: { ...report } }, flags);
    const vacuous = vacuousIn(path, report);
    if (isText(flags)) printVacuous(vacuous, json);
    return strictExit(EXIT.held, vacuous, flags);
  } catch (error) {
    end();
    if (error instanceof NotDeterministic || error instanceof NotVirtual) broken?.discard();
    if (error instanceof NotVirtual) return reportNotVirtual(error, json === true);
    if (error instanceof NotDeterministic) return reportNotDeterministic(error, json === true);
    if (isWrongInput(error)) throw new WrongInput(error.message, { cause: error });
    if (!(error instanceof PropertyViolation)) throw error;
    const scenario = broken?.keep(error);
    const play = scenario === undefined ? undefined : playLine(scenario);
    const page = await broken?.writePage(scenario);
    const words = brokenWords(error.message, play, page);
    const document = { ...documentFrom(error), scenario, play, report: page };
    printBroken({ path, on, words, violation: error, document }, flags);
    broken?.assertWritten();
    return EXIT.broken;
  }
}

function factoryFrom(
  path: string,
  module: Readonly<Record<string, unknown>>,
): CreateProducer<unknown> {
  return takeFrom(path, () => createProducerFrom(module)) as CreateProducer<unknown>;
}

function documentFrom(violation: PropertyViolation): Readonly<Record<string, unknown>> {
  const { guarantee, promise, detail, story, size, seed, runs, rerun } = violation;
  return { guarantee, promise, detail, story, size, seed, runs, rerun };
}

function wordsFrom(report: CheckReport): string {
  const { runs, seed, events, copies, virtualMs, faults, crashPoints } = report;
  const hours = (virtualMs / 3_600_000).toFixed(1);
  const lines = [
    `All guarantees held in ${counted(runs, "run")} from seed ${seed}:`,
    `  ${events} events, handed out ${copies} times, in ${hours} hours of virtual time`,
    "  faults:",
    ...faults.map(rowFrom),
    "  the triggerer died at:",
    ...crashPoints.map(rowFrom),
    "  rare situations:",
    ...report.situations.filter(([, times]) => times > 0).map(rowFrom),
  ];
  if (report.neverOccurred.length > 0) {
    lines.push("  never occurred, so not checked:");
    lines.push(...report.neverOccurred.map((what) => `    ${what}`));
  }
  return lines.join("\n");
}

const TIMES_WIDTH = 8;

function rowFrom([what, times]: readonly [string, number]): string {
  return `  ${String(times).padStart(TIMES_WIDTH)}  ${what}`;
}
