import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { sqs, sqsFifo } from "../../../sim/brokers/sqs/sqs-broker.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Client = Pick<SQSClient, "send">;
type Stage = TroubledStage<Client>;

const QueueUrl = "https://sqs/0/orders";

/** Settles each message in another way, by how many came before it. */
async function settle({ client, call, pass }: Stage, message: Message, nth: number): Promise<void> {
  const { ReceiptHandle, MessageId: Id } = message;
  const one = { QueueUrl, ReceiptHandle };
  if (nth % 5 === 0) await call("deletes", () => client.send(new DeleteMessageCommand(one)));
  if (nth % 5 === 1) {
    const Entries = [{ Id, ReceiptHandle }];
    await call("deletes a batch", () =>
      client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries })),
    );
  }
  if (nth % 5 === 2) {
    await call("gives back", () =>
      client.send(new ChangeMessageVisibilityCommand({ ...one, VisibilityTimeout: 0 })),
    );
  }
  if (nth % 5 === 3) {
    const Entries = [{ Id, ReceiptHandle, VisibilityTimeout: 15 }];
    await call("extends", () =>
      client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })),
    );
    await pass(12_000);
    await call("deletes late", () => client.send(new DeleteMessageCommand(one)));
  }
}

function pair({ client, call }: Stage, group: object, other: object): readonly (() => unknown)[] {
  const dead = { QueueUrl: "https://sqs/0/orders-dead", MessageBody: '{"ref":"ref-000002"}' };
  const entries = ["a", "b"].map((Id) => ({ Id, MessageBody: "{}", ...group, ...other }));
  return [
    () => call("sends", () => client.send(new SendMessageCommand({ ...dead, ...group }))),
    () =>
      call("sends two", () =>
        client.send(new SendMessageBatchCommand({ QueueUrl: dead.QueueUrl, Entries: entries })),
      ),
  ];
}

async function work(stage: Stage, isFifo: boolean): Promise<void> {
  const { client, publish, call, note, pass } = stage;
  publish(5);
  publish(3, "key-2");
  let nth = 0;
  for (let round = 0; round < 12; round += 1) {
    const receive = new ReceiveMessageCommand({
      ...{ QueueUrl, MaxNumberOfMessages: 3, WaitTimeSeconds: 4 },
      ...{ MessageSystemAttributeNames: ["All"], MessageAttributeNames: ["All"] },
    });
    const reply = await call("receives", async () => (await client.send(receive)).Messages ?? []);
    for (const message of reply ?? []) {
      const { Body, Attributes } = message;
      note("is given", [Body, Attributes?.ApproximateReceiveCount, Attributes?.MessageGroupId]);
      await settle(stage, message, nth);
      nth += 1;
    }
    if (round === 6) publish(2, "key-3");
  }
  const group = isFifo ? { MessageGroupId: "g", MessageDeduplicationId: "once" } : {};
  for (const one of pair(stage, group, {})) await one();
  await pass(30_000);
}

const site = ["broker.fetch", "broker.settle", "broker.produce"] as const;
const options = { visibilityTimeoutSeconds: 10, maxReceiveCount: 4 };
const models = [
  ["sqs", () => sqs(options), false],
  ["sqs-fifo", () => sqsFifo(options), true],
] as const;
for (const [name, createModel, isFifo] of models) {
  testTroubles({
    name,
    createModel,
    sites: site,
    work: (stage) => work(stage, isFifo),
  });
}
