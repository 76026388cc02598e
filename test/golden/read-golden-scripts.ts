import { readFileSync } from "node:fs";
import type { GoldenScript } from "./script.ts";

const PATH = "../shared/conformance/shared-stream.golden.jsonl";
const ROOT = new URL("../../", import.meta.url);

/**
 * The scripts that were run on Airflow's own manager.
 *
 * @throws {Error} when the data are not where they belong, naming the place
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
