import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { EXIT, print, printJson, WrongInput } from "./output.ts";
import { writeWhole } from "./write-file.ts";

/** Where `npm run build` puts it in a package. */
const BUILT = new URL("../playground/playground.html", import.meta.url);

interface PlaygroundFlags {
  readonly out: string;
  readonly json?: boolean;
}

const HELP = `
The page is one HTML file with the simulator in it: it is opened from the disk or put on any server
of files, and fetches nothing. It runs, fuzzes and shrinks scenarios, and checks producers against
the models of the brokers.

Examples:
  $ npx faultlane playground
  $ npx faultlane playground --out public

Exit codes: 0 written, 2 it cannot be written`;

/** `faultlane playground` */
export function createPlaygroundCommand(setExit: (code: number) => void): Command {
  return new Command("playground")
    .description("write a page that runs the simulator in the browser")
    .option("--out <folder>", "where index.html is written", ".faultlane/playground")
    .option("--json", "one JSON document on standard output")
    .addHelpText("after", HELP)
    .action(async ({ out, json }: PlaygroundFlags) => {
      const page = join(out, "index.html");
      writeWhole(page, await playgroundPage());
      if (json === true) printJson({ page });
      else print(`playground: ${page}`);
      setExit(EXIT.held);
    });
}

/** @throws {WrongInput} in a checkout without the bundler */
async function playgroundPage(): Promise<string> {
  if (existsSync(BUILT)) return readFileSync(BUILT, "utf8");
  try {
    const { bundlePlayground } = await import("./bundle-playground.ts");
    return await bundlePlayground();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WrongInput(`Cannot make the playground in a checkout; try npm ci: ${why}`, { cause });
  }
}
