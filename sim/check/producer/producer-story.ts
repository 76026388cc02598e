import type { Violation } from "../../checkers/checker.ts";
import { producerStory } from "../../story/producer-story.ts";
import { timeText } from "../../story/story.ts";
import type { ProducerRun } from "./producer-run.ts";

/** What happened, in the user's terms: a few lines that end with the violation. */
export function storyOf({ trace }: ProducerRun, violation: Violation): readonly string[] {
  const end = `${timeText(violation.at)}  => ${violation.detail}`;
  return [...producerStory(trace, violation), end];
}
