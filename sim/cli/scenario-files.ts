import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseScenario, ScenarioError } from "../scenario/parse.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { isArtifact } from "../run/artifact.ts";
import { UnreadableText, yamlDataFrom } from "../scenario/yaml-data.ts";
import { complain, WrongInput } from "./output.ts";
import { subjectPartsOf } from "./subject-module.ts";

const ENDING = /\.(ya?ml|json)$/;

/** A scenario, the file that it came from, and the code under test that it names. */
export interface ScenarioFile {
  readonly path: string;
  readonly scenario: Scenario;
  readonly parts: WorldParts;
}

/** How many files that are no scenarios are named. */
const NAMED_MAX = 3;

/**
 * Reads the scenarios of files and folders, and loads the modules that they name. A folder gives
 * all files below it that look like scenarios, sorted by path, but nothing of `node_modules` and of
 * folders that begin with a dot; standard error says which other files were left out. What an
 * earlier run has written is left out without a word.
 *
 * @throws {WrongInput} when a path does not exist, a file is no scenario, its module cannot be
 *   used, or there is none at all
 */
export async function readScenarios(paths: readonly string[]): Promise<readonly ScenarioFile[]> {
  const leftOut: string[] = [];
  const names = paths.flatMap((path) => filesOf(path, leftOut));
  if (leftOut.length > 0) complain(leftOutWords(leftOut));
  if (names.length === 0)
    throw new WrongInput(`No scenario file (.yaml, .json) in ${paths.join(", ")}`);
  const files: ScenarioFile[] = [];
  for (const path of names) {
    const scenario = readScenario(path);
    files.push({ path, scenario, parts: await subjectPartsOf(scenario, path) });
  }
  return files;
}

function filesOf(path: string, leftOut: string[]): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new WrongInput(`Cannot read "${path}": there is no such file or folder`);
  if (!stat.isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => ENDING.test(name) && !basename(name).includes(".schema."))
    .filter((name) => !name.split(/[/\\]/).slice(0, -1).some(isForeignFolder))
    .map((name) => join(path, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .filter((file) => !(file.endsWith(".json") && isArtifact(textOf(file))))
    .toSorted();
  leftOut.push(...files.filter((file) => !looksLikeScenario(textOf(file))));
  return files.filter((file) => !leftOut.includes(file));
}

function isForeignFolder(name: string): boolean {
  return name === "node_modules" || name.startsWith(".");
}

/** Whether a text has one of the two members that every scenario has, even if the other is wrong. */
function looksLikeScenario(text: string): boolean {
  try {
    const data = yamlDataFrom(text);
    if (typeof data !== "object" || data === null) return false;
    return Object.hasOwn(data, "story") || Object.hasOwn(data, "world");
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    return /^\s*\{?\s*["']?(story|world)["']?\s*:/m.test(text);
  }
}

function leftOutWords(files: readonly string[]): string {
  const more = files.length - NAMED_MAX;
  const named = files.slice(0, NAMED_MAX).join(", ");
  return `Left out, with neither "story" nor "world": ${named}${more > 0 ? ` and ${more} more` : ""}`;
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

/** @throws {WrongInput} when it cannot be read */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new WrongInput(`Cannot read "${path}": there is no such file`);
  }
}
