import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { sqs, sqsFifo } from "../../../sim/brokers/sqs/sqs-broker.ts";
import type { Dice } from "../../../sim/choices/dice.ts";
import { type Actor, testTurns } from "./turns.ts";

type Client = Pick<SQSClient, "send">;

const PAUSES_MS = [0, 1, 20, 300, 1_100, 4_000, 12_000];

interface Held {
  readonly Id: string;
  readonly ReceiptHandle: string;
}

function messageFrom(dice: Dice, isFifo: boolean): object {
  const { group, once } = { group: dice.from(["g", "h"]), once: dice.from(["1", "2", "3"]) };
  return {
    MessageBody: dice.from(["{}", '{"ref":"ref-000001"}']),
    ...(isFifo
      ? { MessageGroupId: group, ...(dice.oneIn(6) ? {} : { MessageDeduplicationId: once }) }
      : {}),
    ...(dice.oneIn(3) ? { DelaySeconds: dice.from([0, 1, 4]) } : {}),
    ...(dice.oneIn(4)
      ? { MessageAttributes: { a: { DataType: "String", StringValue: "1" } } }
      : {}),
  };
}

async function work(actor: Actor<Client>, isFifo: boolean): Promise<void> {
  const { client, dice, call, note, publish, pass } = actor;
  const held: Held[] = [];
  const none = { Id: "none", ReceiptHandle: "nonsense" };
  publish(4);
  for (;;) {
    await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(4) ? 7 : 5)));
    const end = isFifo ? ".fifo" : "";
    const own = `https://sqs/0/orders${end}`;
    const QueueUrl = dice.oneIn(12) ? `https://sqs/0/nothing${end}` : own;
    const toUrl = dice.from([`https://sqs/0/orders-dead${end}`, own]);
    const one = dice.oneIn(12) ? none : (held.at(-1 - dice.below(5)) ?? none);
    const another = held.at(-1 - dice.below(5)) ?? none;
    const Entries = [one, another].map((entry, at) => ({
      ...{ ReceiptHandle: entry.ReceiptHandle, Id: dice.oneIn(8) ? "x" : `entry-${at}` },
    }));
    const VisibilityTimeout = dice.from([0, 1, 5, 30]);
    switch (dice.below(14)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const command = new ReceiveMessageCommand({
          ...{ QueueUrl, MaxNumberOfMessages: 1 + dice.below(4) },
          ...(dice.oneIn(3) ? { WaitTimeSeconds: dice.from([1, 5]) } : {}),
          ...(dice.oneIn(3) ? { VisibilityTimeout: dice.from([0, 2, 20]) } : {}),
          ...(dice.oneIn(2) ? { MessageSystemAttributeNames: ["All"] } : {}),
        });
        const reply = await call("receives", () => client.send(command));
        for (const { Body, MessageId: Id, ReceiptHandle } of reply?.Messages ?? []) {
          note("is given", [Body, Id, ReceiptHandle]);
          if (Id !== undefined && ReceiptHandle !== undefined) held.push({ Id, ReceiptHandle });
        }
        held.splice(0, held.length - 8);
        break;
      }
      case 4:
      case 5: {
        const { ReceiptHandle } = one;
        const command = new DeleteMessageCommand({ QueueUrl: own, ReceiptHandle });
        await call("deletes", () => client.send(command));
        break;
      }
      case 6:
        await call("deletes two", () =>
          client.send(new DeleteMessageBatchCommand({ QueueUrl: own, Entries })),
        );
        break;
      case 7: {
        const { ReceiptHandle } = one;
        const change = { QueueUrl: own, ReceiptHandle, VisibilityTimeout };
        await call("changes", () => client.send(new ChangeMessageVisibilityCommand(change)));
        break;
      }
      case 8: {
        const changes = Entries.map((entry) => ({ ...entry, VisibilityTimeout }));
        await call("changes two", () =>
          client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: own, Entries: changes })),
        );
        break;
      }
      case 9:
      case 10: {
        const message = messageFrom(dice, isFifo) as { MessageBody: string };
        await call("sends", () =>
          client.send(new SendMessageCommand({ QueueUrl: toUrl, ...message })),
        );
        break;
      }
      case 11: {
        const entries = ["a", "b"].map((Id) => ({
          ...{ Id, ...(messageFrom(dice, isFifo) as { MessageBody: string }) },
        }));
        await call("sends two", () =>
          client.send(new SendMessageBatchCommand({ QueueUrl: toUrl, Entries: entries })),
        );
        break;
      }
      default:
        publish(dice.below(4), dice.from(["key-1", "key-2"]));
    }
  }
}

for (const isFifo of [false, true]) {
  const act = (actor: Actor<Client>): Promise<void> => work(actor, isFifo);
  testTurns<Client>({
    name: isFifo ? "sqs-fifo" : "sqs",
    createWorld: (dice) => {
      const options = {
        queue: isFifo ? "orders.fifo" : "orders",
        visibilityTimeoutSeconds: dice.from([2, 10]),
        maxReceiveCount: dice.from([2, 4]),
      };
      return {
        model: isFifo ? sqsFifo(options) : sqs(options),
        actors: { one: act, two: act },
      };
    },
    sites: ["broker.fetch", "broker.settle", "broker.produce"],
    worlds: 12,
    untilMs: 60_000,
  });
}
