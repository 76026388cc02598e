import { z } from "zod";
import { CHECKER_IDS, PRODUCER_CHECKER_IDS, TASK_CHECKER_IDS } from "../checkers/mod.ts";
import { duration } from "./duration.ts";
import { pinnedChoices } from "./pins-codec.ts";
import type { ScenarioBase } from "./scenario-parts.ts";

/** A name that a scenario may list under `expect`; which its world has is checked after parsing. */
const checkerId = z.string().meta({
  enum: [...new Set([...CHECKER_IDS, ...TASK_CHECKER_IDS, ...PRODUCER_CHECKER_IDS])],
});

type ScenarioBaseShape = {
  readonly [
    Member in Exclude<keyof ScenarioBase, "name" | "seed" | "startsAt" | "choices">
  ]-?: z.ZodType<ScenarioBase[Member], unknown>;
} & {
  readonly seed: z.ZodOptional<z.ZodInt>;
  readonly startsAt: z.ZodOptional<z.ZodISODateTime>;
  readonly choices: z.ZodOptional<typeof pinnedChoices>;
};

/** What a scenario file of every world may say. */
export const scenarioBase: ScenarioBaseShape = {
  story: z
    .string()
    .min(1)
    .describe("What happens and what must hold all the same, in a sentence or two."),
  seed: z
    .int()
    .min(0)
    .optional()
    .describe("The seed of the run, whatever seed is asked for: a scenario that is one run."),
  choices: pinnedChoices
    .optional()
    .describe(
      'Replaces the seed: every choice is the calm one but for those listed here; "calm": no exception.',
    ),
  startsAt: z.iso
    .datetime()
    .optional()
    .describe(
      "The instant at which all clocks begin, in UTC, such as 2026-10-25T00:58:00Z; default 2026-01-01T00:00:00Z.",
    ),
  phases: z
    .strictObject({
      safety: duration
        .default(60_000)
        .describe("How long the first phase lasts, in which faults strike."),
      liveness: duration
        .default(600_000)
        .describe(
          "How long the second phase, which has no faults, waits for progress before what is still owed counts as lost; running jobs, due retries and a shrinking backlog are progress.",
        ),
    })
    .prefault({})
    .describe("How long the run lasts."),
  expect: z
    .strictObject({
      checkers: z
        .union([z.literal("all"), z.array(checkerId)])
        .default("all")
        .describe('The ids of the promises to check; "all": every promise that this world owes.'),
      broken: z
        .array(checkerId)
        .default([])
        .describe(
          "The ids of the promises that must break, where a scenario demonstrates a failure.",
        ),
      brokenIn: z
        .enum(["every-run", "some-runs"])
        .default("every-run")
        .describe("Whether these break in every run or only with some seeds."),
      marks: z
        .array(z.string())
        .optional()
        .describe(
          "The situations that a run must reach, such as one that the story is about: without them it shows nothing.",
        ),
    })
    .prefault({})
    .describe("What the run is judged by."),
};
