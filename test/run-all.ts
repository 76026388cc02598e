// The gates, for people and CI. The fast gate checks types, lint, format, dead code and docs, then runs the
// suite on Node, Deno and Bun; the long gate builds the package, runs the examples of the docs, then the test
// files with ".long." in their name on the same three, then a sample of the mutation gate. The last line is
// "N passed, N failed", summed over all that ran. A check counts as one test, and so does a mutant: it passes
// if a test notices it or the table of survivors lists it.
//
//   node test/run-all.ts [--gate fast|long|all] [--only types,lint,test:bun,test:mutation]
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, stripVTControlCharacters } from "node:util";
import type { JsonReport } from "./mutation/report.ts";

/** What begins and ends with a dot, so that no folder or unit is named like it. */
const LONG = ".long.";

interface Step {
  /** The npm script that runs it, and reruns it. */
  readonly script: string;
  readonly kind: "check" | "suite" | "mutants";
  readonly gate: "fast" | "long";
}

interface Result {
  readonly step: Step;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** What to print when it failed. */
  readonly why: string;
  /** The files of a suite that took longest; empty for others. */
  readonly slowest: readonly string[];
}

/** What of vitest's JSON report is read here. */
interface SuiteReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    /** Both in milliseconds since the epoch. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

const CHECKS = ["types:product", "types:test", "lint", "format:check", "knip", "docs:lint"];
/** What builds the package, and what runs each example of the docs. */
const LONG_CHECKS = ["docs:examples", "package"];
const SUITES = ["test:node", "test:deno", "test:bun"];
const STEPS: readonly Step[] = [
  ...CHECKS.map((script): Step => ({ script, kind: "check", gate: "fast" })),
  ...LONG_CHECKS.map((script): Step => ({ script, kind: "check", gate: "long" })),
  ...SUITES.map((script): Step => ({ script, kind: "suite", gate: "fast" })),
  ...SUITES.map((script): Step => ({ script, kind: "suite", gate: "long" })),
  { script: "test:mutation", kind: "mutants", gate: "long" },
];

/** Checks use one core each; a suite and the mutants take both with their own workers. */
const CHECKS_AT_A_TIME = 2;
/** One more than there are cores: much of the long suite on Node waits for real servers. */
const WORKERS_WHERE_SERVERS_ARE = 3;

const LINES_OF_A_FAILURE = 40;
/** The heading under which vitest prints errors from outside of tests. */
const STRAY_ERRORS = "Unhandled Errors";
const LINES_OF_STRAY_ERRORS = 200;
const SLOWEST_SHOWN = 8;

const top = new URL("..", import.meta.url).pathname;
/** Colours for a terminal, none for a log. */
const plainEnv = { ...process.env, [process.stdout.isTTY ? "FORCE_COLOR" : "NO_COLOR"]: "1" };
const reports = mkdtempSync(join(tmpdir(), "faultlane-test-"));

process.exitCode = await runAll(stepsAsked());

