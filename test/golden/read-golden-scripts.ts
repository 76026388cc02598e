import { readFileSync } from "node:fs";
import type { GoldenScript } from "./script.ts";

const PATH = "test/golden/scripts.jsonl";
const ROOT = new URL("../../", import.meta.url);

/**
 * Reads the scripts that were recorded on Airflow's own manager; README.md describes a line.
 *
 * @throws {Error} when the file is missing
 */
export function readGoldenScripts(path: string = PATH): readonly GoldenScript[] {
  let text: string;
  try {
    text = readFileSync(new URL(path, ROOT), "utf8");
  } catch (cause) {
    throw new Error(
      `Cannot read the golden scripts: "${path}", seen from the top of the repository, is missing`,
      { cause },
    );
  }
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as GoldenScript);
}
