import { z } from "zod";
import { count } from "../../codecs/count.ts";
import { duration } from "../../codecs/duration.ts";
import { hostFault, siteFault } from "../../codecs/fault-codecs.ts";
import { DECISION_TABLE_NAMES } from "../../checkers/producer/decision-tables.ts";
import type { ScenarioBase } from "../../codecs/scenario-parts.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";
import { brokerSpec } from "./broker-spec.ts";
import {
  BEHAVIOURS,
  type BehaviourSpec,
  type ProducerFault,
  type ProducerScenario,
  type RecordSpec,
  type SubscriberSpec,
} from "./producer-scenario.ts";

/** How long faults and misbehaviour last, before everything calms down. */
export const SAFETY_MS = 40_000;
/** How long the liveness phase waits for the next record to be settled. */
export const LIVENESS_MS = 240_000;

type ProducerShape = {
  readonly [Member in Exclude<keyof ProducerScenario, keyof StreamScenarioBase>]-?: z.ZodType<
    ProducerScenario[Member],
    unknown
  >;
} & { readonly phases: z.ZodType<ScenarioBase["phases"], unknown> };

const record: z.ZodType<RecordSpec, unknown> = z.strictObject({
  at: duration.describe("The virtual time at which the record is published."),
  publish: z
    .string()
    .regex(/^ref-\d{6}$/, { error: 'expected a ref such as "ref-000001"' })
    .describe("The ref of the record, by which it is recognised."),
  key: z.string().describe("Decides its partition, message group, session or ordering key."),
  garbled: z
    .boolean()
    .optional()
    .describe("Whether its text has lost its end, so that it is no JSON; default false."),
});

const subscriber: z.ZodType<SubscriberSpec, unknown> = z.strictObject({
  subscriber: count.describe("The number of the subscriber."),
  joinAt: duration.default(0).describe("The virtual time at which it subscribes."),
  leaveAt: duration
    .optional()
    .describe("The virtual time at which it unsubscribes; it is back when the faults are over."),
});

const behaviour: z.ZodType<BehaviourSpec, unknown> = z.strictObject({
  subscriber: count.describe("The number of the subscriber."),
  on: z.string().describe("The ref of the record."),
  does: z.enum(BEHAVIOURS).describe("What the subscriber does with the record."),
  for: duration.default(0).describe("How long it takes, for what takes long."),
  times: count
    .optional()
    .describe("How often it does so when the record comes again; left out: each time."),
});

const producerFault: z.ZodType<ProducerFault, unknown> = z.union([
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    disturb: z.string().describe("The name of a disturbance that the broker model has."),
  }),
  z.strictObject({
    at: duration.describe("The virtual time at which the fault strikes."),
    closeUnopened: z
      .literal(true)
      .describe("A producer is made and closed before its stream was opened."),
  }),
]);

/** A producer, its broker and its subscribers, as a scenario file describes them. */
export const producerMembers: ProducerShape = {
  world: z
    .literal("producer")
    .describe("A producer of yours on a model of its broker, with a manager and subscribers."),
  producer: z
    .string()
    .optional()
    .describe("The module with createProducer({ client }), seen from this file."),
  broker: brokerSpec.describe("The model of the broker, and its options."),
  decide: z
    .enum(DECISION_TABLE_NAMES)
    .default("airflow")
    .describe(
      "What the producer owes the broker for each outcome: all that Airflow's documents allow, or dead letters for what was rejected, or what failed given back first.",
    ),
  records: z
    .array(record)
    .refine((records) => areUnique(records.map(({ publish }) => publish)), {
      error: "expected each ref once",
    })
    .default([])
    .describe("The records that are published, in the safety phase."),
  subscribers: z
    .array(subscriber)
    .min(1)
    .refine((subscribers) => areUnique(subscribers.map((one) => one.subscriber)), {
      error: "expected each number once",
    })
    .describe("Who subscribes to the stream."),
  behaviours: z
    .array(behaviour)
    .default([])
    .describe("What subscribers do with records; where nothing is said, they accept them."),
  faults: z
    .array(z.union([siteFault, hostFault, producerFault]))
    .default([])
    .describe("The faults that strike, at calls or at times; hosts are triggerer and broker."),
  phases: z
    .strictObject({
      safety: duration
        .default(SAFETY_MS)
        .describe("How long the first phase lasts, in which faults strike."),
      liveness: duration
        .default(LIVENESS_MS)
        .describe(
          "How long the second phase waits for progress before what is not settled counts as lost.",
        ),
    })
    .prefault({})
    .describe("How long the run lasts."),
};

function areUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}
