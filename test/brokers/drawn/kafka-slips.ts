import * as fc from "fast-check";
import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import type { ObservedStage } from "../observed/observation.ts";
import { METHODS, retryOptions } from "./kafka-slips-calls.ts";
import { type Drawn, fields, mostly, oddValue } from "./odd-values.ts";
import { playSteps } from "./slips-program.ts";
import {
  called,
  type Configs,
  flag,
  named,
  running,
  SENT,
  sometimesMade,
  type Step,
  stepOf,
  TOPIC,
  unknown,
  usually,
} from "./slips-steps.ts";

const c = fc.constant;
const CONFIGS: Configs = {
  producer: fields(
    { retry: mostly(retryOptions, 24) },
    {
      idempotent: flag,
      maxInFlightRequests: mostly(fc.constantFrom<Drawn>(1, 5)),
      allowAutoTopicCreation: flag,
      metadataMaxAge: mostly(c(300_000)),
      transactionTimeout: mostly(c(1000)),
      createPartitioner: mostly(c(named("partitioner"))),
      ...unknown,
    },
    7,
  ),
  consumer: fields(
    {
      groupId: mostly(c(named("group")), 40),
      retry: mostly(retryOptions, 24),
      maxWaitTimeInMs: mostly(c(50), 40),
    },
    {
      sessionTimeout: mostly(fc.constantFrom<Drawn>(6000, 30_000)),
      rebalanceTimeout: mostly(fc.constantFrom<Drawn>(6000, 60_000)),
      heartbeatInterval: mostly(fc.constantFrom<Drawn>(100, 3000, 30_000)),
      minBytes: mostly(fc.constantFrom<Drawn>(1, 0)),
      maxBytes: mostly(fc.constantFrom<Drawn>(1_000_000, 1)),
      maxBytesPerPartition: mostly(fc.constantFrom<Drawn>(1_000_000, 1)),
      allowAutoTopicCreation: flag,
      readUncommitted: flag,
      rackId: mostly(c("")),
      metadataMaxAge: mostly(c(300_000)),
      maxInFlightRequests: mostly(c(5)),
      partitionAssigners: oddValue,
      ...unknown,
    },
    9,
  ),
  admin: fields({ retry: mostly(retryOptions, 24) }, unknown, 7),
};

const step = stepOf(METHODS, CONFIGS, { producer: 3, consumer: 5, admin: 4 });

/** A program that is likely to read, with a handler that slips. */
const reading = fc
  .tuple(
    usually(SENT, 9),
    sometimesMade("consumer", CONFIGS),
    usually(
      [
        called("consumer", "connect"),
        called("consumer", "subscribe", { topic: TOPIC, fromBeginning: true }),
      ],
      15,
    ),
    running(METHODS),
    fc.oneof(c<readonly Step[]>([["look", 700]]), c<readonly Step[]>([])),
    fc.array(step, { maxLength: 4 }),
    c<readonly Step[]>([["look", 1000]]),
    fc.array(step, { maxLength: 2 }),
  )
  .map((parts) => parts.flat());
const asking = fc
  .tuple(
    usually([called("producer", "connect"), called("admin", "connect")], 6),
    fc.array(step, { minLength: 1, maxLength: 8 }),
  )
  .map((parts) => parts.flat());

const RETRY: Drawn = { retries: 1, initialRetryTime: 20 };
/** Events that come as often as time allows. */
const OFTEN = /^(?:FETCH|HEARTBEAT|REQUEST)/;
/** Takes as long as a fetch on a server, and no time on the model. */
const LONGER = ["setOffsets", "resetOffsets", "fetchOffsets"];

type Metadata = { readonly topics: readonly { readonly name: string }[] };

let played = 0;

/** By kafkajs. */
export const KAFKA_SLIPS = {
  program: fc.oneof(reading, asking),
  async play(
    stage: ObservedStage<KafkaClient>,
    steps: readonly Step[],
    given?: string,
  ): Promise<readonly unknown[]> {
    played += 1;
    const name = given ?? `slips-${played}`;
    return await playSteps(stage, steps, name, {
      creation: { waitForLeaders: false },
      configs: {
        producer: { retry: RETRY },
        admin: { retry: RETRY },
        consumer: { retry: RETRY, groupId: named("group"), maxWaitTimeInMs: 50 },
      },
      alone: LONGER,
      endMs: 300,
      isAnyBatch: false,
      eventsOf(consumer, tell) {
        const events = consumer["events"] as unknown as Readonly<Record<string, string>>;
        for (const [key, value] of Object.entries(events)) {
          if (OFTEN.test(key)) continue;
          consumer["on"]?.(value, (event: { payload: unknown }) => tell(key, event.payload));
        }
      },
      /** Without the topics of other programs, which a server has, too. */
      async outcome(method, outcome) {
        if (method !== "fetchTopicMetadata") return await outcome;
        const { topics } = (await outcome) as Metadata;
        return { topics: topics.filter((topic) => topic.name.startsWith(name)) };
      },
    });
  },
};
