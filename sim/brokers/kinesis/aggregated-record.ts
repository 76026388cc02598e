import { md5 } from "@noble/hashes/legacy.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { UserRecord } from "./shard.ts";

const MAGIC = Uint8Array.of(0xf3, 0x89, 0x9a, 0xc2);
/** Fields of the message AggregatedRecord, and of its records. */
const KEY_TABLE = 1;
const RECORDS = 3;
const KEY_INDEX = 1;
const DATA = 3;
const VARINT = 0;
const LENGTH_DELIMITED = 2;
const LOW_BITS = 0x7f;
const MORE = 0x80;

/**
 * Returns user records as the one record of the stream in which the Kinesis Producer Library sends
 * them; readers without the Kinesis Client Library de-aggregate it.
 *
 * Source: amazon-kinesis-producer, "KPL Aggregated Record Format"
 */
export function aggregatedFrom(records: readonly UserRecord[]): Uint8Array {
  const keys = [...new Set(records.map(({ partitionKey }) => partitionKey))];
  const message = concatBytes(
    ...keys.map((key) => field(KEY_TABLE, utf8ToBytes(key))),
    ...records.map(({ partitionKey, data }) => {
      const index = varint(keys.indexOf(partitionKey));
      return field(RECORDS, concatBytes(tag(KEY_INDEX, VARINT), index, field(DATA, data)));
    }),
  );
  return concatBytes(MAGIC, message, md5(message));
}

function field(number: number, content: Uint8Array): Uint8Array {
  return concatBytes(tag(number, LENGTH_DELIMITED), varint(content.length), content);
}

function tag(number: number, wireType: number): Uint8Array {
  return varint(number * 8 + wireType);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > LOW_BITS; left = Math.floor(left / MORE)) bytes.push((left % MORE) + MORE);
  return Uint8Array.from([...bytes, left]);
}
