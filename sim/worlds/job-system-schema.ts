import { z } from "zod";
import { duration } from "../codecs/duration.ts";
import { ratio } from "../codecs/ratio.ts";
import { JOB_SYSTEM_NAMES, type JobSystemName } from "../jobs/presets.ts";
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
  cancelTakes: duration
    .optional()
    .describe("How long a cancelled job takes to end, where the system cancels jobs."),
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

const settings = z.strictObject(knobs);

/** A system and how it differs from its preset: `{ livy: { failFirst: 2 } }`. */
const namedSystem = z
  .strictObject(
    Object.fromEntries(
      JOB_SYSTEM_NAMES.map((name) => [name, settings.optional().describe(`${name}, changed.`)]),
    ) as Record<JobSystemName, z.ZodOptional<typeof settings>>,
  )
  .partial()
  .refine((systems) => Object.keys(systems).length === 1, { error: "expected one system" });

/** A job system by its name, or with settings: `livy`, or `{ livy: { failFirst: 2 } }`. */
export const systemUnderTest: z.ZodType<JobSystemSpec, unknown> = z.codec(
  z.union([z.enum(JOB_SYSTEM_NAMES), namedSystem]),
  z.custom<JobSystemSpec>(),
  {
    decode(written) {
      if (typeof written === "string") return { system: written };
      const [system, changed] = Object.entries(written)[0] as [JobSystemName, object];
      return { system, ...changed };
    },
    encode({ system, ...changed }) {
      return Object.keys(changed).length === 0 ? system : { [system]: changed };
    },
  },
);
