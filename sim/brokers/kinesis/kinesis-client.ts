import { AwsMiddlewareStack } from "../aws-middleware-stack.ts";
import { readInput, WrongType } from "../aws-reading.ts";
import { AwsRequests, type AwsSend, awsSendOf, requestAborted } from "../aws-request.ts";
import { OF_REPLIES, withoutNull, type Written, writtenInput } from "../aws-shape.ts";
import type { ClientPort } from "../broker.ts";
import { isTransportError, untilAborted } from "../library-call.ts";
import { adoptClientClass } from "../library-clients.ts";
import { assertModelled, NotModelled } from "../not-modelled.ts";
import { storedDate } from "../stored-date.ts";
import { aggregatedFrom } from "./aggregated-record.ts";
import {
  InvalidArgumentException,
  ResourceNotFoundException,
  SequenceNumberOfNone,
  SequenceNumberOfOther,
  SerializationException,
  StreamNotFoundException,
  TimeoutError,
  wholeShardId,
} from "./errors.ts";
import {
  ENTRY,
  FIELDS,
  type GetInput,
  type IteratorInput,
  type KinesisCommand,
  type PutInput,
  type PutManyInput,
} from "./inputs.ts";
import type { KinesisServer } from "./server.ts";
import { assertShort, type PutEntry } from "./put-result.ts";
import { HASHES, type Shard, type UserRecord } from "./shard.ts";
import { childFrom, shardsListed, streamDescribed } from "./shard-list.ts";
import { assertValid } from "./validation.ts";

const SEE = "brokers.kinesis";
const SITES = {
  PutRecord: "broker.produce",
  PutRecords: "broker.produce",
  GetShardIterator: "broker.fetch",
  GetRecords: "broker.fetch",
  ListShards: "broker.session",
  DescribeStreamSummary: "broker.session",
  DescribeStream: "broker.session",
} as const;

const LIMIT_MAX = 10_000;
const EITHER =
  "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber.";
const NO_TIMESTAMP =
  "Must specify timestampInMillis parameter for iterator of type AT_TIMESTAMP. Current request has no timestamp parameter.";
