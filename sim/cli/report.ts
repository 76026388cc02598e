import { spawn } from "node:child_process";
import { Command, Option } from "commander";
import type { ShownRun } from "../report/html-page.ts";
import { isGood } from "../run/run-report.ts";
import { complain, EXIT, print, printJson, WrongInput, wholeNumber } from "./output.ts";
import { exportPathOf, exportText, FORMATS, type ReportFormat } from "./report-export.ts";
import { pageOfRun, writePage } from "./report-page.ts";
import { shownRun } from "./shown-run.ts";
import { listed, printVacuous, STRICT_OPTION, type StrictFlag, strictExit } from "./strict.ts";
import { writeWhole } from "./write-file.ts";

interface ReportFlags extends StrictFlag {
  readonly format: ReportFormat;
  readonly follow?: string;
  readonly seed?: number;
  readonly out?: string;
  readonly compare?: string;
  readonly open?: boolean;
  readonly json?: boolean;
}

const HELP = `
The page is one HTML file that needs nothing else: it can be mailed, or kept with a build. It
shows a timeline of the run, the way of each record, task and job, the state at any event, and the
story. --format perfetto is JSON for ui.perfetto.dev: a slice for each event and all that lasts.
--format mermaid is a sequence diagram: of what led to the break, or of what --follow names.

Examples:
  $ npx faultlane report .faultlane/my.seed-7.json --open
  $ npx faultlane report my.yaml --seed 7 --out run.html
  $ npx faultlane report broken.json --compare repaired.yaml
  $ npx faultlane report broken.json --format mermaid --follow "job 2"

Exit codes: 0 the run held, 1 it broke a promise, or --strict and a part came to nothing, 2 the
input is wrong or the file cannot be written, 3 the kit itself failed`;

/** `faultlane report <artifact | scenario>` */
export function createReportCommand(setExit: (code: number) => void): Command {
  return new Command("report")
    .description("write a run as one HTML page: timeline, journeys, state at any event")
    .argument("<file>", "the artifact of a recorded run, or a scenario")
    .option("--seed <n>", "of a scenario", wholeNumber("--seed", 0, Number.MAX_SAFE_INTEGER))
    .option("--out <file>", "where it is written; default: beside the artifact")
    .addOption(
      new Option("--format <form>", "html: the page; or perfetto, mermaid")
        .choices(FORMATS)
        .default("html"),
    )
    .option("--follow <name>", 'of a diagram: a record, a task, or a job such as "job 2"')
    .option("--compare <file>", "another artifact or scenario, shown up to where the two part")
    .option("--open", "open the page in the browser")
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .addHelpText("after", HELP)
    .action(async (path: string, flags: ReportFlags) => {
      setExit(await report(path, flags));
    });
}

async function report(path: string, flags: ReportFlags): Promise<number> {
  const { format, follow } = flags;
  if (follow !== undefined && format !== "mermaid") {
    throw new WrongInput("Cannot use --follow: it is about --format mermaid");
  }
  if (format !== "html" && (flags.compare !== undefined || flags.open === true)) {
    throw new WrongInput(`Cannot use --compare or --open with --format ${format}`);
  }
  const run = await shownRun(path, flags.seed);
  const other = flags.compare === undefined ? undefined : await otherRun(flags.compare, flags.seed);
  const page = pageOfRun(path, run.report);
  const out = flags.out ?? (format === "html" ? page : exportPathOf(page, format));
  if (format === "html") await writePage(out, { run, other });
  else writeWhole(out, exportText(run, format, follow));
  const { scenario, seed, digest, verdict, violations } = run.report;
  const vacuous = [{ where: path, vacuous: run.report.vacuous }];
  if (flags.json === true) {
    const broken = [...new Set(violations.map(({ checker }) => checker))];
    const parts = vacuous.flatMap(listed);
    printJson({ page: out, scenario, seed, digest, verdict, broken, vacuous: parts });
  } else {
    print(`report: ${out}`);
  }
  printVacuous(vacuous, flags.json);
  if (flags.open === true) openInBrowser(out);
  return strictExit(isGood(verdict) ? EXIT.held : EXIT.broken, vacuous, flags);
}

/** The run to compare with: a scenario is run with the seed of the first one's. */
function otherRun(path: string, seed: number | undefined): Promise<ShownRun> {
  return shownRun(path, path.endsWith(".json") ? undefined : seed);
}

/** Opens a file with the program that the system has for it. */
function openInBrowser(path: string): void {
  const commands: Readonly<Record<string, readonly string[]>> = {
    darwin: ["open"],
    win32: ["cmd", "/c", "start", ""],
  };
  const [command = "", ...flags] = commands[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...flags, path], { detached: true, stdio: "ignore" });
  child.on("error", () => complain(`Cannot open "${path}": no "${command}" here`));
  child.unref();
}
