import { AwsMiddlewareStack } from "../aws-middleware-stack.ts";
import { notATextIn, writtenInput } from "../aws-input.ts";
import { AwsRequests, type AwsSend, awsSendOf, requestAborted } from "../aws-request.ts";
import type { ClientPort } from "../broker.ts";
import { isTransportError, untilAborted } from "../library-call.ts";
import { assertModelled, NotModelled } from "../not-modelled.ts";
import { storedDate } from "../stored-date.ts";
import { aggregatedFrom } from "./aggregated-record.ts";
import {
  InvalidArgumentException,
  ResourceNotFoundException,
  SerializationException,
  StreamNotFoundException,
  TimeoutError,
  ValidationException,
} from "./errors.ts";
import type { KinesisServer } from "./server.ts";
import { assertShort, type PutEntry } from "./put-result.ts";
import { HASHES, type Shard, type UserRecord } from "./shard.ts";
import { childFrom, shardsListed, streamDescribed } from "./shard-list.ts";

/** The fields of the SDK's command inputs that the model reads. */
interface PutInput {
  readonly StreamName?: string;
  readonly PartitionKey?: string;
  /** The SDK sends a text as its bytes. */
  readonly Data?: Uint8Array | string;
  readonly ExplicitHashKey?: string;
}

interface PutManyInput {
  readonly StreamName?: string;
  readonly Records?: readonly Omit<PutInput, "StreamName">[];
}

interface IteratorInput {
  readonly StreamName?: string;
  readonly ShardId?: string;
  readonly ShardIteratorType?: string;
  readonly StartingSequenceNumber?: string;
  /** A number is in seconds since the epoch. */
  readonly Timestamp?: Date | number;
}

interface GetInput {
  readonly ShardIterator?: string;
  readonly Limit?: number;
}

const SEE = "brokers.kinesis";
const MODELLED = {
  PutRecord: ["StreamName", "PartitionKey", "Data", "ExplicitHashKey"],
  PutRecords: ["StreamName", "Records"],
  GetShardIterator: [
    ...["StreamName", "ShardId", "ShardIteratorType"],
    ...["StartingSequenceNumber", "Timestamp"],
  ],
  GetRecords: ["ShardIterator", "Limit"],
  DescribeStreamSummary: ["StreamName"],
  DescribeStream: ["StreamName"],
  ListShards: ["StreamName", "MaxResults", "NextToken", "ExclusiveStartShardId", "ShardFilter"],
};
const SITES = {
  PutRecord: "broker.produce",
  PutRecords: "broker.produce",
  GetShardIterator: "broker.fetch",
  GetRecords: "broker.fetch",
  ListShards: "broker.session",
  DescribeStreamSummary: "broker.session",
  DescribeStream: "broker.session",
} as const;
type CommandName = keyof typeof SITES;
/** Fields that are texts, of requests and their records. */
const TEXTS = [
  ...["StreamName", "PartitionKey", "ExplicitHashKey", "ShardId", "ShardIteratorType"],
  ...["StartingSequenceNumber", "ShardIterator", "NextToken", "ExclusiveStartShardId"],
];

/** Source: Kinesis API: PutRecord, PutRecords, GetRecords and GetShardIterator */
const KEY_CHARS_MAX = 256;
const DATA_BYTES_MAX = 1_048_576;
const PUT_RECORDS_MAX = 500;
const LIMIT_MAX = 10_000;
const ITERATOR_CHARS_MAX = 512;
const SEQUENCE_NUMBER = /^(0|[1-9]\d{0,128})$/;
const EITHER =
  "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber.";
const NO_TIMESTAMP =
  "Must specify timestampInMillis parameter for iterator of type AT_TIMESTAMP. Current request has no timestamp parameter.";
const TO_COME =
  "The timestampInMillis parameter cannot be greater than the currentTimestampInMillis.";
const ITERATOR_TYPES =
  "Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_TIMESTAMP, AT_SEQUENCE_NUMBER, TRIM_HORIZON]";
/** The partition key of aggregated records. Source: amazon-kinesis-producer */
const AGGREGATED_KEY = "a";

