import { readFileSync } from "node:fs";
import { type Artifact, parseArtifact } from "../scenario/artifact.ts";
import { WrongInput } from "./output.ts";

/**
 * Reads what a broken run left.
 *
 * @throws {WrongInput} when the file is not there, or is no artifact
 */
export function readArtifact(path: string): Artifact {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new WrongInput(`Cannot read "${path}": there is no such file`);
  }
  try {
    return parseArtifact(text);
  } catch (error) {
    throw new WrongInput(`${(error as Error).message} ("${path}")`);
  }
}
