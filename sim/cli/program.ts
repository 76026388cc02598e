import { Command } from "commander";
import { createBenchCommand } from "./bench.ts";
import { createCheckCommand } from "./check.ts";
import { createCrashPointsCommand } from "./crash-points.ts";
import { createDigestCommand } from "./digest.ts";
import { createExhaustCommand } from "./exhaust.ts";
import { createFuzzCommand } from "./fuzz.ts";
import { createPlaygroundCommand } from "./playground.ts";
import { createReplayCommand } from "./replay.ts";
import { createReportCommand } from "./report.ts";
import { createRunCommand } from "./run.ts";
import { createSchemaCommand } from "./schema.ts";
import { createShrinkCommand } from "./shrink.ts";
import { createStoreCommand } from "./store.ts";
import { createWhyCommand } from "./why.ts";
import { versionOfKit } from "./version.ts";

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
