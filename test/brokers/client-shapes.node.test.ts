// Whatever the libraries' clients have, the models' have or refuse by name.
import * as kinesisSdk from "@aws-sdk/client-kinesis";
import * as sqsSdk from "@aws-sdk/client-sqs";
import { ServiceBusClient } from "@azure/service-bus";
import { Message, PubSub } from "@google-cloud/pubsub";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, test } from "vitest";
import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import type { NatsClient } from "../../sim/brokers/nats/client.ts";
import { nats } from "../../sim/brokers/nats/model.ts";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { pubsub } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import type { PubSubMessage } from "../../sim/brokers/pubsub/pubsub-message.ts";
import {
  serviceBus,
  serviceBusSessions,
} from "../../sim/brokers/service-bus/service-bus-broker.ts";
import { sqs } from "../../sim/brokers/sqs/sqs-broker.ts";
import { BrokerStage } from "./broker-stage.ts";

/** What the libraries keep to themselves, besides what begins or ends with an underscore. */
const OWN: readonly string[] = [
  // Pub/Sub
  ...["schemaClient", "determineBaseUrl_", "getClient_", "getClientAsync_"],
  // SQS and Kinesis: the configuration before it is resolved, and the handlers of commands
  ...["initConfig", "handlers"],
  // Service Bus
  ...["logPrefix", "skipParsingBodyAsJson", "skipConvertingDate"],
  // NATS: what its clients inherit from the library's base of them, and fields
  ...["findStream", "getConnection", "parseJsResponse", "sendRequiredApiLevel", "checkVersion"],
  ...["addUpdate", "minConsumerApi", "requiredApiOpts", "checkStreamConfigVersions"],
  ...["minStreamApi", "api", "nc", "opts", "prefix", "timeout", "consumerAPI", "streamAPI"],
  ...["notified", "stream", "name", "messages", "ordered", "serial", "orderedConsumerState"],
  ...["debug", "type", "getConsumerOpts", "getOptions"],
];

const CONNECTION =
  "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=b";

describe("Pub/Sub", () => {
  const library = new PubSub({ projectId: "project" });

  test("client, subscription, topic and message", async () => {
    const stage = new BrokerStage(pubsub());
    stage.publish(1);
    const missing = await stage.play(async (client) => {
      const subscription = client.subscription("orders");
      const message = await new Promise<PubSubMessage>((resolve) => {
        subscription.on("message", (one: PubSubMessage) => resolve(one));
      });
      return [
        missingIn(client, library),
        missingIn(subscription, library.subscription("orders")),
        missingIn(client.topic("dead"), library.topic("dead")),
        missingIn(message, Message.prototype),
      ];
    });
    expect(missing).toEqual([[], [], [], []]);
  });
});

describe("Service Bus", () => {
  const library = new ServiceBusClient(CONNECTION);

  test("client, sender and receiver", async () => {
    const stage = new BrokerStage(serviceBus());
    const missing = await stage.play((client) =>
      Promise.resolve([
        missingIn(client, library),
        missingIn(client.createSender("orders"), library.createSender("orders")),
        missingIn(client.createReceiver("orders"), library.createReceiver("orders")),
      ]),
    );
    expect(missing).toEqual([[], [], []]);
  });

  test("the receiver of a session has those of a receiver, and of its session", async () => {
    const stage = new BrokerStage(serviceBusSessions());
    stage.publish(1);
    const missing = await stage.play(async (client) => {
      const receiver = await client.acceptNextSession("orders");
      const session = { sessionId: "", sessionLockedUntilUtc: new Date(0) };
      const calls = { getSessionState: 0, setSessionState: 0, renewSessionLock: 0 };
      const ofOne = missingIn(receiver, library.createReceiver("orders"));
      return [missingIn(receiver, { ...session, ...calls }), ofOne];
    });
    // A session's lock is that of its messages.
    expect(missing).toEqual([[], []]);
  });
});

