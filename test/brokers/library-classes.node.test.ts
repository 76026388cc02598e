import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { operationAborted } from "../../sim/brokers/azure-abort-error.ts";
import { MessagingError, RestError } from "../../sim/brokers/event-hubs/messaging-error.ts";
import {
  ConfluentAggregateError,
  ConfluentError,
  LibrdKafkaError,
} from "../../sim/brokers/kafka/confluent-errors.ts";
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

type Classes = Readonly<Record<string, { readonly prototype: object } | undefined>>;

const load = createRequire(import.meta.url);
/** Modules beside the face of a library, with classes that the face does not export. */
const INNER: Readonly<Record<string, string>> = {
  "@nats-io/jetstream": "jserrors.js",
  ioredis: "errors/index.js",
};
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

test.each(Object.entries(ERRORS))(
  "where %s is loaded, errors of the models are of its classes",
  (library, rows) => {
    const names = rows.map(([name]) => name);
    // As a module of ECMAScript it would not be among those that the process tells.
    const face = (library === CONFLUENT ? standIn(library, names) : load(library)) as Classes;
    const inner = INNER[library];
    const place = inner === undefined ? undefined : join(dirname(load.resolve(library)), inner);
    const exported = { ...face, ...(place === undefined ? {} : (load(place) as Classes)) };
    for (const [name, make] of rows) {
      expect(Object.getPrototypeOf(make())).toBe(exported[name]?.prototype);
    }
  },
);

/** The library itself is native code that is not built everywhere. */
function standIn(library: string, classNames: readonly string[]): unknown {
  const folder = mkdtempSync(join(tmpdir(), "faultlane-library-"));
  try {
    const place = join(folder, "node_modules", library);
    mkdirSync(place, { recursive: true });
    const classes = classNames.map((name) => `${name}: class ${name} extends Error {}`);
    writeFileSync(join(place, "index.cjs"), `module.exports = { ${classes.join(", ")} };`);
    return load(join(place, "index.cjs"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
