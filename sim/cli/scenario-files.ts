import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseScenario, ScenarioError } from "../scenario/parse.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { WrongInput } from "./output.ts";

const ENDING = /\.(ya?ml|json)$/;

/** A scenario and the file that it came from. */
export interface ScenarioFile {
  readonly path: string;
  readonly scenario: Scenario;
}

/**
 * Reads the scenarios of files and folders; a folder gives all below it, sorted by path.
 *
 * @throws {WrongInput} when a path does not exist, a file is no scenario, or there is none at all
 */
export function readScenarios(paths: readonly string[]): readonly ScenarioFile[] {
  const files = paths.flatMap((path) => filesOf(path));
  if (files.length === 0)
    throw new WrongInput(`No scenario file (.yaml, .json) in ${paths.join(", ")}`);
  return files.map((path) => ({ path, scenario: readScenario(path) }));
}

function filesOf(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new WrongInput(`Cannot read "${path}": there is no such file or folder`);
  if (!stat.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => ENDING.test(name) && !basename(name).includes(".schema."))
    .map((name) => join(path, name))
    .toSorted();
}

function readScenario(path: string): Scenario {
  const text = readFileSync(path, "utf8");
  const name = basename(path).replace(ENDING, "");
  if (/^world: producer$/m.test(text)) {
    throw new WrongInput(`Cannot run "${path}": it is a producer's; npx faultlane check ${path}`);
  }
  try {
    return parseScenario(text, name);
  } catch (error) {
    if (error instanceof ScenarioError) {
      throw new WrongInput(error.message.replace(`"${name}"`, `"${path}"`));
    }
    throw error;
  }
}
