import { expect } from "vitest";
import type { PlantedBug } from "./planted-bug.ts";

const EVENTS_MAX = 6;
const FAULTS_MAX = 3;
const STORY_LINES_MAX = 12;

/** That the bug is found, named rightly, and told in few words. */
export async function expectFound(bug: PlantedBug): Promise<void> {
  const found = await bug.find();
  if (found === undefined) throw new Error(`${bug.id} was not found`);
  const { guarantee, size, story } = found;
  expect(bug.guarantees).toContain(guarantee);
  expect(size.events).toBeLessThanOrEqual(bug.eventsMax ?? EVENTS_MAX);
  expect(size.faults).toBeLessThanOrEqual(FAULTS_MAX);
  expect(story.length).toBeLessThanOrEqual(STORY_LINES_MAX);
}
