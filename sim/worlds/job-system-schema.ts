import { z } from "zod";
import { duration } from "../codecs/duration.ts";
import { ratio } from "../codecs/ratio.ts";
import { JOB_SYSTEM_NAMES } from "../jobs/presets.ts";
import type { JobSystemSpec } from "./job-system-spec.ts";

type Knobs = Omit<JobSystemSpec, "system">;

const span = z.strictObject({
  min: duration.describe("At least."),
  max: duration.describe("At most."),
});

const knobs: { readonly [K in keyof Knobs]-?: z.ZodType<Knobs[K], unknown> } = {
  takes: span.optional().describe("How long a job takes, instead of what the preset says."),
  queued: span.optional().describe("How long a job waits before it runs."),
  failFirst: z
    .int()
    .min(0)
    .optional()
    .describe("How many of the first jobs of each task instance fail."),
  failureRate: ratio.optional().describe("The probability that a job fails."),
  rejectRate: ratio.optional().describe("The probability that a submit is rejected."),
  restartForgets: z
    .boolean()
    .optional()
    .describe("Whether the system forgets its jobs when it restarts."),
  visibilityLag: duration.optional().describe("How long a new job is not found."),
  retention: duration.optional().describe("How long a job that has ended is known."),
  unknownStatuses: ratio
    .optional()
    .describe("The probability that a lookup begins a burst of undocumented statuses."),
  falseSuccess: duration
    .optional()
    .describe("How long each job is reported to have succeeded while it is running."),
};

/** A job system with its settings side by side: `{ system: livy, failFirst: 2 }`. */
export const jobServer: z.ZodType<JobSystemSpec, unknown> = z.strictObject({
  system: z
    .enum(JOB_SYSTEM_NAMES)
    .default("aws-batch")
    .describe("The preset of the external system."),
  ...knobs,
});
