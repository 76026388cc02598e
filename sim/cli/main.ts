import { Command, CommanderError } from "commander";
import { InvariantViolation } from "../../src/invariant.ts";
import { createBenchCommand } from "./bench.ts";
import { createCheckCommand } from "./check.ts";
import { createCrashPointsCommand } from "./crash-points.ts";
import { createDigestCommand } from "./digest.ts";
import { createExhaustCommand } from "./exhaust.ts";
import { createFuzzCommand } from "./fuzz.ts";
import { runOutside } from "../realm/realm.ts";
import { NotDeterministic } from "../run/not-deterministic.ts";
import { NotVirtual } from "../realm/not-virtual.ts";
import { complain, EXIT } from "./output.ts";
import { ownTheProcess } from "./own-the-process.ts";
import { reportNotDeterministic, reportNotVirtual } from "./repeat-subject.ts";
import { createPlaygroundCommand } from "./playground.ts";
import { createReplayCommand } from "./replay.ts";
import { createReportCommand } from "./report.ts";
import { createRunCommand } from "./run.ts";
import { createSchemaCommand } from "./schema.ts";
import { createShrinkCommand } from "./shrink.ts";
import { createStoreCommand } from "./store.ts";
import { versionOfKit } from "./version.ts";
import { createWhyCommand } from "./why.ts";
import { isWrongInput } from "./wrong-input.ts";

const EXAMPLES = `
Examples:
  $ npx faultlane run scenarios                   run all scenarios that come with the kit
  $ npx faultlane run my.yaml --seeds 100         a hundred different runs of one scenario
  $ npx faultlane fuzz my.yaml --runs 5000        search for rare runs that break a promise
  $ npx faultlane crash-points scenarios/resumable/crash-in-the-window.yaml
  $ npx faultlane replay .faultlane/my.seed-7.json
  $ npx faultlane why .faultlane/my.seed-7.json
  $ npx faultlane report .faultlane/my.seed-7.json --open
  $ npx faultlane check my-producer.ts --broker kafka
  $ npx faultlane check my-operator.ts --system livy
  $ npx faultlane fuzz scenarios/producers/orders.yaml
  $ npx faultlane digest --seeds 10 --json        for comparing machines and runtimes

Exit codes: 0 all held, 1 a promise was broken, 2 the input is wrong, 3 the kit itself failed`;

/** Runs one verb and returns the exit code; `argv` is without node and script. */
export async function main(argv: readonly string[]): Promise<number> {
  let exit: number = EXIT.held;
  const setExit = (code: number): void => {
    exit = code;
  };
  const program = createProgram(setExit);
  for (const command of [program, ...program.commands]) {
    command.exitOverride().showHelpAfterError("(see --help)");
  }
  try {
    ownTheProcess();
    // Progress, signals and messages of workers come amid runs, and belong to none.
    await runOutside(() => program.parseAsync(argv, { from: "user" }));
    return exit;
  } catch (error) {
    return exitCodeFrom(error, argv.includes("--json"));
  }
}

/** Creates the command with all its verbs; those that judge report their exit code. */
export function createProgram(setExit: (code: number) => void): Command {
  return new Command("faultlane")
    .description("Find out before production what faults do to event-driven orchestration code")
    .version(versionOfKit())
    .addHelpText("after", EXAMPLES)
    .addCommand(createRunCommand(setExit))
    .addCommand(createReplayCommand(setExit))
    .addCommand(createReportCommand(setExit))
    .addCommand(createCheckCommand(setExit))
    .addCommand(createCrashPointsCommand(setExit))
    .addCommand(createFuzzCommand(setExit))
    .addCommand(createShrinkCommand(setExit))
    .addCommand(createWhyCommand(setExit))
    .addCommand(createExhaustCommand(setExit))
    .addCommand(createDigestCommand(setExit))
    .addCommand(createPlaygroundCommand(setExit))
    .addCommand(createSchemaCommand())
    .addCommand(createStoreCommand())
    .addCommand(createBenchCommand());
}

function exitCodeFrom(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.held : EXIT.wrongInput;
  if (error instanceof NotVirtual) return reportNotVirtual(error, json);
  if (error instanceof NotDeterministic) return reportNotDeterministic(error, json);
  if (isWrongInput(error)) {
    complain(error.message);
    return EXIT.wrongInput;
  }
  const isOurs = error instanceof InvariantViolation;
  complain(isOurs ? "faultlane itself failed; please report this" : "The run failed unexpectedly");
  complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.kitFailed;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