const TO_COME =
  "The timestampInMillis parameter cannot be greater than the currentTimestampInMillis.";
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
  readonly middlewareStack: AwsMiddlewareStack = new AwsMiddlewareStack(SEE, {
    hostname: "kinesis.amazonaws.com",
    headers: { "content-type": "application/x-amz-json-1.1" },
    target: "Kinesis_20131202",
  });
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
    adoptClientClass(this, "@aws-sdk/client-kinesis", "KinesisClient");
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
    if (!isModelled(name)) throw new NotModelled(`${name}Command`, SEE);
    assertKnown(name, given);
    const written = writtenInput(FIELDS[name], given, SEE);
    const effect = (): object => this.#effectOf(name, written);
    return this.#requests.call({ site: SITES[name], effect, isRepeatable: true, signal });
  }

  #effectOf(name: KinesisCommand, written: Written | undefined): object {
    const input = inputFrom(name, written);
    assertValid(name, input);
    const { StreamName } = input as PutInput;
    const isThere = StreamName === undefined || isStream(this.#server, StreamName);
    // A shard of no stream is told of by its own name.
    if (!isThere && name !== "GetShardIterator") throw new StreamNotFoundException(StreamName);
    switch (name) {
      case "PutRecord":
        return this.#put(input);
      case "PutRecords":
        return this.#putMany(input);
      case "GetShardIterator":
        return this.#iteratorFor(input);
      case "GetRecords":
        return this.#get(input);
      case "DescribeStreamSummary":
        return streamDescribed(this.#server, input, "summary");
      case "DescribeStream":
        return streamDescribed(this.#server, input, "whole");
      case "ListShards":
        return shardsListed(this.#server.stream, this.#server.shards, input);
      default:
        return name satisfies never;
    }
  }

  #put(input: PutInput): object {
    const { StreamName = "", SequenceNumberForOrdering: number } = input;
    this.#assertGiven(StreamName, number);
    const { shardId, sequenceNumber } = this.#server.putAlone(StreamName, contentOf(input));
    return { ShardId: shardId, SequenceNumber: sequenceNumber };
  }

  /**
   * Each number is above all before it, so that there is nothing else to do for the order.
   *
   * @throws {InvalidArgumentException} for a number that no record of the workload's stream has
   */
  #assertGiven(stream: string, number: string | undefined): void {
    const { stream: own, shards } = this.#server;
    if (number === undefined || stream !== own || shards.some((one) => has(one, number))) return;
    throw new SequenceNumberOfNone(number, stream);
  }

  #putMany({ StreamName = "", Records = [] }: PutManyInput): object {
    const contents = Records.map(contentOf);
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
    const { StreamName = "", ShardId = "" } = input;
    const isThere = isStream(this.#server, StreamName);
    const shard = this.#server.shards.find(({ id }) => id === wholeShardId(ShardId));
    if (isThere && StreamName !== this.#server.stream) {
      throw new NotModelled("reading another stream than the workload's", SEE);
    }
    if (!isThere || shard === undefined) throw new ResourceNotFoundException(ShardId, StreamName);
    return {
      ShardIterator: this.#server.iteratorAt(shard, indexFrom(shard, input, this.#server)),
    };
  }

  #get({ ShardIterator = "", Limit = LIMIT_MAX }: GetInput): object {
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

/** Whether there is such a stream, as far as it is known what streams there are. */
function isStream({ stream, deadLetterStreams }: KinesisServer, name: string): boolean {
  if (deadLetterStreams === undefined || name === stream) return true;
  return deadLetterStreams.includes(name);
}

function isModelled(name: string): name is KinesisCommand {
  return Object.hasOwn(SITES, name);
}

/** @throws {NotModelled} for a field that the model would have to ignore */
function assertKnown(name: KinesisCommand, given: object): void {
  assertModelled(name, withoutNull(given), [...Object.keys(FIELDS[name]), OF_REPLIES], SEE);
  const { Records: records } = given as { readonly Records?: unknown };
  if (name !== "PutRecords" || !Array.isArray(records)) return;
  for (const record of records as readonly unknown[]) {
    if (typeof record !== "object" || record === null) continue;
    assertModelled(name, withoutNull(record), Object.keys(ENTRY), SEE);
  }
}

/** @throws {SerializationException} for a field of another type */
function inputFrom(name: KinesisCommand, written: Written | undefined): object {
  try {
    return readInput(FIELDS[name], written, "cuts it");
  } catch (error) {
    if (error instanceof WrongType) throw new SerializationException(error.message);
    throw error;
  }
}

function contentOf({ PartitionKey = "", Data: data, ExplicitHashKey }: PutInput): PutEntry {
  const hash = ExplicitHashKey === undefined ? undefined : hashFrom(ExplicitHashKey);
  return { partitionKey: PartitionKey, data: data ?? new Uint8Array(), hash };
}

/** @throws {InvalidArgumentException} for a number out of range */
function hashFrom(key: string): bigint {
  const hash = BigInt(key);
  if (hash >= 0n && hash < HASHES) return hash;
  const range = "ExplicitHashKey must be in the range: [0, 2^128-1].";
  throw new InvalidArgumentException(
    `Invalid ExplicitHashKey. ${range} Specified value was ${key}`,
  );
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
  readonly shards: readonly Shard[];
}

/**
 * Returns how many user records precede the place.
 *
 * @throws {InvalidArgumentException} when the fields contradict each other, or no record of the
 *   shard has the number
 */
function indexFrom(shard: Shard, input: IteratorInput, clock: ServerClock): number {
  const { epochMs, now, shards } = clock;
  const { ShardIteratorType: type = "", StartingSequenceNumber: number, Timestamp } = input;
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
      if (number !== undefined) {
        throw new NotModelled("an iterator at an instant and at a sequence number", SEE);
      }
      if (Timestamp === undefined) {
        throw new InvalidArgumentException(NO_TIMESTAMP);
      }
      const wall = Timestamp * 1_000;
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
      // The shard's own numbers are around those of its records.
      if (number === shard.startsAt) return 0;
      if (number === shard.endsAt) return shard.records.length;
      const index = shard.indexOf(number ?? "", 0);
      if (index === -1) {
        const place = { stream: input.StreamName ?? "", shardId: shard.id };
        const owner = shards.find((one) => has(one, number ?? ""));
        throw new SequenceNumberOfOther(number ?? "", place, owner?.id);
      }
      return type === "AT_SEQUENCE_NUMBER" ? index : shard.indexAfter(index, 1);
    }
    default:
      throw new NotModelled(`an iterator of the type ${type}`, SEE);
  }
}

function has(shard: Shard, number: string): boolean {
  return [shard.startsAt, shard.endsAt].includes(number) || shard.indexOf(number, 0) !== -1;
}