async function runAll(steps: readonly Step[]): Promise<number> {
  const checks = steps.filter(({ kind }) => kind === "check");
  const others = steps.filter(({ kind }) => kind !== "check");
  try {
    const results = [...(await runSteps(checks, CHECKS_AT_A_TIME)), ...(await runSteps(others, 1))];
    const broken = results.filter(({ failed }) => failed > 0);
    if (broken.length > 0) {
      console.log("\nTo run again what failed:");
      for (const { step } of broken) console.log(`  ${againWith(step)}`);
    }
    const passed = results.reduce((sum, result) => sum + result.passed, 0);
    const failed = results.reduce((sum, result) => sum + result.failed, 0);
    console.log(`\n${passed} passed, ${failed} failed`);
    return failed === 0 && passed > 0 ? 0 : 1;
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

function stepsAsked(): readonly Step[] {
  const { values } = parseArgs({
    options: {
      gate: { type: "string", default: "fast" },
      only: { type: "string", multiple: true },
    },
  });
  if (!["fast", "long", "all"].includes(values.gate)) {
    throw new RangeError(`Cannot run gate "${values.gate}": the gates are fast, long, all`);
  }
  const steps = STEPS.filter(({ gate }) => values.gate === "all" || values.gate === gate);
  const only = values.only?.flatMap((names) => names.split(","));
  if (only === undefined) return steps;
  const asks = (name: string) => (step: Step) =>
    step.script === name || step.script.startsWith(`${name}:`) || step.script === `test:${name}`;
  for (const name of only) {
    if (!steps.some(asks(name))) {
      const known = steps.map(({ script }) => script).join(", ");
      throw new RangeError(`Cannot run step "${name}": the steps are ${known}`);
    }
  }
  return steps.filter((step) => only.some((name) => asks(name)(step)));
}

/** Runs the steps in order, so many at a time; a failure stops nothing, the rest may say why. */
async function runSteps(steps: readonly Step[], atATime: number): Promise<readonly Result[]> {
  const waiting = [...steps];
  const results: Result[] = [];
  async function work(): Promise<void> {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const result = await runStep(step);
      report(result);
      results.push(result);
    }
  }
  await Promise.all(Array.from({ length: atATime }, work));
  return results;
}

async function runStep(step: Step): Promise<Result> {
  if (step.kind === "mutants") return await runMutants(step);
  const reportFile = join(reports, `${step.gate}-${step.script.replace(":", "-")}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const flags = step.kind === "suite" ? ["--", ...flagsOf(step), ...reporters] : [];
  if (step.kind === "suite") console.log(`      ${nameOf(step)} ...`);
  const start = performance.now();
  const { code, output } = await run(
    "npm",
    ["run", "--silent", step.script, ...flags],
    envOf(step),
  );
  const seconds = (performance.now() - start) / 1000;
  if (step.kind === "check") {
    return { step, seconds, why: output, slowest: [], ...countsFromExit(code) };
  }
  const suite = readReport(reportFile);
  const failures = failuresOf(suite);
  const stray = failures === "" || output.includes(STRAY_ERRORS) ? strayErrorsIn(output) : "";
  const why = [failures, stray].filter((part) => part !== "").join("\n");
  return { step, seconds, why, slowest: slowestIn(suite), ...countsFromReport(suite, code) };
}

/** Says how it goes on while it runs, and with that what survives and what to do about it. */
async function runMutants(step: Step): Promise<Result> {
  console.log(`      ${nameOf(step)} ...`);
  const start = performance.now();
  const args = ["run", "--silent", step.script, "--", "--json"];
  const { stdout } = await run("npm", args, envOf(step), (line) => console.log(`      ${line}`));
  const seconds = (performance.now() - start) / 1000;
  const { groups, unknown } = readMutants(stdout) ?? { groups: [], unknown: 0 };
  const mutants = groups.reduce((sum, group) => sum + group.mutants, 0);
  const failed = mutants === 0 ? 1 : unknown;
  const why = mutants === 0 ? stdout : `  ${unknown} mutants survive, see above`;
  return { step, seconds, passed: mutants - unknown, failed, why, slowest: [] };
}

function readMutants(stdout: string): JsonReport | undefined {
  try {
    return JSON.parse(stdout) as JsonReport;
  } catch {
    return undefined;
  }
}

/** Which test files a suite takes: those of its gate. */
function filesOf({ gate }: Step): readonly string[] {
  return gate === "long" ? [LONG] : [`--exclude=test/**/*${LONG}*`];
}

function flagsOf(step: Step): readonly string[] {
  const hasServers = step.script === "test:node" && step.gate === "long";
  return hasServers
    ? [...filesOf(step), `--maxWorkers=${WORKERS_WHERE_SERVERS_ARE}`]
    : filesOf(step);
}

/**
 * The long suites start the CLI some thousand times: what Node has compiled once it then reads. The
 * others count what runs, which is less precise in code that comes from a cache.
 */
function envOf({ kind, gate }: Step): NodeJS.ProcessEnv {
  if (kind !== "suite" || gate !== "long") return plainEnv;
  return { ...plainEnv, NODE_COMPILE_CACHE: join(reports, "compiled") };
}

function nameOf({ script, kind, gate }: Step): string {
  return kind !== "mutants" && gate === "long" ? `${script}, long` : script;
}

function againWith(step: Step): string {
  const files = step.kind === "suite" ? ` -- ${filesOf(step).join(" ")}` : "";
  return `npm run ${step.script}${files}`;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

function countsFromExit(code: number): Counts {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * A suite that fails without a failed test (a file that does not load, a stray error) failed once.
 */
function countsFromReport(report: SuiteReport | undefined, code: number): Counts {
  if (report === undefined) return { passed: 0, failed: 1 };
  const { numPassedTests: passed, numFailedTests } = report;
  const sound = code === 0 && report.success && passed > 0;
  return { passed, failed: sound ? numFailedTests : Math.max(numFailedTests, 1) };
}

function readReport(file: string): SuiteReport | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as SuiteReport;
  } catch {
    return undefined;
  }
}

/**
 * What failed, and nothing of what passed, so that a log which is cut keeps it; empty when neither
 * a test nor a file failed.
 */
function failuresOf(report: SuiteReport | undefined): string {
  const lines: string[] = [];
  for (const { name, status, message, assertionResults } of report?.testResults ?? []) {
    const file = relative(top, name);
    const failures = assertionResults.filter((test) => test.status === "failed");
    for (const { fullName, failureMessages } of failures) {
      lines.push(`  ${file} > ${fullName}`, ...(failureMessages ?? []).flatMap(indented));
    }
    if (status === "failed" && failures.length === 0) lines.push(`  ${file}`, ...indented(message));
  }
  return lines.join("\n");
}

/** The files that took longest, with their seconds; they decide how long the gate takes. */
function slowestIn(report: SuiteReport | undefined): readonly string[] {
  return (report?.testResults ?? [])
    .map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }))
    .toSorted((left, right) => right.ms - left.ms)
    .slice(0, SLOWEST_SHOWN)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(0).padStart(6)} s  ${relative(top, name)}`);
}

/** What vitest printed but the tests that passed: the report has no errors from outside of tests. */
function strayErrorsIn(output: string): string {
  const isOfPassed = (line: string): boolean => /^\s*✓/.test(stripVTControlCharacters(line));
  return output
    .slice(Math.max(0, output.indexOf(STRAY_ERRORS)))
    .split("\n")
    .filter((line) => !isOfPassed(line))
    .slice(-LINES_OF_STRAY_ERRORS)
    .join("\n");
}

/** The first lines of a message: the rest is a stack or a long difference. */
function indented(message: string): readonly string[] {
  const lines = message.trimEnd().split("\n");
  return lines.slice(0, LINES_OF_A_FAILURE).map((line) => `    ${line}`);
}

function report({ step, passed, failed, seconds, why, slowest }: Result): void {
  const verdict = failed === 0 ? "ok  " : "FAIL";
  const counts = step.kind !== "check" ? `  ${passed} passed, ${failed} failed` : "";
  console.log(
    `${verdict}  ${nameOf(step).padEnd(16)} ${seconds.toFixed(1).padStart(6)} s${counts}`,
  );
  if (step.gate === "long") for (const line of slowest) console.log(`      ${line}`);
  if (failed > 0) {
    console.log(`${why.trimEnd()}\n      again: ${againWith(step)}\n`);
  }
}

interface Output {
  readonly code: number;
  readonly stdout: string;
  /** Standard output and standard error. */
  readonly output: string;
}

/** Runs a command; `onLine` gets each line of standard error as it comes. */
function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine?: (line: string) => void,
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: top, env, stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    const results: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      results.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    if (onLine !== undefined) createInterface(child.stderr).on("line", onLine);
    child.on("error", reject);
    child.on("close", (code) => {
      const [stdout, output] = [results, chunks].map((all) => Buffer.concat(all).toString("utf8"));
      resolve({ code: code ?? 1, stdout: stdout ?? "", output: output ?? "" });
    });
  });
}
