import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { PlantedBug } from "./planted-bug.ts";

const EVENTS_MAX = 6;
const FAULTS_MAX = 3;
/** What led there, and what was seen. */
const STORY_LINES_MAX = 15;
/** How much later than in the table it may be found. */
const FLOOR_FACTOR = 2;
const FLOOR_RUNS = 20;

const table = readFileSync(new URL("../../../bench/CHECK.md", import.meta.url), "utf8");

/** After how many runs the bug was found when the table was made. */
function runsInTable({ broker, id }: PlantedBug): number {
  for (const line of table.split("\n")) {
    const [, inBroker, inId, , runs] = line.split("|").map((cell) => cell.trim());
    if (inBroker === broker && inId === id) return Number(runs);
  }
  throw new Error(`${id} (${broker}) is not in bench/CHECK.md: run npm run bench:check`);
}

/** That the bug is found, named rightly, told in few words, and no later than it used to be. */
export async function expectFound(bug: PlantedBug): Promise<void> {
  const found = await bug.find();
  if (found === undefined) throw new Error(`${bug.id} was not found`);
  const { guarantee, runs, size, story } = found;
  expect(bug.guarantees).toContain(guarantee);
  expect(size.events).toBeLessThanOrEqual(bug.eventsMax ?? EVENTS_MAX);
  expect(size.faults).toBeLessThanOrEqual(FAULTS_MAX);
  expect(story.length).toBeLessThanOrEqual(STORY_LINES_MAX);
  expect(runs).toBeLessThanOrEqual(FLOOR_FACTOR * runsInTable(bug) + FLOOR_RUNS);
}
