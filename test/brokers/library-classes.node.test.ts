import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { operationAborted } from "../../sim/brokers/azure-abort-error.ts";
import { MessagingError, RestError } from "../../sim/brokers/event-hubs/messaging-error.ts";
import {
  ConfluentAggregateError,
  ConfluentError,
  confluentErrorFrom,
  LibrdKafkaError,
} from "../../sim/brokers/kafka/confluent-errors.ts";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import {
  KafkaJSAggregateError,
  KafkaJSConnectionError,
  KafkaJSProtocolError,
} from "../../sim/brokers/kafka/kafka-errors.ts";
import {
  ExpiredIteratorException,
  ProvisionedThroughputExceededException,
} from "../../sim/brokers/kinesis/errors.ts";
import { ErrorWithReasonCode, ErrorWithSubackPacket } from "../../sim/brokers/mqtt/mqtt-error.ts";
import {
  InvalidNameError,
  JetStreamApiError,
  JetStreamNotEnabled,
  JetStreamStatusError,
  NoRespondersError,
} from "../../sim/brokers/nats/errors.ts";
import { SqlError } from "../../sim/brokers/outbox/sql-error.ts";
import { illegalOperation } from "../../sim/brokers/rabbitmq/amqp-error.ts";
import { MaxRetriesPerRequestError, ReplyError } from "../../sim/brokers/redis/reply-error.ts";
import { BrokerStage } from "./broker-stage.ts";

type Classes = Readonly<Record<string, (abstract new (...args: never) => Error) | undefined>>;

const load = createRequire(import.meta.url);
const CONFLUENT = "@confluentinc/kafka-javascript";

/** Errors of the models, by the package whose classes they have, and the names of the classes. */
const ERRORS: Readonly<Record<string, readonly (readonly [string, () => Error])[]>> = {
  "@azure/abort-controller": [["AbortError", () => operationAborted()]],
  "@azure/core-amqp": [["MessagingError", () => new MessagingError("busy", "ServerBusyError")]],
  "@azure/core-rest-pipeline": [["RestError", () => new RestError("no reply")]],
  [CONFLUENT]: [
    ["KafkaJSProtocolError", () => new ConfluentError("?", "ERR_UNKNOWN_MEMBER_ID")],
    ["KafkaJSAggregateError", () => new ConfluentAggregateError("two", [])],
    ["LibrdKafkaError", () => new LibrdKafkaError("ERR__STATE", "no")],
  ],
  kafkajs: [
    ["KafkaJSConnectionError", () => new KafkaJSConnectionError("no answer")],
    ["KafkaJSProtocolError", () => new KafkaJSProtocolError("UNKNOWN_MEMBER_ID")],
    ["KafkaJSAggregateError", () => new KafkaJSAggregateError("two", [])],
  ],
  "@aws-sdk/client-kinesis": [
    ["ExpiredIteratorException", () => new ExpiredIteratorException()],
    [
      "ProvisionedThroughputExceededException",
      () => new ProvisionedThroughputExceededException("orders"),
    ],
  ],
  mqtt: [
    ["ErrorWithReasonCode", () => new ErrorWithReasonCode("no", 135)],
    ["ErrorWithSubackPacket", () => new ErrorWithSubackPacket("no", {})],
  ],
  "@nats-io/nats-core": [["NoRespondersError", () => new NoRespondersError("orders")]],
  "@nats-io/jetstream": [
    ["JetStreamApiError", () => new JetStreamApiError(1, "no")],
    ["JetStreamStatusError", () => new JetStreamStatusError(409, "no")],
    ["InvalidNameError", () => new InvalidNameError("no")],
    ["JetStreamNotEnabled", () => new JetStreamNotEnabled("no", { cause: new Error("why") })],
  ],
  pg: [["DatabaseError", () => new SqlError("40001", "no")]],
  amqplib: [["IllegalOperationError", () => illegalOperation("closed")]],
  "redis-errors": [["ReplyError", () => new ReplyError("ERR no")]],
  ioredis: [["MaxRetriesPerRequestError", () => new MaxRetriesPerRequestError(20, undefined)]],
};

/** What errors call themselves, where that is not their class. */
const NAMES: Readonly<Record<string, string>> = {
  DatabaseError: "error",
  LibrdKafkaError: "Error",
  NoRespondersError: "NoResponders",
};

test.each(Object.entries(ERRORS))(
  "where %s is loaded, errors of the models are of its classes",
  (library, rows) => {
    const names = rows.map(([name]) => name);
    // As a module of ECMAScript it would not be among those that the process tells.
    if (library === CONFLUENT) standIn(library, names);
    else load(library);
    // Other packages may have brought versions of their own.
    const copies = Object.entries(load.cache)
      .filter(([path]) => path.includes(`/node_modules/${library}/`))
      .map(([, module]) => module?.exports as Classes | undefined);
    for (const [name, make] of rows) {
      const error = make();
      const isOfOne = copies.some((exported) => {
        const its = exported?.[name];
        return typeof its === "function" && error instanceof its;
      });
      expect([name, isOfOne]).toEqual([name, true]);
      // Whether or not the library has made an error of its own yet.
      expect(error.name).toBe(NAMES[name] ?? name);
    }
  },
);

test("an error that is of a library's class is known by the model that has made it", () => {
  standIn(CONFLUENT, ["KafkaJSProtocolError", "KafkaJSError"]);
  load("kafkajs");
  const error = new ConfluentError("?", "ERR_UNKNOWN_MEMBER_ID");
  expect(confluentErrorFrom(error)).toBe(error);
  const cause = new KafkaJSConnectionError("no answer", { helpUrl: "https://kafka.js.org" });
  expect(new KafkaJSConnectionError("gone", { cause }).helpUrl).toBe("https://kafka.js.org");
});

test("what becomes of a client whose settings are refused does not depend on whether the library is loaded", async () => {
  standIn(CONFLUENT, ["KafkaJSError"]);
  const stage = new BrokerStage(confluentKafka());
  const seen = await stage.play(async (client) => {
    const producer = client.producer({ kafkaJS: { idempotent: true, acks: 1 } });
    const outcomeOf = (done: Promise<void>): Promise<string> =>
      done.then(
        () => "done",
        (error: unknown) => (error as Error).name,
      );
    return [await outcomeOf(producer.connect()), await outcomeOf(producer.disconnect())];
  });
  expect(seen).toEqual(["KafkaJSError", "done"]);
});

/** The library itself is native code that is not built everywhere. */
function standIn(library: string, classNames: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), "faultlane-library-"));
  try {
    const place = join(folder, "node_modules", library);
    mkdirSync(place, { recursive: true });
    const classes = classNames.map((name) => `${name}: class ${name} extends Error {}`);
    writeFileSync(join(place, "index.cjs"), `module.exports = { ${classes.join(", ")} };`);
    load(join(place, "index.cjs"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
