import { CommanderError } from "commander";
import { InvariantViolation } from "../../src/invariant.ts";
import { runOutside } from "../realm/realm.ts";
import { NotDeterministic } from "../run/not-deterministic.ts";
import { NotVirtual } from "../realm/not-virtual.ts";
import { complain, EXIT } from "./output.ts";
import { ownTheProcess } from "./own-the-process.ts";
import { createProgram } from "./program.ts";
import { reportNotDeterministic, reportNotVirtual } from "./repeat-subject.ts";
import { isWrongInput } from "./wrong-input.ts";

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

/** Ends the process: what the code under test leaves open must not keep it, nor change its exit code. */
export function endProcess(exitCode: number): void {
  process.removeAllListeners("exit");
  process.exit(exitCode);
}

// Not awaited at the top level: Bun would be busy for good with what never settles.
if (import.meta.main) void main(process.argv.slice(2)).then(endProcess);
