import type { Members } from "../aws-shape.ts";

/** The fields of the SDK's command inputs that the model reads. */
export interface PutInput {
  readonly StreamName?: string;
  readonly PartitionKey?: string;
  readonly Data?: Uint8Array;
  readonly ExplicitHashKey?: string;
  readonly SequenceNumberForOrdering?: string;
}

export interface PutManyInput {
  readonly StreamName?: string;
  readonly Records?: readonly Omit<PutInput, "StreamName" | "SequenceNumberForOrdering">[];
}

export interface IteratorInput {
  readonly StreamName?: string;
  readonly ShardId?: string;
  readonly ShardIteratorType?: string;
  readonly StartingSequenceNumber?: string;
  /** In seconds since the epoch. */
  readonly Timestamp?: number;
}

export interface GetInput {
  readonly ShardIterator?: string;
  readonly Limit?: number;
}

/** The commands that the model has. */
export type KinesisCommand =
  | "PutRecord"
  | "PutRecords"
  | "GetShardIterator"
  | "GetRecords"
  | "ListShards"
  | "DescribeStream"
  | "DescribeStreamSummary";

/** The fields of one record of several. */
export const ENTRY: Members = { PartitionKey: "text", ExplicitHashKey: "text", Data: "bytes" };

/** The fields of each command that the model has, in the order in which the service reads them. */
export const FIELDS: Readonly<Record<KinesisCommand, Members>> = {
  PutRecord: { SequenceNumberForOrdering: "text", ...ENTRY, StreamName: "text" },
  PutRecords: { Records: { list: { members: ENTRY } }, StreamName: "text" },
  GetShardIterator: {
    ShardId: "text",
    ShardIteratorType: "text",
    StartingSequenceNumber: "text",
    StreamName: "text",
    Timestamp: "time",
  },
  GetRecords: { Limit: "integer", ShardIterator: "text" },
  ListShards: {
    ExclusiveStartShardId: "text",
    MaxResults: "integer",
    NextToken: "text",
    ShardFilter: { members: { Type: "text", ShardId: "text", Timestamp: "time" } },
    StreamName: "text",
  },
  DescribeStream: { Limit: "integer", ExclusiveStartShardId: "text", StreamName: "text" },
  DescribeStreamSummary: { StreamName: "text" },
};
