import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import {
  CreateStreamCommand,
  DeleteStreamCommand,
  DescribeStreamSummaryCommand,
  KinesisClient,
  ListStreamsCommand,
  SplitShardCommand,
} from "@aws-sdk/client-kinesis";
import type { KinesisPort } from "../brokers/observed/kinesis.ts";
import { INSTALLED } from "./installed.ts";
import { type RunningServer, startServer } from "./loopback-server.ts";
import type { RealBroker } from "./test-real.ts";

const PROGRAM = join(INSTALLED, "kinesalite", "node_modules", "kinesalite", "cli.js");
const SHARDS = 2;
/** The middle of the first of two shards. */
const MIDDLE = String(1n << 126n);
const CHANGE_MS = 2;
const POLL_MS = 10;

function startKinesalite(): Promise<RunningServer> {
  return startServer({
    command: process.execPath,
    arguments({ port }) {
      const changes = ["createStreamMs", "deleteStreamMs", "updateStreamMs"];
      const quick = changes.flatMap((name) => [`--${name}`, String(CHANGE_MS)]);
      return [PROGRAM, "--port", String(port), "--shardLimit", "1000", ...quick];
    },
  });
}

/** The SDK would speak HTTP/2, which kinesalite does not. */
const OVER_HTTP = {
  metadata: { handlerProtocol: "http/1.1" },
  async handle(request: {
    readonly protocol: string;
    readonly hostname: string;
    readonly port?: number;
    readonly path: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
  }): Promise<{ readonly response: object }> {
    const { protocol, hostname, port, path, method, headers, body } = request;
    const names = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "host");
    const sent = { method, headers: Object.fromEntries(names), body: body as BodyInit };
    const reply = await fetch(`${protocol}//${hostname}:${port}${path}`, sent);
    const content = new Uint8Array(await reply.arrayBuffer());
    const told = { statusCode: reply.status, headers: Object.fromEntries(reply.headers) };
    return { response: { ...told, body: content } };
  },
};

function clientOf(port: number): KinesisClient {
  return new KinesisClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: "eu-central-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    requestHandler: OVER_HTTP as never,
  });
}

async function untilActive(client: KinesisClient, StreamName: string): Promise<void> {
  for (;;) {
    const found = await client.send(new DescribeStreamSummaryCommand({ StreamName }));
    if (found.StreamDescriptionSummary?.StreamStatus === "ACTIVE") return;
    await pass(POLL_MS);
  }
}

/** Has one stream, which each stage makes anew. */
export const KINESALITE: RealBroker<KinesisPort> = {
  name: "kinesalite",
  commands: [PROGRAM],
  start: startKinesalite,
  async stage({ port }) {
    const client = clientOf(port);
    const StreamName = "orders";
    const names = async (): Promise<readonly string[]> =>
      (await client.send(new ListStreamsCommand({}))).StreamNames ?? [];
    if ((await names()).includes(StreamName)) {
      await client.send(new DeleteStreamCommand({ StreamName }));
      while ((await names()).includes(StreamName)) await pass(POLL_MS);
    }
    await client.send(new CreateStreamCommand({ StreamName, ShardCount: SHARDS }));
    await untilActive(client, StreamName);
    return {
      // The model's client is typed as the part of the SDK that it has.
      client: { client: client as unknown as KinesisPort["client"] },
      publish: () => Promise.reject(new Error("Sequences put records themselves")),
      operations: {
        async "a shard is split"() {
          const ShardToSplit = "shardId-000000000000";
          const split = { StreamName, ShardToSplit, NewStartingHashKey: MIDDLE };
          await client.send(new SplitShardCommand(split));
          await untilActive(client, StreamName);
        },
      },
      close() {
        client.destroy();
        return Promise.resolve();
      },
    };
  },
};
