import { Command, CommanderError } from "commander";
import { WrongInput } from "../../sim/cli/output.ts";
import { createStoreCommand } from "../../sim/cli/store.ts";

// The verb `store` alone, with the exit codes of the command line.
try {
  const program = new Command("faultlane").exitOverride().addCommand(createStoreCommand());
  await program.parseAsync(process.argv.slice(2), { from: "user" });
} catch (error) {
  if (error instanceof WrongInput) process.stderr.write(`${error.message}\n`);
  else if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}
