import { NotModelled } from "../not-modelled.ts";
import { storedDate } from "../stored-date.ts";
import { InvalidArgumentException } from "./errors.ts";
import type { Shard } from "./shard.ts";

/** The fields of `ListShards` that the model reads. */
export interface ListInput {
  readonly StreamName?: string;
  readonly MaxResults?: number;
  readonly NextToken?: string;
  readonly ExclusiveStartShardId?: string;
  readonly ShardFilter?: { readonly Type?: string; readonly ShardId?: string };
}

/** The fields of `DescribeStream` that the model reads. */
interface DescribeInput {
  readonly StreamName?: string;
  readonly ExclusiveStartShardId?: string;
  readonly Limit?: number;
}

/** What a description is made of. */
interface DescribedStream {
  readonly stream: string;
  readonly shards: readonly Shard[];
  readonly epochMs: number;
}

const SEE = "brokers.kinesis";
const RETENTION_HOURS = 24;
const RESULTS_MAX = 10_000;
const DESCRIBED_MAX = 100;
const TOKEN = /^after (shardId-\d{12})$/;

/**
 * Returns a page of the shards. Nothing is ever trimmed, so that the stream's first shards are
 * those at the horizon.
 *
 * Source: Kinesis API, ListShards and ShardFilter
 *
 * @throws {InvalidArgumentException} where neither a stream nor a token is named, or both are
 */
export function shardsListed(
  stream: string,
  shards: readonly Shard[],
  input: ListInput,
): { readonly Shards: readonly object[]; readonly NextToken?: string } {
  const {
    StreamName,
    NextToken: token,
    ShardFilter: filter,
    MaxResults: most = RESULTS_MAX,
  } = input;
  if (StreamName === undefined && token === undefined) {
    throw new InvalidArgumentException("Either NextToken or StreamName should be provided.");
  }
  if (StreamName !== undefined && token !== undefined) {
    const message = "NextToken and StreamName cannot be provided together.";
    throw new InvalidArgumentException(message);
  }
  if (StreamName !== undefined && StreamName !== stream) {
    throw new NotModelled("reading another stream than the workload's", SEE);
  }
  const after = token === undefined ? input.ExclusiveStartShardId : TOKEN.exec(token)?.[1];
  if (token !== undefined && after === undefined) {
    throw new InvalidArgumentException("NextToken is invalid.");
  }
  const found = shards
    .filter(({ id }) => after === undefined || id > after)
    .filter((shard) => isWanted(shard, filter));
  const page = found.slice(0, most);
  const Shards = page.map(shardFrom);
  return found.length > most ? { Shards, NextToken: `after ${page.at(-1)?.id ?? ""}` } : { Shards };
}

/**
 * Returns what is known of the stream, without its shards or with a page of them.
 *
 * Source: Kinesis API, DescribeStreamSummary and DescribeStream
 */
export function streamDescribed(
  { stream, shards, epochMs }: DescribedStream,
  input: DescribeInput,
  how: "summary" | "whole",
): object {
  const { StreamName, ExclusiveStartShardId: after = "", Limit: most = DESCRIBED_MAX } = input;
  if (StreamName === undefined) {
    throw new InvalidArgumentException("Either StreamARN or StreamName should be provided.");
  }
  if (StreamName !== stream) {
    throw new NotModelled("reading another stream than the workload's", SEE);
  }
  const facts = {
    StreamName,
    StreamARN: `arn:aws:kinesis:us-east-1:000000000000:stream/${StreamName}`,
    StreamStatus: "ACTIVE",
    RetentionPeriodHours: RETENTION_HOURS,
    StreamCreationTimestamp: storedDate(epochMs),
    EnhancedMonitoring: [{ ShardLevelMetrics: [] }],
    EncryptionType: "NONE",
  };
  if (how === "whole") {
    const found = shards.filter(({ id }) => id > after);
    const Shards = found.slice(0, Math.min(most, DESCRIBED_MAX)).map(shardFrom);
    const HasMoreShards = found.length > Shards.length;
    return { StreamDescription: { ...facts, Shards, HasMoreShards } };
  }
  const OpenShardCount = shards.filter(({ isClosed }) => !isClosed).length;
  return { StreamDescriptionSummary: { ...facts, OpenShardCount, ConsumerCount: 0 } };
}

/** Source: Kinesis API, GetRecords: "returned only when the end of the current shard is reached" */
export function childFrom(shard: Shard): object {
  const { ShardId, HashKeyRange } = shardFrom(shard);
  return { ShardId, ParentShards: [shard.parent?.id], HashKeyRange };
}

function isWanted(shard: Shard, filter: ListInput["ShardFilter"]): boolean {
  if (filter?.Type === undefined) return true;
  switch (filter.Type) {
    case "FROM_TRIM_HORIZON":
      return true;
    case "AT_TRIM_HORIZON":
      return shard.parent === undefined;
    case "AT_LATEST":
      return !shard.isClosed;
    case "AFTER_SHARD_ID":
      return shard.id > (filter.ShardId ?? "");
    default:
      throw new NotModelled(`ListShards with the filter ${filter.Type}`, SEE);
  }
}

function shardFrom({ id, range, startsAt, endsAt, parent }: Shard): {
  readonly ShardId: string;
  readonly HashKeyRange: object;
  readonly SequenceNumberRange: object;
} {
  const EndingHashKey = String(range.to - 1n);
  return {
    ShardId: id,
    HashKeyRange: { StartingHashKey: String(range.from), EndingHashKey },
    SequenceNumberRange: {
      StartingSequenceNumber: startsAt,
      ...(endsAt === undefined ? {} : { EndingSequenceNumber: endsAt }),
    },
    ...(parent === undefined ? {} : { ParentShardId: parent.id }),
  };
}
