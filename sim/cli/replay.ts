import { Command } from "commander";
import { ReplayDrift } from "../choices/choices.ts";
import { failureFrom } from "../report/terminal.ts";
import { simulate } from "../run/simulate.ts";
import { complain, EXIT, paintOf, print, printJson } from "./output.ts";
import { readArtifact } from "./read-artifact.ts";
import { subjectPartsOf } from "./subject-module.ts";
import { watchSubjects } from "./watch-subjects.ts";

/** `faultlane replay <artifact>` */
export function createReplayCommand(setExit: (code: number) => void): Command {
  return new Command("replay")
    .description("repeat a recorded run, choice by choice")
    .argument("<artifact>", "the artifact of a recorded run")
    .option("--json", "one JSON document on standard output")
    .action(async (path: string, { json }: { readonly json?: boolean }) => {
      setExit(await replay(path, json === true));
    });
}

async function replay(path: string, json: boolean): Promise<number> {
  const { scenario, seed, digest, choices } = readArtifact(path);
  const parts = await subjectPartsOf(scenario, path);
  using _watch = await watchSubjects([{ path, scenario, parts }], seed);
  try {
    const report = await simulate(scenario, { ...parts, seed, replay: choices });
    const isSame = report.digest === digest;
    if (json) {
      const { verdict, violations, stats } = report;
      printJson({
        scenario: scenario.name,
        seed,
        digest: report.digest,
        isSame,
        verdict,
        violations,
        stats,
      });
    } else {
      const paint = paintOf(process.stdout);
      if (report.violations.length > 0) {
        print(failureFrom(report, `npx faultlane replay ${path}`, paint));
      }
      print(
        isSame
          ? `replayed: digest ${digest}`
          : `The digest differs: ${report.digest}, recorded ${digest}`,
      );
    }
    if (!isSame) return EXIT.kitFailed;
    return report.violations.length > 0 ? EXIT.broken : EXIT.held;
  } catch (error) {
    if (!(error instanceof ReplayDrift)) throw error;
    if (json) {
      const { position, recorded, asked } = error;
      printJson({ scenario: scenario.name, seed, drift: { position, recorded, asked } });
    }
    complain(error.message);
    complain("The code has changed since the recording; run the scenario again to get a new one");
    return EXIT.kitFailed;
  }
}
