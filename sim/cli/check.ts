import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Command } from "commander";
import type { BrokerModel } from "../brokers/broker.ts";
import { brokers } from "../check/brokers.ts";
import { checkProducer } from "../check/check-producer.ts";
import { NotVirtual } from "../check/not-virtual.ts";
import type { CheckReport } from "../check/producer-tally.ts";
import { PropertyViolation } from "../check/producer-violation.ts";
import { Unrecognisable } from "../check/producer-witness.ts";
import { type CreateProducer, FactoryThrew } from "../check/producer-world.ts";
import { complain, EXIT, print, printJson, WrongInput, wholeNumber } from "./output.ts";
import { createProgress } from "./progress.ts";

interface CheckFlags {
  readonly broker: string;
  readonly runs: number;
  readonly seed: number;
  readonly json?: boolean;
}

const RUNS_DEFAULT = 1_000;
const RUNS_MAX = 1e7;
const SEED_MAX = 1e12;

/** `faultlane check <module> --broker <name>` */
export function createCheckCommand(setExit: (code: number) => void): Command {
  return new Command("check")
    .description("try a producer of yours against a model of its broker, under generated faults")
    .argument("<module>", "exports createProducer({ client }), by that name or as its default")
    .requiredOption("--broker <name>", `one of ${Object.keys(brokers).join(", ")}`)
    .option("--runs <n>", "how many runs", wholeNumber("--runs", 1, RUNS_MAX), RUNS_DEFAULT)
    .option("--seed <n>", "of the first run", wholeNumber("--seed", 0, SEED_MAX), 1)
    .option("--json", "one JSON document on standard output")
    .action(async (path: string, flags: CheckFlags) => {
      setExit(await checkModule(path, flags));
    });
}

async function checkModule(path: string, flags: CheckFlags): Promise<number> {
  const broker = modelFrom(flags.broker);
  const createProducer = await factoryFrom(path);
  const { runs: numRuns, seed } = flags;
  const progress = createProgress(numRuns, "runs");
  try {
    const report = await checkProducer<unknown>({
      broker,
      createProducer,
      numRuns,
      seed,
      rerun: (of) => `npx faultlane check ${path} --broker ${flags.broker} --seed ${of} --runs 1`,
      onRun: () => progress.advance(flags.broker),
    });
    progress.stop();
    if (flags.json === true) printJson({ held: true, ...report });
    else print(wordsFrom(report));
    return EXIT.held;
  } catch (error) {
    progress.stop();
    if (error instanceof NotVirtual) exitAtOnce(error.message);
    if (isWrongUse(error)) throw new WrongInput(error.message, { cause: error });
    if (!(error instanceof PropertyViolation)) throw error;
    if (flags.json === true) printJson(documentFrom(error));
    else print(error.message);
    return EXIT.broken;
  }
}

/** The timers and sockets that the module has left open would keep the process for as long. */
function exitAtOnce(message: string): never {
  complain(message);
  process.exit(EXIT.wrongInput);
}

function isWrongUse(error: unknown): error is Error {
  return (
    error instanceof NotVirtual || error instanceof FactoryThrew || error instanceof Unrecognisable
  );
}

function modelFrom(name: string): BrokerModel<unknown> {
  const kinds = Object.entries(brokers) as (readonly [string, () => BrokerModel<unknown>])[];
  const kind = kinds.find(([known]) => known === name)?.[1];
  if (kind === undefined) {
    const names = kinds.map(([known]) => known).join(", ");
    throw new WrongInput(`Cannot use "${name}" as --broker: expected one of ${names}`);
  }
  return kind();
}

/** The module's `createProducer`, or its default export, or the `createProducer` of that. */
async function factoryFrom(path: string): Promise<CreateProducer<unknown>> {
  const file = resolve(path);
  if (!existsSync(file)) throw new WrongInput(`Cannot find the module "${path}"`);
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WrongInput(`Cannot load the module "${path}": ${why}`, { cause });
  }
  const { default: whole } = module;
  const inner = typeof whole === "object" && whole !== null ? whole : {};
  const named: unknown = "createProducer" in inner ? inner.createProducer : undefined;
  const found = [module["createProducer"], named, whole].find((one) => typeof one === "function");
  if (found === undefined) {
    throw new WrongInput(
      `Cannot check "${path}": it exports no createProducer({ client }), by name or as its default`,
    );
  }
  return found as CreateProducer<unknown>;
}

function documentFrom(violation: PropertyViolation): unknown {
  const { guarantee, promise, detail, story, size, seed, runs, rerun } = violation;
  return { held: false, guarantee, promise, detail, story, size, seed, runs, rerun };
}

function wordsFrom(report: CheckReport): string {
  const { runs, seed, events, copies, virtualMs, faults, crashPoints } = report;
  const hours = (virtualMs / 3_600_000).toFixed(1);
  const lines = [
    `All guarantees held in ${runs} runs from seed ${seed}:`,
    `  ${events} events, handed out ${copies} times, in ${hours} hours of virtual time`,
    "  faults:",
    ...faults.map(rowFrom),
    "  the triggerer died at:",
    ...crashPoints.map(rowFrom),
    "  rare situations:",
    ...report.situations.filter(([, times]) => times > 0).map(rowFrom),
  ];
  if (report.neverOccurred.length > 0) {
    lines.push("  never occurred, so nothing is said about it:");
    lines.push(...report.neverOccurred.map((what) => `    ${what}`));
  }
  return lines.join("\n");
}

const TIMES_WIDTH = 8;

function rowFrom([what, times]: readonly [string, number]): string {
  return `  ${String(times).padStart(TIMES_WIDTH)}  ${what}`;
}
