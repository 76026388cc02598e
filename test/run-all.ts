// The one gate, for people and CI: every check, then the suite on Node, Deno and Bun, and as the
// last line "N passed, N failed", summed over all of it. A check counts as one test.
//
//   node test/run-all.ts [--only types,lint,test:bun]
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Step {
  /** The npm script that runs it, and reruns it. */
  readonly script: string;
  readonly kind: "check" | "suite";
}

interface Result {
  readonly step: Step;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  readonly output: string;
}

/** What of vitest's JSON report is read here. */
interface SuiteReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

const STEPS: readonly Step[] = [
  { script: "types:product", kind: "check" },
  { script: "types:test", kind: "check" },
  { script: "lint", kind: "check" },
  { script: "format:check", kind: "check" },
  { script: "knip", kind: "check" },
  { script: "package", kind: "check" },
  { script: "test:node", kind: "suite" },
  { script: "test:deno", kind: "suite" },
  { script: "test:bun", kind: "suite" },
];

/** Checks use one core each; a suite takes both with its own workers. */
const CHECKS_AT_A_TIME = 2;

const top = new URL("..", import.meta.url).pathname;
/** Colours for a terminal, none for a log. */
const env = { ...process.env, [process.stdout.isTTY ? "FORCE_COLOR" : "NO_COLOR"]: "1" };
const reports = mkdtempSync(join(tmpdir(), "faultlane-test-"));

process.exitCode = await runAll(stepsAsked());

async function runAll(steps: readonly Step[]): Promise<number> {
  const checks = steps.filter(({ kind }) => kind === "check");
  const suites = steps.filter(({ kind }) => kind === "suite");
  try {
    const results = [...(await runSteps(checks, CHECKS_AT_A_TIME)), ...(await runSteps(suites, 1))];
    const broken = results.filter(({ failed }) => failed > 0);
    if (broken.length > 0) {
      console.log("\nTo run again what failed:");
      for (const { step } of broken) console.log(`  npm run ${step.script}`);
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
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
  const only = values.only?.flatMap((names) => names.split(","));
  if (only === undefined) return STEPS;
  const asks = (name: string) => (step: Step) =>
    step.script === name || step.script.startsWith(`${name}:`) || step.script === `test:${name}`;
  for (const name of only) {
    if (!STEPS.some(asks(name))) {
      const known = STEPS.map(({ script }) => script).join(", ");
      throw new RangeError(`Cannot run step "${name}": the steps are ${known}`);
    }
  }
  return STEPS.filter((step) => only.some((name) => asks(name)(step)));
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
  const reportFile = join(reports, `${step.script.replace(":", "-")}.json`);
  const flags =
    step.kind === "suite"
      ? ["--", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`]
      : [];
  if (step.kind === "suite") console.log(`      ${step.script} ...`);
  const start = performance.now();
  const { code, output } = await run("npm", ["run", "--silent", step.script, ...flags]);
  const seconds = (performance.now() - start) / 1000;
  const counts = step.kind === "suite" ? countsFromReport(reportFile, code) : countsFromExit(code);
  return { step, seconds, output, ...counts };
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
function countsFromReport(file: string, code: number): Counts {
  const report = readReport(file);
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

function report({ step, passed, failed, seconds, output }: Result): void {
  const verdict = failed === 0 ? "ok  " : "FAIL";
  const counts = step.kind === "suite" ? `  ${passed} passed, ${failed} failed` : "";
  console.log(`${verdict}  ${step.script.padEnd(14)} ${seconds.toFixed(1).padStart(6)} s${counts}`);
  if (failed > 0) {
    console.log(`${output.trimEnd()}\n      again: npm run ${step.script}\n`);
  }
}

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: top, env, stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString("utf8") });
    });
  });
}
