import { z } from "zod";
import { count } from "../../codecs/count.ts";
import { filterForm } from "../stream-schema.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";
import type { ManagerScenario } from "./manager-scenario.ts";

type ManagerShape = {
  readonly [Member in Exclude<keyof ManagerScenario, keyof StreamScenarioBase>]-?: z.ZodType<
    ManagerScenario[Member],
    unknown
  >;
};

/** One manager and its hostile client, as a scenario file describes them. */
export const managerMembers: ManagerShape = {
  world: z.literal("manager").describe("One manager alone, driven by a hostile client."),
  keys: count.max(4).default(2).describe("How many stream keys the client uses."),
  triggers: count.max(8).default(4).describe("How many trigger ids the client uses."),
  lanes: count.max(8).default(2).describe("How many lanes the events of a stream have."),
  operations: count.default(60).describe("How many actions the client performs."),
  /** What the hostile client may do beside the ordinary. */
  hostile: z
    .strictObject({
      failures: z
        .boolean()
        .default(true)
        .describe("Whether streams, lane hooks, factories and advances may throw."),
      stopAll: z
        .boolean()
        .default(true)
        .describe("Whether the client may call stopAll in the middle of a run."),
      sameTurn: z
        .boolean()
        .default(true)
        .describe("Whether the client may act again in the same turn, without awaiting anything."),
      bursts: z
        .boolean()
        .default(true)
        .describe("Whether a stream may yield several events at once."),
      pullsOn: z
        .boolean()
        .default(false)
        .describe("Whether filters go on pulling after their stream has failed or ended."),
      badEnds: z
        .boolean()
        .default(false)
        .describe(
          "Whether sources may throw when they are aborted, or something else when they are closed.",
        ),
      busyStops: z
        .boolean()
        .default(false)
        .describe(
          "Whether the client ends its groups while they are busy: advances are slow or fail late, and keys are joined again while their old group drains.",
        ),
      longAdvances: z
        .boolean()
        .default(false)
        .describe(
          "Whether a slow advance may take minutes: longer than stopAll waits for a group before it stops the next.",
        ),
    })
    .prefault({})
    .describe("What the client may do beyond ordinary use."),
  filter: z
    .strictObject({ form: filterForm })
    .prefault({})
    .describe("How the filters of the client get their events."),
  mode: z
    .enum(["ack", "fast", "either"])
    .default("ack")
    .describe(
      '"ack": producers advance the broker once events are resolved; "fast": plain fan-out; "either": each trigger draws one.',
    ),
};
