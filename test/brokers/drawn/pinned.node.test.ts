// What the models show in the drawn sequences that the long gate plays on real servers, too. A line that
// changes has to be seen to agree with the server (test/real, test/brokers/outbox), and is then written by
// `npm run test:node -- test/brokers/drawn --update`.
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import { confluentKafka, kafka } from "../../../sim/brokers/kafka/kafka-model.ts";
import { kinesis } from "../../../sim/brokers/kinesis/model.ts";
import { mqtt } from "../../../sim/brokers/mqtt/model.ts";
import { nats } from "../../../sim/brokers/nats/model.ts";
import { pubsub } from "../../../sim/brokers/pubsub/pubsub-broker.ts";
import { rabbitmq } from "../../../sim/brokers/rabbitmq/model.ts";
import { nodeRedis, redis } from "../../../sim/brokers/redis/model.ts";
import { sqs, sqsFifo } from "../../../sim/brokers/sqs/sqs-broker.ts";
import { observeModel } from "../observed/observation.ts";
import { CALLS, scriptOf } from "../outbox/drawn.ts";
import { EXPRESSIONS, scriptOfExpressions } from "../outbox/drawn-expressions.ts";
import { scriptOfStatements, STATEMENTS } from "../outbox/drawn-statements.ts";
import { playOnModel } from "../outbox/play-on-model.ts";
import { SCRIPTS } from "../outbox/scripts.ts";
import { CONFLUENT_CALLS } from "./confluent.ts";
import type { DrawnSequences } from "./drawn.ts";
import { KINESIS_CALLS } from "./kinesis.ts";
import { KAFKA_CALLS } from "./kafka.ts";
import { MQTT_CALLS } from "./mqtt.ts";
import { NATS_CALLS } from "./nats.ts";
import { NATS_SLIPS } from "./nats-slips.ts";
import { PUBSUB_CALLS } from "./pubsub.ts";
import { RABBITMQ_CALLS } from "./rabbitmq.ts";
import { NODE_REDIS_SLIPS } from "./node-redis-slips.ts";
import { REDIS_SLIPS } from "./redis-slips.ts";
import { REDIS_COMMANDS } from "./redis.ts";
import { sqsCalls } from "./sqs.ts";

const DIGEST_CHARS = 16;
/** The seed of the gates; a longer search takes others. */
const SEED = 1;

/** Returns a line for each sequence that is drawn: the digest of what it shows. */
async function digests<Sequence>(
  drawn: fc.Arbitrary<Sequence>,
  numRuns: number,
  play: (sequence: Sequence) => Promise<readonly unknown[]>,
): Promise<string> {
  const lines: string[] = [];
  for (const [index, sequence] of fc.sample(drawn, { numRuns, seed: SEED }).entries()) {
    const seen = JSON.stringify(await play(sequence));
    const digest = createHash("sha256").update(seen).digest("hex").slice(0, DIGEST_CHARS);
    lines.push(`${index + 1} ${digest}\n`);
  }
  return lines.join("");
}

function ofModel<Client, Operation>(
  drawn: DrawnSequences<Client, Operation>,
  numRuns: number,
  createModel: () => BrokerModel<Client>,
): () => Promise<string> {
  const { operation, operationsMax: maxLength } = drawn;
  const sequences = fc.array(operation, { minLength: 1, maxLength, size: "max" });
  return () =>
    digests(sequences, numRuns, (operations) =>
      observeModel(createModel(), (stage) => drawn.play(stage, operations)),
    );
}

test.each<[string, () => Promise<string>]>([
  ["confluent-kafka", ofModel(CONFLUENT_CALLS, 20, () => confluentKafka())],
  ["kafka", ofModel(KAFKA_CALLS, 20, () => kafka())],
  ["kinesis", ofModel(KINESIS_CALLS, 100, () => kinesis())],
  ["mqtt", ofModel(MQTT_CALLS, 100, () => mqtt())],
  ["nats", ofModel(NATS_CALLS, 20, () => nats())],
  [
    "nats-slips",
    () =>
      digests(NATS_SLIPS.program, 60, (calls) =>
        observeModel(nats(), (stage) => NATS_SLIPS.play(stage, calls)),
      ),
  ],
  ["outbox", () => digests(CALLS, 40, (calls) => playOnModel(scriptOf(calls)))],
  [
    "outbox-expressions",
    () => digests(EXPRESSIONS, 40, (queries) => playOnModel(scriptOfExpressions(queries))),
  ],
  [
    "outbox-statements",
    () => digests(STATEMENTS, 300, (all) => playOnModel(scriptOfStatements(all, new Set()))),
  ],
  ["pubsub", ofModel(PUBSUB_CALLS, 100, () => pubsub())],
  ["rabbitmq", ofModel(RABBITMQ_CALLS, 60, () => rabbitmq())],
  [
    "node-redis-slips",
    () =>
      digests(NODE_REDIS_SLIPS.program, 40, (steps) =>
        observeModel(nodeRedis({ majorVersion: 7 }), (stage) =>
          NODE_REDIS_SLIPS.play(stage, steps),
        ),
      ),
  ],
  [
    "redis-slips",
    () =>
      digests(REDIS_SLIPS.program, 40, (steps) =>
        observeModel(redis({ majorVersion: 7 }), (stage) => REDIS_SLIPS.play(stage, steps)),
      ),
  ],
  ["redis", ofModel(REDIS_COMMANDS, 500, () => redis({ majorVersion: 7 }))],
  ["sqs", ofModel(sqsCalls("standard"), 40, () => sqs())],
  ["sqs-fifo", ofModel(sqsCalls("fifo"), 40, () => sqsFifo())],
])("drawn sequences on %s show what they showed when the server agreed", async (name, lines) => {
  await expect(await lines()).toMatchFileSnapshot(`pinned/${name}.txt`);
});

test("the scripts of the outbox show what they showed when the server agreed", async () => {
  const lines: string[] = [];
  for (const [name, script] of Object.entries(SCRIPTS)) {
    lines.push(`${name}: ${JSON.stringify(await playOnModel(script))}\n`);
  }
  await expect(lines.join("")).toMatchFileSnapshot("pinned/outbox-scripts.txt");
});
