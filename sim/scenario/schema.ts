import { z } from "zod";
import { CHECKER_IDS } from "../checkers/mod.ts";
import { SITE_NAMES } from "../faults/site.ts";
import type { ManagerScenario, TriggererScenario } from "./scenario.ts";

const MS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d+)(ms|s|m|h|d)$/;
const RATIO = /^(\d+)\/(\d+)$/;

/** A length of time as scenario files write it: "250ms", "30s", "5m", "1h"; whole numbers only. */
const duration: z.ZodType<number, string> = z
  .string()
  .regex(DURATION, { error: 'expected a duration such as "250ms", "30s", "5m" or "24h"' })
  .transform((text) => {
    const [, amount = "", unit = "ms"] = DURATION.exec(text) ?? [];
    return Number(amount) * MS_PER_UNIT[unit as keyof typeof MS_PER_UNIT];
  });

/** A probability in whole numbers: "1/20". */
const ratio: z.ZodType<{ numerator: number; denominator: number }, string> = z
  .string()
  .regex(RATIO, { error: 'expected a rate such as "1/20"' })
  .transform((text) => {
    const [, numerator = "", denominator = ""] = RATIO.exec(text) ?? [];
    return { numerator: Number(numerator), denominator: Number(denominator) };
  })
  .refine(({ numerator, denominator }) => denominator > 0 && numerator <= denominator, {
    error: 'expected a rate between "0/1" and "1/1"',
  });

const NEVER = { numerator: 0, denominator: 1 };
const count = z.int().min(1).max(100_000);

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

const verdict = z.enum([
  "fail-before",
  "fail-after",
  "drop-request",
  "drop-reply",
  "duplicate",
  "delay",
  "crash-before",
  "crash-after",
]);

const siteFault = z.strictObject({
  site: z.enum(SITE_NAMES),
  verdict,
  nth: count.optional(),
  times: count.default(1),
  rate: ratio.optional(),
  host: z.string().optional(),
  from: duration.optional(),
  until: duration.optional(),
  for: duration.default(2_000),
  restartAfter: duration.default(3_000),
});

const link = z.tuple([z.string(), z.string()]);

const timedFault = z.union([
  z.strictObject({ at: duration, crash: z.string(), restartAfter: duration.default(3_000) }),
  z.strictObject({ at: duration, pause: z.string(), for: duration }),
  z.strictObject({ at: duration, cut: link, oneWay: z.boolean().default(false), for: duration }),
  z.strictObject({ at: duration, hold: link, for: duration }),
  z.strictObject({ at: duration, clockStep: z.string(), by: duration }),
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

const shared = {
  story: z.string().min(1),
  profile: z.enum(["faultlane", "airflow-3.3"]).default("faultlane"),
  strictPersistence: z.boolean().default(false),
  manager: z
    .strictObject({
      maxSubscriberQueue: z.int().min(0).default(1_024),
      ackTimeout: duration.default(300_000),
      cohortGracePeriod: duration.default(0),
    })
    .prefault({}),
  phases: z
    .strictObject({ safety: duration.default(60_000), liveness: duration.default(600_000) })
    .prefault({}),
  expect: z
    .strictObject({
      checkers: z
        .union([z.literal("all"), z.array(z.enum(CHECKER_IDS as [string, ...string[]]))])
        .default("all"),
      /** The promises that must break: for showing what another profile does. */
      broken: z.array(z.enum(CHECKER_IDS as [string, ...string[]])).default([]),
      brokenIn: z.enum(["every-run", "some-runs"]).default("every-run"),
    })
    .prefault({}),
};

/** A scenario file as written: the world, the workload, the faults, the phases, what to expect. */
export type ParsedScenario = Omit<TriggererScenario, "name"> | Omit<ManagerScenario, "name">;

export const scenarioSchema: z.ZodType<ParsedScenario, unknown> = z.discriminatedUnion("world", [
  triggererWorld.extend(shared),
  managerWorld.extend(shared),
]);

/** The JSON Schema of a scenario file, for editors. */
export function scenarioJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(scenarioSchema, { io: "input" });
}
