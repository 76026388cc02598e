import * as fc from "fast-check";
import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import type { ObservedStage } from "../observed/observation.ts";
import { METHODS } from "./confluent-slips-calls.ts";
import { type Drawn, fields, isRefused, mostly, oddValue } from "./odd-values.ts";
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
const common = {
  retry: mostly(
    fields(
      {},
      {
        retries: mostly(c(2)),
        initialRetryTime: mostly(c(100)),
        maxRetryTime: mostly(c(200)),
        multiplier: c<Drawn>(2),
        factor: c<Drawn>(0),
      },
      6,
    ),
  ),
  clientId: mostly(c("me")),
  logLevel: mostly(fc.constantFrom<Drawn>(0, 1)),
  requestTimeout: mostly(c(5000)),
  connectionTimeout: mostly(c(1000)),
  authenticationTimeout: mostly(c(1000)),
  enforceRequestTimeout: flag,
  socketFactory: oddValue,
  reauthenticationThreshold: oddValue,
  ssl: mostly(c(false)),
  ...unknown,
};
const CONFIGS: Configs = {
  producer: fields(
    {
      kafkaJS: mostly(
        fields(
          {},
          {
            idempotent: flag,
            maxInFlightRequests: mostly(fc.constantFrom<Drawn>(1, 5, 6)),
            allowAutoTopicCreation: flag,
            metadataMaxAge: mostly(c(300_000)),
            transactionTimeout: mostly(c(1000)),
            acks: mostly(fc.constantFrom<Drawn>(-1, 1)),
            compression: mostly(fc.constantFrom<Drawn>("none", "gzip")),
            timeout: mostly(c(1000)),
            createPartitioner: oddValue,
            ...common,
          },
          19,
        ),
        20,
      ),
    },
    {
      "linger.ms": mostly(fc.constantFrom<Drawn>(0, 5)),
      "message.timeout.ms": mostly(c(3000)),
      "unknown.property": c<Drawn>(1),
      acks: mostly(c(-1)),
      idempotent: flag,
    },
    19,
  ),
  consumer: fields(
    {
      kafkaJS: mostly(
        fields(
          {
            groupId: mostly(c(named("group")), 60),
            fromBeginning: mostly(c(true), 40),
            maxWaitTimeInMs: mostly(c(50), 60),
          },
          {
            sessionTimeout: mostly(fc.constantFrom<Drawn>(6000, 30_000)),
            rebalanceTimeout: mostly(fc.constantFrom<Drawn>(6000, 60_000)),
            heartbeatInterval: mostly(fc.constantFrom<Drawn>(100, 3000, 30_000)),
            minBytes: mostly(fc.constantFrom<Drawn>(1, 0)),
            maxBytes: mostly(c(1_000_000)),
            maxBytesPerPartition: mostly(c(1_000_000)),
            allowAutoTopicCreation: flag,
            autoCommit: flag,
            autoCommitInterval: mostly(fc.constantFrom<Drawn>(100, 5000)),
            readUncommitted: flag,
            rackId: mostly(c("")),
            metadataMaxAge: mostly(c(300_000)),
            maxInFlightRequests: mostly(c(5)),
            partitionAssigners: fc.oneof(oddValue, c<Drawn>(["roundrobin"])),
            ...common,
          },
          19,
        ),
        30,
      ),
    },
    {
      "auto.offset.reset": mostly(fc.constantFrom<Drawn>("earliest", "latest")),
      "session.timeout.ms": mostly(c(6000)),
      "group.id": mostly(c(named("group"))),
      "enable.auto.commit": flag,
      groupId: c(named("group")),
    },
    19,
  ),
  admin: fields(
    { kafkaJS: mostly(fields({}, common, 19)) },
    { "socket.timeout.ms": mostly(c(1000)) },
    9,
  ),
};

const step = stepOf(METHODS, CONFIGS, { producer: 3, consumer: 5, admin: 2 });

/** A program that is likely to read, with a handler that slips. */
const reading = fc
  .tuple(
    usually(SENT, 9),
    sometimesMade("consumer", CONFIGS),
    usually([called("consumer", "connect"), called("consumer", "subscribe", { topic: TOPIC })], 15),
    running(METHODS),
    c<readonly Step[]>([["look", 2500]]),
    fc.array(step, { maxLength: 3 }),
    c<readonly Step[]>([["look", 2500]]),
    fc.array(step, { maxLength: 2 }),
  )
  .map((parts) => parts.flat());
const asking = fc
  .tuple(
    sometimesMade("producer", CONFIGS),
    sometimesMade("consumer", CONFIGS),
    usually(
      [called("producer", "connect"), called("admin", "connect"), called("consumer", "connect")],
      6,
    ),
    fc.array(step, { minLength: 1, maxLength: 8 }),
  )
  .map((parts) => parts.flat());

/** Leaves out the texts of errors, which are no contract: the model's are shorter. */
function withoutTexts(seen: unknown): unknown {
  if (Array.isArray(seen)) return seen.map(withoutTexts);
  if (typeof seen !== "object" || seen === null) return seen;
  const kept = Object.entries(seen).filter(
    ([name, value]) => name !== "message" || isRefused(value) || !("code" in seen),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutTexts(value)]));
}

let played = 0;

/** By Confluent's library. */
export const CONFLUENT_SLIPS = {
  program: fc.oneof(reading, asking),
  async play(
    stage: ObservedStage<ConfluentKafkaClient>,
    steps: readonly Step[],
    given?: string,
  ): Promise<readonly unknown[]> {
    played += 1;
    const seen = await playSteps(stage, steps, given ?? `slips-${played}`, {
      creation: {},
      configs: {
        producer: {},
        admin: {},
        consumer: {
          kafkaJS: { groupId: named("group"), fromBeginning: true, maxWaitTimeInMs: 50 },
        },
      },
      alone: [],
      endMs: 700,
      isAnyBatch: true,
      eventsOf: () => undefined,
      outcome: (_method, outcome) => outcome,
    });
    return seen.map((one, at) =>
      at < steps.length
        ? [steps[at], withoutTexts((one as readonly unknown[])[1])]
        : withoutTexts(one),
    );
  },
};
