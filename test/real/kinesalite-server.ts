import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import {
  CreateStreamCommand,
  DeleteStreamCommand,
  DescribeStreamSummaryCommand,
  KinesisClient,
  ResourceInUseException,
  SplitShardCommand,
} from "@aws-sdk/client-kinesis";
import type { KinesisPort } from "../brokers/observed/kinesis.ts";
import { INSTALLED } from "./installed.ts";
import { type RunningServer, startServer } from "./loopback-server.ts";
import type { RealBroker } from "./test-real.ts";

const PROGRAM = join(INSTALLED, "kinesalite", "node_modules", "kinesalite", "cli.js");
/** What it needs of what may be installed. */
export const KINESALITE_COMMANDS: readonly string[] = [PROGRAM];
const SHARDS = 2;
/** The middle of the first of two shards. */
const MIDDLE = String(1n << 126n);
const CHANGE_MS = 2;
const POLL_MS = 10;

export function startKinesalite(): Promise<RunningServer> {
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

export function kinesisClientOf(port: number): KinesisClient {
  return new KinesisClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: "eu-central-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    requestHandler: OVER_HTTP as never,
  });
}

/** Makes a stream anew, with two shards, and resolves when it is there. */
export async function makeStream(client: KinesisClient, StreamName: string): Promise<void> {
  await client.send(new DeleteStreamCommand({ StreamName })).catch(() => undefined);
  await create(client, StreamName);
  await untilActive(client, StreamName);
}

/** Creates a stream when one of its name that is being deleted is gone. */
async function create(client: KinesisClient, StreamName: string): Promise<void> {
  for (;;) {
    try {
      await client.send(new CreateStreamCommand({ StreamName, ShardCount: SHARDS }));
      return;
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
      await pass(POLL_MS);
    }
  }
}

async function untilActive(client: KinesisClient, StreamName: string): Promise<void> {
  for (;;) {
    const found = await client.send(new DescribeStreamSummaryCommand({ StreamName }));
    if (found.StreamDescriptionSummary?.StreamStatus === "ACTIVE") return;
    await pass(POLL_MS);
  }
}

/** Has whoever reads and writes "orders" do so on the stream of a lane. */
function streamOf(client: KinesisClient, lane: number): string {
  if (lane === 0) return "orders";
  const name = `orders-${lane}`;
  client.middlewareStack.add(
    (next) => (sent) => {
      const input = sent.input as { readonly StreamName?: string };
      const isOrders = input.StreamName === "orders";
      return next(isOrders ? { ...sent, input: { ...input, StreamName: name } } : sent);
    },
    { step: "initialize" },
  );
  return name;
}

/** Has one stream for each lane, which each stage makes anew. */
export const KINESALITE: RealBroker<KinesisPort> = {
  name: "kinesalite",
  commands: KINESALITE_COMMANDS,
  start: startKinesalite,
  async stage({ port }, lane = 0) {
    const client = kinesisClientOf(port);
    const StreamName = streamOf(client, lane);
    await makeStream(client, StreamName);
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
