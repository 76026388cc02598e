import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
  PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import {
  KINESALITE_COMMANDS,
  kinesisClientOf,
  makeStream,
  startKinesalite,
} from "../kinesalite-server.ts";
import { bodyOf, type CrashBroker, refOfBody } from "./crash-broker.ts";
import { FileWorker } from "./kinesis-worker.ts";

const ORDERS = "orders";
const DEAD_LETTERS = "orders-dead";

/** Where workers keep the leases of the stream at a server. */
function leasesAt(port: number): string {
  return join(tmpdir(), `faultlane-kinesis-leases-${port}`);
}

export const BROKER: CrashBroker = {
  name: "kinesalite",
  commands: KINESALITE_COMMANDS,
  correct: "kinesis",
  naive: "naive-kinesis",
  // No shard is read again unless its reader begins anew.
  silenceMs: 6_000,
  keepsData: false,
  start: startKinesalite,
  async open({ port }) {
    const client = kinesisClientOf(port);
    rmSync(leasesAt(port), { recursive: true, force: true });
    mkdirSync(leasesAt(port));
    for (const name of [ORDERS, DEAD_LETTERS]) await makeStream(client, name);
    return {
      async publish(refs) {
        const Records = refs.map((ref) => ({
          PartitionKey: ref,
          Data: new TextEncoder().encode(bodyOf(ref)),
        }));
        await client.send(new PutRecordsCommand({ StreamName: ORDERS, Records }));
      },
      deadLetters: async () => new Set((await contentOf(client, DEAD_LETTERS)).map(refOfBody)),
      close() {
        client.destroy();
        rmSync(leasesAt(port), { recursive: true, force: true });
        return Promise.resolve();
      },
    };
  },
  connect: (port) => Promise.resolve(() => new FileWorker(kinesisClientOf(port), leasesAt(port))),
};

/** Returns what is in a stream that is shorter than one read of each shard. */
async function contentOf(client: KinesisClient, StreamName: string): Promise<Uint8Array[]> {
  const { Shards = [] } = await client.send(new ListShardsCommand({ StreamName }));
  const content: Uint8Array[] = [];
  for (const { ShardId } of Shards) {
    const place = { StreamName, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
    const { ShardIterator } = await client.send(new GetShardIteratorCommand(place));
    const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator }));
    content.push(...Records.flatMap(({ Data = [] }) => [Uint8Array.from(Data)]));
  }
  return content;
}
