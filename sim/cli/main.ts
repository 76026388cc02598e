import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";

/** Runs one verb and answers with the exit code; `argv` is without node and script. */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command("faultlane")
    .description("Find out before production what faults do to event-driven orchestration code")
    .version(versionOfKit())
    .exitOverride();
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return 0;
}

/** The same number unbuilt and built, wherever above this file package.json lies. */
function versionOfKit(): string {
  for (const up of ["../../", "../../../"]) {
    try {
      const text = readFileSync(new URL(`${up}package.json`, import.meta.url), "utf8");
      return (JSON.parse(text) as { version: string }).version;
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error;
    }
  }
  return "unknown";
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