/**
 * The client of the AWS SDK, with the interface of `KinesisClient` of `@aws-sdk/client-kinesis`.
 *
 * `send` accepts `PutRecordCommand`, `PutRecordsCommand`, `GetShardIteratorCommand`,
 * `GetRecordsCommand` and `ListShardsCommand`; other commands, inputs that would be ignored and
 * `config` are refused by name. Middleware runs up to the step "build".
 *
 * Holds: what is put comes back as it is; records of the workload may be aggregated, as the Kinesis
 * Producer Library sends them.
 *
 * @example A producer gets it from its worker
 * ```ts
 * import { PutRecordCommand } from "@aws-sdk/client-kinesis";
 * import type { KinesisWorker } from "faultlane/check";
 *
 * function putDead({ client }: KinesisWorker, PartitionKey: string, Data: Uint8Array) {
 *   return client.send(new PutRecordCommand({ StreamName: "dead", PartitionKey, Data }));
 * }
 * console.log(putDead.length); // => 3
 * ```
 */
export class KinesisClient {
  /**
   * Sends a command of the SDK.
   *
   * @internal
   */
  readonly send: AwsSend;
  /**
   * What runs around each command, up to the step "build".
   *
   * @internal
   */
  readonly middlewareStack: AwsMiddlewareStack = new AwsMiddlewareStack(
    SEE,
    "kinesis.amazonaws.com",
  );
  readonly #server: KinesisServer;
  readonly #name: string;
  readonly #requests: AwsRequests;

