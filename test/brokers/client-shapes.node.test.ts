// Whatever the libraries' clients have, the models' have or refuse by name.
import { SQSClient } from "@aws-sdk/client-sqs";
import { ServiceBusClient } from "@azure/service-bus";
import { Message, PubSub } from "@google-cloud/pubsub";
import { describe, expect, test } from "vitest";
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
  // SQS: the configuration before it is resolved, and the handlers of commands
  ...["initConfig", "handlers"],
  // Service Bus
  ...["logPrefix", "skipParsingBodyAsJson", "skipConvertingDate"],
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

test("SQS: the client", async () => {
  const library = new SQSClient({ region: "eu-central-1" });
  const stage = new BrokerStage(sqs());
  const missing = await stage.play((client) => Promise.resolve(missingIn(client, library)));
  expect(missing).toEqual([]);
});

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