describe("the AWS SDK", () => {
  const region = "eu-central-1";
  const clients: readonly [string, object, BrokerModel<Sender>, readonly string[]][] = [
    [
      ...(["sqs", sqsSdk, sqs() as unknown as BrokerModel<Sender>] as const),
      [
        ...["ReceiveMessage", "DeleteMessage", "DeleteMessageBatch", "SendMessage"],
        ...["SendMessageBatch", "ChangeMessageVisibility", "ChangeMessageVisibilityBatch"],
        ...["GetQueueAttributes", "GetQueueUrl"],
      ],
    ],
    [
      ...(["kinesis", kinesisSdk, kinesis() as unknown as BrokerModel<Sender>] as const),
      [
        ...["PutRecord", "PutRecords", "GetShardIterator", "GetRecords", "ListShards"],
        ...["DescribeStream", "DescribeStreamSummary"],
      ],
    ],
  ];
  const libraries: Readonly<Record<string, object>> = {
    sqs: new sqsSdk.SQSClient({ region }),
    kinesis: new kinesisSdk.KinesisClient({ region }),
  };

  test.for(clients)("%s: each member of the client, and of its stack", async ([name, , model]) => {
    const library = libraries[name] as sqsSdk.SQSClient;
    const missing = await new BrokerStage(model).play((client) => {
      const stack = clientIn(client).middlewareStack;
      return Promise.resolve([
        missingIn(clientIn(client), library),
        missingIn(stack, library.middlewareStack),
      ]);
    });
    expect(missing).toEqual([[], []]);
  });

  test.for(clients)("%s: every other command is refused by name", async (given) => {
    const [name, sdk, model, modelled] = given;
    const commands = Object.entries(sdk).filter(([one]) => /\wCommand$/.test(one));
    const told = await new BrokerStage(model).play((client) =>
      Promise.all(
        commands.map(([, Command]) => {
          const command = new (Command as new (input: object) => object)({});
          return failureOf(() => clientIn(client).send(command));
        }),
      ),
    );
    const refused = commands.flatMap(([one], at) =>
      told[at] === `Not modelled: ${one}; see brokers.${name}` ? [] : [one.replace("Command", "")],
    );
    expect(refused.toSorted()).toEqual(modelled.toSorted());
    expect(commands.length).toBeGreaterThan(20);
  });

  test.for(clients)("%s: its configuration is refused by name", async ([name, , model]) => {
    const told = await new BrokerStage(model).play((client) =>
      failureOf(() => Reflect.get(clientIn(client), "config")),
    );
    const { length } = told.split("; ");
    expect([length, told.endsWith(`Client.config; see brokers.${name}`)]).toEqual([2, true]);
  });
});

interface Sender {
  send(command: object): Promise<unknown>;
  readonly middlewareStack: object;
}

/** A worker has its client, SQS is one. */
function clientIn(client: Sender | { readonly client: Sender }): Sender {
  return "client" in client ? client.client : client;
}