  /** @internal */
  constructor(port: ClientPort, host: string, server: KinesisServer, name: string) {
    this.#server = server;
    this.#name = name;
    const errorFrom = (caught: unknown): unknown =>
      isTransportError(caught)
        ? new TimeoutError(`No reply from ${host}`, { cause: caught })
        : caught;
    this.#requests = new AwsRequests({ port, host, name, errorFrom, hasExtendedIds: true });
    const { middlewareStack } = this;
    this.send = awsSendOf({
      ...{ clientName: "KinesisClient", see: SEE, middlewareStack },
      perform: (command, input, signal) =>
        untilAborted(this.#sent(command, input, signal), signal, requestAborted),
    });
  }

  /**
   * Is not modelled.
   *
   * @internal
   */
  get config(): never {
    throw new NotModelled("KinesisClient.config", SEE);
  }

  /** Closes idle connections; pending requests are not affected. */
  destroy(): void {}

  async #sent(name: string, given: object, signal: AbortSignal | undefined): Promise<object> {
    const input = writtenInput(given);
    if (!isModelled(name)) throw new NotModelled(`${name}Command`, SEE);
    assertModelled(name, input, MODELLED[name], SEE);
    const effects: Readonly<Record<CommandName, () => object>> = {
      PutRecord: () => this.#put(input),
      PutRecords: () => this.#putMany(input),
      GetShardIterator: () => this.#iteratorFor(input),
      GetRecords: () => this.#get(input),
      DescribeStreamSummary: () => streamDescribed(this.#server, input, "summary"),
      DescribeStream: () => streamDescribed(this.#server, input, "whole"),
      ListShards: () => shardsListed(this.#server.stream, this.#server.shards, input),
    };
    const { [name]: effectOnStream } = effects;
    const wrong = notATextIn(input as Readonly<Record<string, unknown>>, TEXTS);
    const effect = (): object => {
      if (wrong !== undefined) throw new SerializationException(wrong);
      const { StreamName } = input as { readonly StreamName?: string };
      if (StreamName !== undefined) {
        assertName("streamName", StreamName);
        assertLength("streamName", StreamName.length, NAME_CHARS_MAX, StreamName);
        assertThere(this.#server, StreamName);
      }
      return effectOnStream();
    };
    return this.#requests.call({ site: SITES[name], effect, isRepeatable: true, signal });
  }

  #put(input: PutInput): object {
    assertNamed("streamName", input.StreamName);
    const entry = contentOf(input, "");
    const { shardId, sequenceNumber } = this.#server.putAlone(input.StreamName ?? "", entry);
    return { ShardId: shardId, SequenceNumber: sequenceNumber };
  }

  #putMany({ StreamName = "", Records }: PutManyInput): object {
    assertNamed("streamName", StreamName || undefined);
    if (Records === undefined) throw new ValidationException("records", NOT_NULL, undefined);
    assertLength("records", Records.length, PUT_RECORDS_MAX, Records.length < 1 ? "[]" : "[...]");
    for (const record of Records) {
      assertModelled("PutRecords", record, ["PartitionKey", "Data", "ExplicitHashKey"], SEE);
    }
    const contents = Records.map((record, at) => contentOf(record, `records.${at + 1}.member.`));
    assertShort(contents);
    const results = this.#server.putAllAlone(StreamName, contents);
    const FailedRecordCount = results.filter((one) => "errorCode" in one).length;
    return {
      FailedRecordCount,
      Records: results.map((one) =>
        "errorCode" in one
          ? { ErrorCode: one.errorCode, ErrorMessage: one.errorMessage }
          : { SequenceNumber: one.sequenceNumber, ShardId: one.shardId },
      ),
    };
  }

  #iteratorFor(input: IteratorInput): object {
    const { StreamName = "", ShardId = "", ShardIteratorType } = input;
    assertNamed("shardId", input.ShardId);
    assertNamed("shardIteratorType", ShardIteratorType);
    assertName("shardId", ShardId);
    if (StreamName !== this.#server.stream) {
      throw new NotModelled("reading another stream than the workload's", SEE);
    }
    const shard = this.#server.shards.find(({ id }) => id === ShardId);
    if (shard === undefined) throw new ResourceNotFoundException(ShardId, StreamName);
    return {
      ShardIterator: this.#server.iteratorAt(shard, indexFrom(shard, input, this.#server)),
    };
  }

  #get({ ShardIterator, Limit = LIMIT_MAX }: GetInput): object {
    assertNamed("shardIterator", ShardIterator);
    assertLength("shardIterator", ShardIterator.length, ITERATOR_CHARS_MAX, ShardIterator);
    if (Limit < 1 || Limit > LIMIT_MAX) {
      const bound = Limit < 1 ? "greater than or equal to 1" : `less than or equal to ${LIMIT_MAX}`;
      throw new ValidationException("limit", `Member must have value ${bound}`, String(Limit));
    }
    const read = this.#server.read(this.#name, ShardIterator, Limit, "records");
    const { nextShardIterator: NextShardIterator, children } = read;
    return {
      Records: recordsFrom(read.records, this.#server.epochMs),
      ...(NextShardIterator === undefined
        ? { ChildShards: children.map(childFrom) }
        : { NextShardIterator }),
      MillisBehindLatest: read.behindMs,
    };
  }
}

/** @throws {StreamNotFoundException} where it is known what streams there are, and it is none */
function assertThere({ stream, deadLetterStreams }: KinesisServer, name: string): void {
  if (deadLetterStreams === undefined || name === stream) return;
  if (!deadLetterStreams.includes(name)) throw new StreamNotFoundException(name);
}

const NAME = /^[\w.-]+$/;
const NAME_TOLD = "[a-zA-Z0-9_.-]+";
const NAME_CHARS_MAX = 128;

/** @throws {ValidationException} for a name with other characters, or without any */
function assertName(field: string, name: string): void {
  if (NAME.test(name)) return;
  const constraint = `Member must satisfy regular expression pattern: ${NAME_TOLD}`;
  throw new ValidationException(field, constraint, name);
}

function isModelled(name: string): name is CommandName {
  return Object.hasOwn(SITES, name);
}

/** @throws {ValidationException} when the key is missing, empty or too long, or data is missing */
function contentOf(
  { PartitionKey, Data, ExplicitHashKey }: Omit<PutInput, "StreamName">,
  prefix: string,
): PutEntry {
  const missing = PartitionKey === undefined ? "partitionKey" : "data";
  if (PartitionKey === undefined || Data === undefined) {
    throw new ValidationException(`${prefix}${missing}`, NOT_NULL, undefined);
  }
  assertLength(`${prefix}partitionKey`, PartitionKey.length, KEY_CHARS_MAX, PartitionKey);
  const data = typeof Data === "string" ? new TextEncoder().encode(Data) : new Uint8Array(Data);
  if (data.length > DATA_BYTES_MAX) {
    const constraint = `Member must have length less than or equal to ${DATA_BYTES_MAX}`;
    const { length } = data;
    const shown = `java.nio.HeapByteBuffer[pos=0 lim=${length} cap=${length}]`;
    throw new ValidationException(`${prefix}data`, constraint, shown);
  }
  const hash = ExplicitHashKey === undefined ? undefined : hashFrom(ExplicitHashKey, prefix);
  return { partitionKey: PartitionKey, data, hash };
}

/** @throws {ValidationException} for what is no number, and another for one out of range */
function hashFrom(key: string, prefix: string): bigint {
  if (!/^-?\d+$/.test(key)) {
    const constraint = String.raw`Member must satisfy regular expression pattern: 0|([1-9]\d{0,38})`;
    throw new ValidationException(`${prefix}explicitHashKey`, constraint, key);
  }
  const hash = BigInt(key);
  if (hash >= 0n && hash < HASHES) return hash;
  const range = "ExplicitHashKey must be in the range: [0, 2^128-1].";
  throw new InvalidArgumentException(
    `Invalid ExplicitHashKey. ${range} Specified value was ${key}`,
  );
}

const NOT_NULL = "Member must not be null";

/** @throws {ValidationException} for a field that is not there */
function assertNamed(field: string, value: string | undefined): asserts value is string {
  if (value === undefined) throw new ValidationException(field, NOT_NULL, undefined);
}

function assertLength(field: string, length: number, max: number, shown: string): void {
  if (length >= 1 && length <= max) return;
  const bound = length < 1 ? "greater than or equal to 1" : `less than or equal to ${max}`;
  throw new ValidationException(field, `Member must have length ${bound}`, shown);
}

/** Each record of the stream; several user records are one that is aggregated. */
function recordsFrom(records: readonly UserRecord[], epochMs: number): readonly object[] {
  const groups: UserRecord[][] = [];
  for (const record of records) {
    const group = groups.at(-1);
    if (group?.[0]?.sequenceNumber === record.sequenceNumber) group.push(record);
    else groups.push([record]);
  }
  return groups.map((group) => {
    const [{ sequenceNumber, arrivedAt, partitionKey, data }] = group as [UserRecord];
    const isAlone = group.length === 1;
    return {
      SequenceNumber: sequenceNumber,
      ApproximateArrivalTimestamp: storedDate(epochMs + arrivedAt),
      Data: isAlone ? new Uint8Array(data) : aggregatedFrom(group),
      PartitionKey: isAlone ? partitionKey : AGGREGATED_KEY,
    };
  });
}

/** The time at the server; `now` in milliseconds since `epochMs`. */
interface ServerClock {
  readonly epochMs: number;
  readonly now: number;
}

/**
 * Returns how many user records precede the place.
 *
 * @throws {InvalidArgumentException} when the fields contradict each other, or no record of the
 *   shard has the number
 */
function indexFrom(shard: Shard, input: IteratorInput, { epochMs, now }: ServerClock): number {
  const { ShardIteratorType: type = "", StartingSequenceNumber: number, Timestamp } = input;
  if (number !== undefined && !SEQUENCE_NUMBER.test(number)) {
    const constraint = String.raw`Member must satisfy regular expression pattern: 0|([1-9]\d{0,128})`;
    throw new ValidationException("startingSequenceNumber", constraint, number);
  }
  const takesNumber = type === "AT_SEQUENCE_NUMBER" || type === "AFTER_SEQUENCE_NUMBER";
  if (takesNumber !== (number !== undefined) && type !== "AT_TIMESTAMP") {
    const what = takesNumber ? "no StartingSequenceNumber" : "also a StartingSequenceNumber";
    throw new InvalidArgumentException(`${EITHER} Request specified ${type} and ${what}.`);
  }
  switch (type) {
    case "TRIM_HORIZON":
      return 0;
    case "LATEST":
      return shard.records.length;
    case "AT_TIMESTAMP": {
      if (Timestamp === undefined) {
        throw new InvalidArgumentException(NO_TIMESTAMP);
      }
      const wall = typeof Timestamp === "number" ? Timestamp * 1_000 : Timestamp.getTime();
      const from = wall - epochMs;
      if (from > now) {
        const both = `timestampInMillis: ${wall}, currentTimestampInMillis: ${epochMs + now}`;
        throw new InvalidArgumentException(`${TO_COME} ${both}`);
      }
      const index = shard.records.findIndex(({ arrivedAt }) => arrivedAt >= from);
      return index === -1 ? shard.records.length : index;
    }
    case "AT_SEQUENCE_NUMBER":
    case "AFTER_SEQUENCE_NUMBER": {
      const index = shard.indexOf(number ?? "", 0);
      if (index === -1) {
        throw new InvalidArgumentException(
          `StartingSequenceNumber ${number} used in GetShardIterator on shard ${shard.id} is invalid`,
        );
      }
      return type === "AT_SEQUENCE_NUMBER" ? index : shard.indexAfter(index, 1);
    }
    default:
      throw new ValidationException("shardIteratorType", ITERATOR_TYPES, type);
  }
}
