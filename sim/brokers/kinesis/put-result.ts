/** A record of a request with several. */
export interface PutEntry {
  readonly partitionKey: string;
  readonly data: Uint8Array;
  /** Decides the shard in place of the key. */
  readonly hash?: bigint | undefined;
}

/** What became of one record of a request with several. */
export type PutResult =
  | { readonly sequenceNumber: string }
  | { readonly errorCode: string; readonly errorMessage: string };

export type PutRefused = Extract<PutResult, { readonly errorCode: string }>;

/** Where a record of the stream is. */
export interface Placed {
  readonly shardId: string;
  readonly sequenceNumber: string;
}
