import { z } from "zod";
import { duration } from "../codecs/duration.ts";
import type { ScenarioBase } from "../codecs/scenario-parts.ts";
import { FILTER_FORMS, type FilterForm } from "../workloads/filter-form.ts";
import type { StreamScenarioBase } from "./stream-scenario.ts";

type StreamShape = {
  readonly [Member in Exclude<keyof StreamScenarioBase, keyof ScenarioBase>]-?: z.ZodType<
    StreamScenarioBase[Member],
    unknown
  >;
};

export const filterForm: z.ZodDefault<z.ZodType<FilterForm, FilterForm>> = z
  .enum(FILTER_FORMS)
  .default("async")
  .describe(
    '"async": filters pull their events; "sync": they are called with each event and await nothing; "either": each filter draws its form. Unless "async", they also reject by the ambient form.',
  );

/** What scenarios with a shared-stream manager say of it. */
export const streamMembers: StreamShape = {
  profile: z
    .enum(["faultlane", "airflow-3.3"])
    .default("faultlane")
    .describe(
      "The shared-stream manager under test: faultlane's own, or Airflow 3.3's algorithm with its defects.",
    ),
  strictPersistence: z
    .boolean()
    .default(false)
    .describe("Whether an event counts as failed that a subscriber abandons or cannot bind."),
  manager: z
    .strictObject({
      maxSubscriberQueue: z
        .int()
        .min(0)
        .default(1_024)
        .describe("How many events one subscriber's queue holds before it overflows."),
      ackTimeout: duration
        .default(300_000)
        .describe("How long a subscriber may hold an event before it is force-failed."),
      cohortGracePeriod: duration
        .default(0)
        .describe("How long a new group waits for more subscribers before it opens its stream."),
    })
    .prefault({})
    .describe("The settings of the manager."),
};
