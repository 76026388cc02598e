import { readFileSync } from "node:fs";
import { type Artifact, parseArtifact } from "../run/artifact.ts";
import { WrongInput } from "./output.ts";

/**
 * Reads the artifact of a recorded run.
 *
 * @throws {WrongInput} when the file does not exist or is not an artifact
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
