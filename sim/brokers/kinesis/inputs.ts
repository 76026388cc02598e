/** The fields of the SDK's command inputs that the model reads. */
export interface PutInput {
  readonly StreamName?: string;
  readonly PartitionKey?: string;
  /** The SDK sends a text as its bytes. */
  readonly Data?: Uint8Array | string;
  readonly ExplicitHashKey?: string;
}

export interface PutManyInput {
  readonly StreamName?: string;
  readonly Records?: readonly Omit<PutInput, "StreamName">[];
}

export interface IteratorInput {
  readonly StreamName?: string;
  readonly ShardId?: string;
  readonly ShardIteratorType?: string;
  readonly StartingSequenceNumber?: string;
  /** A number is in seconds since the epoch. */
  readonly Timestamp?: Date | number;
}

export interface GetInput {
  readonly ShardIterator?: string;
  readonly Limit?: number;
}
