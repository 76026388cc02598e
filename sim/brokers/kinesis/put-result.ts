import { InvalidArgumentException } from "./errors.ts";

/** Source: Kinesis API, PutRecords */
const REQUEST_BYTES_MAX = 5_242_880;

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

/** @throws {InvalidArgumentException} where all records of a request are too long, with their keys */
export function assertShort(entries: readonly PutEntry[]): void {
  const encoder = new TextEncoder();
  const bytes = entries.reduce(
    (sum, { data, partitionKey }) => sum + data.length + encoder.encode(partitionKey).length,
    0,
  );
  if (bytes <= REQUEST_BYTES_MAX) return;
  throw new InvalidArgumentException("Records size exceeds 5 MB limit");
}
