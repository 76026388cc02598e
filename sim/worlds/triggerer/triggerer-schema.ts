import { z } from "zod";
import { count } from "../../codecs/count.ts";
import { duration } from "../../codecs/duration.ts";
import { hostFault, siteFault } from "../../codecs/fault-codecs.ts";
import { NEVER, ratio } from "../../codecs/ratio.ts";
import type { StreamSpec } from "../../workloads/stream-spec.ts";
import { filterForm } from "../stream-schema.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";
import type { OwnTriggererFault, Operation, TriggererScenario } from "./triggerer-scenario.ts";

const filter = z.strictObject({
  form: filterForm,
  fires: ratio
    .default({ numerator: 1, denominator: 1 })
    .describe("The probability that a filter fires a trigger event for a raw event."),
  firesTwice: ratio.default(NEVER).describe("The probability that it fires two."),
  rejects: ratio.default(NEVER).describe("The probability that it rejects the raw event."),
  rejectsLate: ratio
    .default(NEVER)
    .describe(
      "The probability that a task which it started rejects when the window of the event is closed, by the ambient form; this must change nothing.",
    ),
  raises: ratio.default(NEVER).describe("The probability that it throws."),
  unencodable: ratio
    .default(NEVER)
    .describe("The probability that its trigger event cannot be encoded."),
  returns: ratio
    .default(NEVER)
    .describe(
      "The probability that it ends, as a one-shot trigger does; none if it is synchronous.",
    ),
  slow: ratio
    .default(NEVER)
    .describe("The probability that it takes long; a synchronous filter never does."),
  slowFor: duration.default(5_000).describe("How long it takes then."),
});

const stream: z.ZodType<StreamSpec, unknown> = z.strictObject({
  name: z.string().min(1).describe("The name of the stream and of its topic."),
  mode: z
    .enum(["ack", "fast", "standalone"])
    .default("ack")
    .describe(
      '"ack": the producer advances the broker once events are resolved; "fast": plain fan-out; "standalone": each trigger reads the topic alone, from its beginning, and nothing is shared.',
    ),
  partitions: count.default(1).describe("How many partitions the topic has."),
  triggers: count.default(1).describe("How many triggers subscribe at the start."),
  publishEvery: duration.default(1_000).describe("How often a record is published, give or take."),
  burst: count.default(1).describe("How many records are published at a time."),
  inFlightMax: count
    .optional()
    .describe(
      "How many records the producer broadcasts at most before they are advanced; without it, all that it can fetch.",
    ),
  filter: filter
    .prefault({})
    .describe("What the filters of this stream do, each a probability per raw event and trigger."),
  /**
   * The trigger of this number (from 1) is stuck in its first event, until the safety phase ends.
   */
  stuckTrigger: count
    .optional()
    .describe(
      "The trigger with this number (from 1) is stuck in its first event until the safety phase ends.",
    ),
  /** Records of this partition (from 0) wait this long in every filter. */
  slowPartition: z
    .strictObject({
      partition: z.int().min(0).describe("The partition, from 0."),
      for: duration.describe("How long each of its records takes."),
    })
    .optional()
    .describe("A partition whose records take every filter longer."),
  advanceThrows: z
    .strictObject({
      nth: count.describe("Every how many calls."),
      error: z.enum(["Error", "AbortError"]).default("Error").describe("What is thrown."),
    })
    .optional()
    .describe("Makes advance throw at every n-th call in the safety phase."),
});

const ownFault: z.ZodType<OwnTriggererFault, unknown> = z.union([
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    rebalance: z.string().describe("The stream whose partitions are assigned again."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    expireConsumers: z.string().describe("The stream whose consumers lose their sessions."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    memoryLimit: count.describe(
      "How many raw events a runner can hold: the one that holds most is killed when it holds more.",
    ),
    for: duration
      .optional()
      .describe("How long the limit lasts; without it to the end, also when the faults are over."),
    restartAfter: duration.default(3_000).describe("How long a killed runner stays down."),
  }),
]);

const operation: z.ZodType<Operation, unknown> = z.union([
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    createTrigger: z.string().describe("The stream for which triggers are created."),
    count: count.default(1).describe("How many."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    cancelTriggers: z.string().describe("The stream whose latest triggers are deleted."),
    count: count.default(1).describe("How many."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    shutDown: z.string().describe('The triggerer that is told to stop, such as "triggerer-1".'),
    restartAfter: duration.default(3_000).describe("How long it stays down."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time of the operation."),
    upgrade: z
      .strictObject({
        profile: z.enum(["faultlane", "airflow-3.3"]).optional().describe("Whose manager it has."),
        strictPersistence: z.boolean().optional().describe("The setting of its manager."),
        maxSubscriberQueue: count.optional().describe("The setting of its manager."),
      })
      .describe("What the new version of the triggerers does otherwise."),
    every: duration.default(15_000).describe("How long after one triggerer the next is replaced."),
  }),
]);

/** Random faults by kind, each at a rate per minute of virtual time and host. */
const storm = z.strictObject({
  crashes: ratio.default(NEVER).describe("The probability that a host crashes, per minute."),
  pauses: ratio.default(NEVER).describe("The probability that a host stalls, per minute."),
  cuts: ratio
    .default(NEVER)
    .describe("The probability that a host is cut off from another, per minute."),
  rebalances: ratio
    .default(NEVER)
    .describe("The probability that a stream is rebalanced, per minute."),
});

type TriggererShape = {
  readonly [Member in Exclude<keyof TriggererScenario, keyof StreamScenarioBase>]-?: z.ZodType<
    TriggererScenario[Member],
    unknown
  >;
};

/** Triggerers, a metadata database and a broker, as a scenario file describes them. */
export const triggererMembers: TriggererShape = {
  world: z
    .literal("triggerer")
    .describe("Triggerers, a metadata database and a Kafka-like broker."),
  triggerers: count
    .max(10_000)
    .default(1)
    .describe(
      "How many triggerers there are, each a supervisor and a runner: supervisor-1, runner-1, and so on.",
    ),
  streams: z.array(stream).min(1).describe("The streams and their triggers."),
  heartbeat: duration
    .default(5_000)
    .describe("How often a supervisor sends a heartbeat to the database."),
  syncEvery: duration.default(1_000).describe("How often a runner syncs with its supervisor."),
  claimAfter: duration
    .default(30_000)
    .describe(
      "How long a triggerer may go without a heartbeat before the others claim its triggers.",
    ),
  fetchWait: duration
    .default(15_000)
    .describe("How long a fetch waits at the broker for new records."),
  restartRunnerAlone: z
    .boolean()
    .default(false)
    .describe("Whether a supervisor outlives its runner and starts a new one."),
  operations: z.array(operation).default([]).describe("What users and operators do."),
  faults: z
    .array(z.union([siteFault, hostFault, ownFault]))
    .default([])
    .describe("The faults that strike, at calls or at times."),
  storm: storm
    .optional()
    .describe("Random faults in addition to those listed, each at a rate per virtual minute."),
};
