import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  PutRecordCommand,
  PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import * as fc from "fast-check";
import { bytesOf, type KinesisPort, sdkOf, textsOf } from "../observed/kinesis.ts";
import type { DrawnSequences } from "./drawn.ts";

type Shard = 0 | 1;
/** Which of those that were got, counted from the last. */
type Nth = number;
type Call =
  | readonly ["put", key: string]
  | readonly ["put many", keys: readonly string[]]
  | readonly ["begin", "TRIM_HORIZON" | "LATEST", Shard]
  | readonly ["begin", "AT_SEQUENCE_NUMBER" | "AFTER_SEQUENCE_NUMBER", Shard, Nth]
  | readonly ["read", Nth, limit: number];

const StreamName = "orders";
/** A later instant: a stand-in numbers by it. */
const SOON_MS = 2;

const key = fc.constantFrom("a", "b", "key-1", "key-2", "größe");
const shard = fc.constantFrom<Shard>(0, 1);
const nth = fc.nat({ max: 3 });
const begin = fc.constant("begin" as const);

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant("put" as const), key) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant("put many" as const), fc.array(key, { maxLength: 4 })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(begin, fc.constantFrom("TRIM_HORIZON" as const, "LATEST" as const), shard),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(
      begin,
      fc.constantFrom("AT_SEQUENCE_NUMBER" as const, "AFTER_SEQUENCE_NUMBER" as const),
      ...[shard, nth],
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constant("read" as const), nth, fc.constantFrom(0, 1, 2, 3, 100)),
  },
);

/** Puts, iterators of every kind, also by the numbers of another shard, and reads by each, again. */
export const KINESIS_CALLS: DrawnSequences<KinesisPort, Call> = {
  operation: call,
  operationsMax: 16,
  async play(stage, calls) {
    const client = sdkOf(stage.client);
    const numbers: string[] = [];
    const iterators: string[] = [];
    let sent = 0;
    const recordOf = (PartitionKey: string): { PartitionKey: string; Data: Uint8Array } => {
      sent += 1;
      return { PartitionKey, Data: bytesOf(String(sent)) };
    };
    const perform = async (one: Call): Promise<unknown> => {
      switch (one[0]) {
        case "put": {
          const put = await client.send(new PutRecordCommand({ StreamName, ...recordOf(one[1]) }));
          numbers.push(put.SequenceNumber ?? "");
          return put.ShardId;
        }
        case "put many": {
          const Records = one[1].map(recordOf);
          const put = await client.send(new PutRecordsCommand({ StreamName, Records }));
          numbers.push(...(put.Records ?? []).map(({ SequenceNumber = "" }) => SequenceNumber));
          return [put.FailedRecordCount, put.Records?.map(({ ShardId }) => ShardId)];
        }
        case "begin": {
          const number = one[3] === undefined ? undefined : numbers.at(-1 - one[3]);
          const command = new GetShardIteratorCommand({
            ...{ StreamName, ShardIteratorType: one[1] },
            ...{ ShardId: `shardId-00000000000${one[2]}`, StartingSequenceNumber: number },
          });
          iterators.push((await client.send(command)).ShardIterator ?? "");
          return "begun";
        }
        case "read": {
          const ShardIterator = iterators.at(-1 - one[1]);
          const command = new GetRecordsCommand({ ShardIterator, Limit: one[2] });
          const got = await client.send(command);
          iterators.push(got.NextShardIterator ?? "");
          return textsOf(got.Records);
        }
        default:
          return one satisfies never;
      }
    };
    const seen: unknown[] = [];
    for (const one of calls) {
      const outcome = await perform(one).catch((error: Error) => error.name);
      await stage.pass(SOON_MS);
      seen.push([one, outcome]);
    }
    return seen;
  },
};
