import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseScenario, ScenarioError } from "../scenario/parse.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { isArtifact } from "../run/artifact.ts";
import { WrongInput } from "./output.ts";
import { OWN_FOLDER } from "./own-folder.ts";
import { subjectPartsOf } from "./subject-module.ts";

const ENDING = /\.(ya?ml|json)$/;

/** A scenario, the file that it came from, and the code under test that it names. */
export interface ScenarioFile {
  readonly path: string;
  readonly scenario: Scenario;
  readonly parts: WorldParts;
}

/**
 * Reads the scenarios of files and folders, and loads the modules that they name; a folder gives
 * all below it, sorted by path, but nothing that an earlier run has left there: artifacts, and
 * whatever is in `.faultlane`.
 *
 * @throws {WrongInput} when a path does not exist, a file is no scenario, its module cannot be
 *   used, or there is none at all
 */
export async function readScenarios(paths: readonly string[]): Promise<readonly ScenarioFile[]> {
  const names = paths.flatMap((path) => filesOf(path));
  if (names.length === 0)
    throw new WrongInput(`No scenario file (.yaml, .json) in ${paths.join(", ")}`);
  const files: ScenarioFile[] = [];
  for (const path of names) {
    const scenario = readScenario(path);
    files.push({ path, scenario, parts: await subjectPartsOf(scenario, path) });
  }
  return files;
}

function filesOf(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new WrongInput(`Cannot read "${path}": there is no such file or folder`);
  if (!stat.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => ENDING.test(name) && !basename(name).includes(".schema."))
    .filter((name) => !name.split(/[/\\]/).slice(0, -1).includes(OWN_FOLDER))
    .map((name) => join(path, name))
    .filter((file) => !(file.endsWith(".json") && isArtifact(readFileSync(file, "utf8"))))
    .toSorted();
}

/** @throws {WrongInput} when the file is no scenario */
export function readScenario(path: string): Scenario {
  const text = textOf(path);
  const name = basename(path).replace(ENDING, "");
  try {
    return parseScenario(text, name);
  } catch (error) {
    if (error instanceof ScenarioError) {
      throw new WrongInput(error.message.replace(`"${name}"`, `"${path}"`));
    }
    throw error;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new WrongInput(`Cannot read "${path}": there is no such file`);
  }
}
