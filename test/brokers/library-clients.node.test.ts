// The libraries are large: on Node only.
import { KinesisClient, paginateListStreams } from "@aws-sdk/client-kinesis";
import { SQSClient } from "@aws-sdk/client-sqs";
import { Message, PubSub, Subscription, Topic } from "@google-cloud/pubsub";
import { expect, test } from "vitest";
import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import { pubsub } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import type { PubSubMessage } from "../../sim/brokers/pubsub/pubsub-message.ts";
import { sqs } from "../../sim/brokers/sqs/sqs-broker.ts";
import { BrokerStage } from "./broker-stage.ts";

test("Pub/Sub's client, topics, subscriptions and messages are of the library's classes", async () => {
  const stage = new BrokerStage(pubsub());
  stage.publish(1);
  await stage.play(async (client) => {
    const topic = client.topic("orders");
    const [made] = await client.createSubscription(topic, "made");
    const subscription = client.subscription("orders");
    const message = await new Promise<PubSubMessage>((resolve) => {
      subscription.on("message", (one: PubSubMessage) => resolve(one));
    });
    for (const [one, Class] of [
      ...([[client, PubSub] as const, [topic, Topic] as const] as const),
      ...([[made, Subscription] as const, [subscription, Subscription] as const] as const),
      [message, Message] as const,
    ]) {
      expect(one).toBeInstanceOf(Class);
      expect(one.constructor).toBe(Class);
    }
    // What they do is the model's.
    expect(subscription.eventNames()).toEqual(["message"]);
    expect(await message.ackWithResponse()).toBe("SUCCESS");
    await subscription.close();
  });
});

test("what is no topic is none to make a subscription of, also where it has the library's class", async () => {
  await new BrokerStage(pubsub()).play(async (client) => {
    const other = Object.create(Topic.prototype) as Parameters<typeof client.createSubscription>[0];
    await expect(client.createSubscription(other, "made")).rejects.toThrow("A Topic is required");
  });
});

test("the clients of SQS and Kinesis are of the SDK's classes", async () => {
  await new BrokerStage(sqs()).play((client) => {
    expect(client).toBeInstanceOf(SQSClient);
    return Promise.resolve();
  });
  await new BrokerStage(kinesis()).play(async (worker) => {
    const client = (worker as unknown as { readonly client: KinesisClient }).client;
    expect(client).toBeInstanceOf(KinesisClient);
    // The SDK's paginators ask for the class; the command is refused by its name.
    const pages = paginateListStreams({ client }, {});
    await expect(pages.next()).rejects.toThrow("Not modelled: ListStreamsCommand");
  });
});
