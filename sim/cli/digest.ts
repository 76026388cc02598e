import { Command } from "commander";
import type { RunReport } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import { vacuousInAll } from "../run/vacuity.ts";
import { complain, EXIT, paintOf, print, printJson, wholeNumber } from "./output.ts";
import { createProgress } from "./progress.ts";
import { readScenarios } from "./scenario-files.ts";
import {
  STRICT_OPTION,
  type StrictFlag,
  strictExit,
  vacuousLines,
  type VacuousIn,
} from "./strict.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface DigestFlags extends StrictFlag {
  readonly seed: number;
  readonly seeds: number;
  readonly json?: boolean;
}

/** `faultlane digest --seeds N`: for comparing runtimes. */
export function createDigestCommand(setExit: (code: number) => void): Command {
  return new Command("digest")
    .description("print the digest of each run; equal on every machine and runtime")
    .argument("[paths...]", "scenario files, or folders of them", ["scenarios"])
    .option("--seed <n>", "the first seed", wholeNumber("--seed", 0, Number.MAX_SAFE_INTEGER), 1)
    .option("--seeds <n>", "how many seeds of each scenario", wholeNumber("--seeds", 1, 1e9), 1)
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .action(async (paths: string[], flags: DigestFlags) => {
      const { seed, seeds, json } = flags;
      const files = await readScenarios(paths);
      await watchSubjects(files, seed);
      const progress = createProgress(files.length * seeds, "runs");
      const digests: { scenario: string; seed: number; digest: string }[] = [];
      const vacuous: VacuousIn[] = [];
      for (const { path, scenario, parts } of files) {
        const reports: RunReport[] = [];
        for (let at = 0; at < seeds; at += 1) {
          const report = await simulate(scenario, { ...parts, seed: seed + at, trace: false });
          reports.push({ ...report, choices: [] });
          digests.push({ scenario: scenario.name, seed: seed + at, digest: report.digest });
          progress.advance(scenario.name);
        }
        vacuous.push({ where: path, vacuous: vacuousInAll(reports) });
      }
      progress.stop();
      if (json === true) printJson({ digests });
      else for (const one of digests) print(`${one.digest}  ${one.scenario} ${one.seed}`);
      // The digests alone are on standard output, where runtimes are compared.
      for (const line of vacuousLines(vacuous, paintOf(process.stderr))) complain(line);
      setExit(strictExit(EXIT.held, vacuous, flags));
    });
}
