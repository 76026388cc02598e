/** Returns the command that replays the run of an artifact. */
export function replayLine(artifact: string): string {
  return `npx faultlane replay ${artifact}`;
}

/** Returns the command that runs a scenario with this seed again. */
export function runLine(scenario: string, seed: number): string {
  return `npx faultlane run ${scenario} --seed ${seed}`;
}

/** Returns the command that makes a run again: that of an artifact, or of a scenario and a seed. */
export function rerunLine(path: string, seed: number): string {
  return path.endsWith(".json") ? replayLine(path) : runLine(path, seed);
}
