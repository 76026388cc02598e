import { z } from "zod";
import type { PinnedChoice } from "../pinned-choices.ts";
import { CHECKER_IDS, TASK_CHECKER_IDS } from "../checkers/mod.ts";
import type { ManagerScenario, TriggererScenario } from "./scenario.ts";
import { count, duration, hostFault, NEVER, ratio, siteFault } from "./schema-parts.ts";
import { taskWorld } from "./task-schema.ts";
import type { TaskScenario } from "./task-scenario.ts";

const filter = z.strictObject({
  fires: ratio.default({ numerator: 1, denominator: 1 }),
  firesTwice: ratio.default(NEVER),
  rejects: ratio.default(NEVER),
  raises: ratio.default(NEVER),
  unencodable: ratio.default(NEVER),
  returns: ratio.default(NEVER),
  slow: ratio.default(NEVER),
  slowFor: duration.default(5_000),
});

const stream = z.strictObject({
  name: z.string().min(1),
  mode: z.enum(["ack", "fast"]).default("ack"),
  partitions: count.default(1),
  triggers: count.default(1),
  publishEvery: duration.default(1_000),
  burst: count.default(1),
  filter: filter.prefault({}),
  /**
   * The trigger of this number (from 1) is stuck in its first event, until the safety phase ends.
   */
  stuckTrigger: count.optional(),
  /** Records of this partition (from 0) wait this long in every filter. */
  slowPartition: z.strictObject({ partition: z.int().min(0), for: duration }).optional(),
  advanceThrows: z
    .strictObject({ nth: count, error: z.enum(["Error", "AbortError"]).default("Error") })
    .optional(),
});

const timedFault = z.union([
  hostFault,
  z.strictObject({ at: duration, rebalance: z.string() }),
  z.strictObject({ at: duration, expireConsumers: z.string() }),
]);

const operation = z.union([
  z.strictObject({ at: duration, createTrigger: z.string(), count: count.default(1) }),
  z.strictObject({ at: duration, cancelTriggers: z.string(), count: count.default(1) }),
  z.strictObject({ at: duration, shutDown: z.string(), restartAfter: duration.default(3_000) }),
]);

/** Random faults by kind, each at a rate per minute of virtual time and host. */
const storm = z.strictObject({
  crashes: ratio.default(NEVER),
  pauses: ratio.default(NEVER),
  cuts: ratio.default(NEVER),
  rebalances: ratio.default(NEVER),
});

const triggererWorld = z.strictObject({
  world: z.literal("triggerer"),
  triggerers: count.max(16).default(1),
  streams: z.array(stream).min(1),
  heartbeat: duration.default(5_000),
  syncEvery: duration.default(1_000),
  claimAfter: duration.default(30_000),
  fetchWait: duration.default(15_000),
  restartRunnerAlone: z.boolean().default(false),
  operations: z.array(operation).default([]),
  faults: z.array(z.union([siteFault, timedFault])).default([]),
  storm: storm.optional(),
});

const managerWorld = z.strictObject({
  world: z.literal("manager"),
  keys: count.max(4).default(2),
  triggers: count.max(8).default(4),
  lanes: count.max(8).default(2),
  operations: count.default(60),
  /** What the hostile client may do beside the ordinary. */
  hostile: z
    .strictObject({
      failures: z.boolean().default(true),
      stopAll: z.boolean().default(true),
      sameTurn: z.boolean().default(true),
      bursts: z.boolean().default(true),
    })
    .prefault({}),
});

const streams = {
  profile: z.enum(["faultlane", "airflow-3.3"]).default("faultlane"),
  strictPersistence: z.boolean().default(false),
  manager: z
    .strictObject({
      maxSubscriberQueue: z.int().min(0).default(1_024),
      ackTimeout: duration.default(300_000),
      cohortGracePeriod: duration.default(0),
    })
    .prefault({}),
};

/** The names that a scenario may list under `expect`. */
const checkerId = z.enum([...CHECKER_IDS, ...TASK_CHECKER_IDS] as [string, ...string[]]);

/** "calm", or what is not calm; the seed of a run means nothing then. */
const choices: z.ZodType<readonly PinnedChoice[], unknown> = z.union([
  z.literal("calm").transform(() => []),
  z.array(
    z.strictObject({
      kind: z.enum(["sched", "fault", "time", "data", "workload"]),
      part: z.string(),
      label: z.string(),
      nth: count.default(1),
      take: z.int().min(1),
    }),
  ),
]);

const shared = {
  story: z.string().min(1),
  choices: choices.optional(),
  phases: z
    .strictObject({ safety: duration.default(60_000), liveness: duration.default(600_000) })
    .prefault({}),
  expect: z
    .strictObject({
      checkers: z.union([z.literal("all"), z.array(checkerId)]).default("all"),
      /** The promises that must break: for showing what another profile does. */
      broken: z.array(checkerId).default([]),
      brokenIn: z.enum(["every-run", "some-runs"]).default("every-run"),
    })
    .prefault({}),
};

/** A scenario file as written: the world, the workload, the faults, the phases, what to expect. */
export type ParsedScenario =
  | Omit<TriggererScenario, "name">
  | Omit<ManagerScenario, "name">
  | Omit<TaskScenario, "name">;

export const scenarioSchema: z.ZodType<ParsedScenario, unknown> = z.discriminatedUnion("world", [
  triggererWorld.extend(streams).extend(shared),
  managerWorld.extend(streams).extend(shared),
  z.strictObject({ ...taskWorld, ...shared }),
]);

/** The JSON Schema of a scenario file, for editors. */
export function scenarioJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(scenarioSchema, { io: "input" });
}
