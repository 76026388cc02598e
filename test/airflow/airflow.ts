import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";
import { INSTALLED } from "../real/installed.ts";

const AIRFLOW = join(INSTALLED, "airflow");

/**
 * Runs a program of this folder in a Python that has Airflow 3.3.2, and returns what it prints for
 * each of `inputs`; skips the test where Airflow is not installed.
 *
 * @throws {Error} when the program fails, with its words
 */
export function inAirflow(
  context: TestContext,
  program: string,
  inputs: readonly unknown[],
): readonly unknown[] {
  if (!existsSync(AIRFLOW)) {
    return context.skip("not installed here: Airflow 3.3.2 (npm run test:real:install)");
  }
  const home = mkdtempSync(join(tmpdir(), "faultlane-airflow-"));
  try {
    const printed = execFileSync("python3", [fileURLToPath(new URL(program, import.meta.url))], {
      encoding: "utf8",
      env: { ...process.env, ...settingsIn(home), PYTHONPATH: AIRFLOW },
      input: inputs.map((input) => `${JSON.stringify(input)}\n`).join(""),
      maxBuffer: 1 << 30,
      stdio: ["pipe", "pipe", "pipe"],
    });
    return printed
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** An Airflow of its own for each run, that lets everybody in and loads nothing. */
function settingsIn(home: string): Readonly<Record<string, string>> {
  return {
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__LOAD_EXAMPLES: "False",
    AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS: "True",
    AIRFLOW__LOGGING__LOGGING_LEVEL: "CRITICAL",
  };
}
