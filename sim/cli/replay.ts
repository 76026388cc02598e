import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { Command } from "commander";
import { ReplayDrift } from "../choices/choices.ts";
import { failureFrom } from "../report/terminal.ts";
import { assertSameAgain } from "../run/repeat.ts";
import { codeUnderTestIn } from "../run/repeatable.ts";
import type { RunReport } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { ArtifactFolder } from "./artifact-folder.ts";
import { complain, EXIT, paintOf, print, printJson } from "./output.ts";
import { readArtifact } from "./read-artifact.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import { pagePathOf } from "./report-page.ts";
import { replayLine } from "./rerun-line.ts";
import { printVacuous, STRICT_OPTION, type StrictFlag, strictExit } from "./strict.ts";
import { subjectPartsOf } from "./subject-module.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface ReplayFlags extends StrictFlag {
  readonly json?: boolean;
}

/** `faultlane replay <artifact>` */
export function createReplayCommand(setExit: (code: number) => void): Command {
  return new Command("replay")
    .description("repeat a recorded run, choice by choice")
    .argument("<artifact>", "the artifact of a recorded run")
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .action(async (path: string, flags: ReplayFlags) => {
      setExit(await replay(path, flags));
    });
}

async function replay(path: string, flags: ReplayFlags): Promise<number> {
  const json = flags.json === true;
  const { scenario, seed, digest, choices } = readArtifact(path);
  const parts = await subjectPartsOf(scenario, path);
  const file = { path, scenario, parts };
  const whenChanged = codeUnderTestIn(parts) === undefined ? EXIT.kitFailed : EXIT.wrongInput;
  await watchSubjects([file], seed);
  const folder = new ArtifactFolder(dirname(path));
  try {
    const make = (of: WorldParts): Promise<RunReport> =>
      simulate(scenario, { ...of, seed, replay: choices });
    const report = await make(parts);
    const run = repeatableFrom(file, seed, make);
    if (run !== undefined) await assertSameAgain(run, report, { isFirstEver: true });
    const isSame = report.digest === digest;
    const isShown = isSame && report.violations.length > 0;
    const page = isShown ? await pageBeside(path, report, folder) : undefined;
    if (json) {
      const { verdict, violations, vacuous, stats } = report;
      printJson({
        scenario: scenario.name,
        seed,
        digest: report.digest,
        isSame,
        verdict,
        violations,
        vacuous,
        stats,
        report: page,
      });
    } else {
      const paint = paintOf(process.stdout);
      if (report.violations.length > 0) {
        print(failureFrom(report, replayLine(path), paint));
        if (page !== undefined) print(`  report: ${page}`);
      }
      print(
        isSame
          ? `replayed: digest ${digest}`
          : `The digest differs: ${report.digest}, recorded ${digest}`,
      );
    }
    const vacuous = [{ where: path, vacuous: report.vacuous }];
    printVacuous(vacuous, json);
    folder.assertWritten();
    if (!isSame) return whenChanged;
    return strictExit(report.violations.length > 0 ? EXIT.broken : EXIT.held, vacuous, flags);
  } catch (error) {
    if (!(error instanceof ReplayDrift)) throw error;
    if (json) {
      const { position, recorded, asked } = error;
      printJson({ scenario: scenario.name, seed, drift: { position, recorded, asked } });
    }
    complain(error.message);
    complain(
      error.isEnd
        ? `The recording ends after ${choices.length} choices: "${path}" was cut short, or the code asks for more since`
        : "The code has changed since the recording; run the scenario again to get a new one",
    );
    return whenChanged;
  }
}

/** Returns the page beside an artifact: one that is there stays, as it may hold more than a run. */
async function pageBeside(
  artifact: string,
  report: RunReport,
  folder: ArtifactFolder,
): Promise<string | undefined> {
  const page = pagePathOf(artifact);
  if (existsSync(page)) return page;
  return folder.writePage(artifact, { report, rerun: replayLine(artifact) });
}