describe("NATS", () => {
  /** Enough for clients to be made of; nothing is sent. */
  const connection = { options: {} } as unknown as NatsConnection;

  test("client, consumer, and the manager with its parts", async () => {
    const library = jetstream(connection);
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const info = { stream_name: "ORDERS", name: "triggerer", config: {} };
    const consumer = library.consumers.getConsumerFromInfo(info as never);
    const missing = await new BrokerStage(nats()).play(async (client) => {
      const model = await client.jetstreamManager();
      return [
        missingIn(client, library),
        missingIn(client.consumers, library.consumers),
        missingIn(client.streams, library.streams),
        missingIn(await client.consumers.get("ORDERS", "triggerer"), consumer),
        missingIn(model, manager),
        ...(["consumers", "streams", "direct"] as const).map((part) =>
          missingIn(model[part], manager[part]),
        ),
      ];
    });
    expect(missing).toEqual([[], [], [], [], [], [], [], []]);
  });

  test("what is not modelled is refused by name", async () => {
    const calls = await new BrokerStage(nats()).play(async (client) => {
      const model = await client.jetstreamManager();
      return [
        ...refusalsOf(client, ["startBatch"]),
        ...refusalsOf(
          client.consumers,
          Object.keys(client.consumers).filter((name) => name.includes("Push")),
        ),
        await failureOf(() => client.consumers.get("ORDERS")),
        ...refusalsOf(await client.streams.get("ORDERS"), [
          ...["alternates", "best", "getPushConsumer", "deleteMessage", "resetConsumer"],
        ]),
        ...refusalsOf(model, ["getAccountInfo", "advisories"]),
        ...refusalsOf(model.consumers, ["pause", "resume", "unpin", "reset"]),
        ...refusalsOf(model.streams, ["update", "purge", "delete", "deleteMessage"]),
        ...refusalsOf(model.direct, Object.keys(model.direct)),
      ];
    });
    // An ordered consumer is what get() without a name means.
    expect(calls.filter((call) => call !== "named")).toEqual([
      "Not modelled: an ordered consumer; see brokers.nats",
    ]);
    expect(calls).toHaveLength(24);
  });

  test("so is each option that would be ignored", async () => {
    const refused = await new BrokerStage(nats()).play(async (client) => {
      const told: string[] = [];
      for (const [call, names, run] of await optionsOf(client)) {
        for (const name of names) told.push(`${call} ${name}: ${await failureOf(() => run(name))}`);
      }
      return told;
    });
    expect(refused.length).toBeGreaterThan(20);
    expect(
      refused.filter((line) => !/^(\S+) (\S+): Not modelled: \1 with \2; /.test(line)),
    ).toEqual([]);
  });
});

type Options = readonly [call: string, names: readonly string[], run: (name: string) => unknown];

/** The options of the library's calls that the model does not have. */
async function optionsOf(client: NatsClient): Promise<readonly Options[]> {
  const consumer = await client.consumers.get("ORDERS", "triggerer");
  const { consumers } = await client.jetstreamManager();
  const bytes = ["max_bytes", "group", "min_pending", "min_ack_pending", "priority"];
  const given = (name: string): object => ({ [name]: 1 });
  return [
    [
      "publish()",
      ["ttl", "schedule", "cancelSchedule"],
      (name) => client.publish("dead.a", "", given(name)),
    ],
    ["fetch()", bytes, (name) => consumer.fetch(given(name))],
    ["consume()", [...bytes, "threshold_bytes"], (name) => consumer.consume(given(name))],
    [
      "consumers.add()",
      ["mem_storage", "max_waiting", "max_batch", "max_expires", "headers_only"],
      (name) => consumers.add("ORDERS", { durable_name: "other", ...given(name) }),
    ],
    [
      "consumers.update()",
      ["priority_groups", "sample_freq"],
      (name) => consumers.update("ORDERS", "triggerer", given(name)),
    ],
  ];
}

/** Calls each; returns "named" for a refusal that names it, and else what came of it. */
function refusalsOf(object: object, names: readonly string[]): readonly string[] {
  return names.map((name) => {
    try {
      (Reflect.get(object, name) as () => unknown)();
      return `${name}() returned`;
    } catch (error) {
      const { message } = error as Error;
      return message.startsWith("Not modelled: ") && message.includes(`.${name}()`)
        ? "named"
        : message;
    }
  });
}

async function failureOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return "no error";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The members of the library's object, its fields and those along its prototypes. */
function missingIn(model: object, library: object): readonly string[] {
  const isOwn = (name: string): boolean => /^_|_$/.test(name) || OWN.includes(name);
  return membersOf(library).filter((name) => !isOwn(name) && !(name in model));
}

function membersOf(object: object): readonly string[] {
  const above = Object.getPrototypeOf(object) as object | null;
  if (above === null) return [];
  return [...new Set([...Object.getOwnPropertyNames(object), ...membersOf(above)])];
}
