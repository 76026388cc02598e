import { z } from "zod";
import { count } from "../../codecs/count.ts";
import { duration } from "../../codecs/duration.ts";
import { hostFault, siteFault } from "../../codecs/fault-codecs.ts";
import type { ScenarioBase } from "../../codecs/scenario-parts.ts";
import { systemUnderTest } from "../job-system-schema.ts";
import type { AttemptFault, OperatorScenario } from "./operator-scenario.ts";

const attemptFault: z.ZodType<AttemptFault, unknown> = z.union([
  z.strictObject({
    loseAttempt: count.describe("The number of the attempt, from 1, whose worker is lost."),
    after: duration.describe("How long after its begin."),
  }),
  z.strictObject({
    killAttempt: count.describe("The number of the attempt, from 1, that is told to stop."),
    after: duration.describe("How long after its begin."),
    category: z
      .enum(["timeout", "infrastructure", "user", "unknown"])
      .describe(
        "Why: its time is over, its worker goes away, a user stopped the task, or nobody says it.",
      ),
  }),
  z.strictObject({
    clearAttempt: count.describe(
      "The number of the attempt, from 1, whose task a user clears, so that it begins anew.",
    ),
    after: duration.describe("How long after its begin."),
  }),
  z.strictObject({
    delayAttempt: count.describe(
      "The number of the attempt, from 2, that begins later than usual.",
    ),
    by: duration.describe("How long after the end of the attempt before it."),
  }),
]);

const runId = z.string().regex(/^[^/\s]+$/, "expected the id of a run, without / and blanks");

type OperatorShape = {
  readonly [Member in Exclude<keyof OperatorScenario, keyof ScenarioBase>]-?: z.ZodType<
    OperatorScenario[Member],
    unknown
  >;
};

/** One operator on an outside job system, as a scenario file describes it. */
export const operatorMembers: OperatorShape = {
  world: z
    .literal("operator")
    .describe("A task whose operator is yours, a state store and an external job system."),
  operator: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The module that exports createJob(client, surroundings), as a path seen from this file.",
    ),
  runId: runId.optional().describe("The run that the task belongs to; default run-1."),
  system: systemUnderTest.describe("The external system that the operator submits its job to."),
  operations: z
    .array(
      z.union([
        z.strictObject({
          at: duration.describe("The virtual time."),
          otherJobs: count.describe("How many jobs somebody else submits to the system then."),
        }),
        z.strictObject({
          at: duration.describe("The virtual time."),
          otherRun: runId.describe(
            "The id of another run of the task, which submits then what the operator submits for it without faults.",
          ),
        }),
      ]),
    )
    .default([])
    .describe("What other users of the system do."),
  faults: z
    .array(z.union([siteFault, hostFault, attemptFault]))
    .default([])
    .describe("The faults that strike, at calls, at times or at attempts."),
};
