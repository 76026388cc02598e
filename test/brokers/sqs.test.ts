import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  ListQueuesCommand,
  MessageNotInflight,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { sqs, sqsFifo } from "../../sim/brokers/sqs/sqs-broker.ts";
import type { SqsClient } from "../../sim/brokers/sqs/sqs-client.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

const QueueUrl = "https://sqs.eu-central-1.amazonaws.com/000000000000/orders";
const DEAD = `${QueueUrl}-dead`;

async function receive(client: SqsClient, MaxNumberOfMessages = 10): Promise<readonly string[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages }),
  );
  return Messages.map(({ ReceiptHandle = "" }) => ReceiptHandle);
}

function remove(client: SqsClient, ReceiptHandle: string) {
  return client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

/** The name of what a call rejects with. */
async function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "taken",
    (error: unknown) => (error as Error).name,
  );
}

describe("a standard queue", () => {
  test("returns what is requested: body, handle, and the named attributes", async () => {
    const stage = new BrokerStage(sqs());
    stage.publish(1, "key-7");
    const { Messages } = await stage.play((client) =>
      client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MessageSystemAttributeNames: ["ApproximateReceiveCount"],
        }),
      ),
    );
    expect(Messages).toEqual([
      {
        MessageId: "00000000-0000-4000-8000-000000000001",
        ReceiptHandle: "ref-000001.1",
        MD5OfBody: "102ace693984665d596e2282417d34d7",
        Body: '{"ref":"ref-000001","key":"key-7"}',
        Attributes: { ApproximateReceiveCount: "1" },
      },
    ]);
  });

  test("waits for messages for the requested time, and no longer than the signal", async () => {
    const stage = new BrokerStage(sqs());
    stage.world.schedule(5_000, { lane: "test" }, () => stage.publish(1));
    const seen = await stage.play(async (client, life) => {
      const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 });
      const { Messages } = await client.send(command);
      const cameAt = life.world.now;
      const stop = new AbortController();
      life.after(1_000, () => stop.abort());
      const open = () => stage.links[0]?.open();
      const waiting = client.send(command, { abortSignal: stop.signal });
      await new Promise<void>((resolve) => void life.after(1, resolve));
      const before = open();
      const aborted = await refusal(waiting);
      return { count: Messages?.length, isPrompt: cameAt < 5_100, before, aborted, after: open() };
    });
    expect(seen).toEqual({
      count: 1,
      isPrompt: true,
      before: ["a receive that waits for messages"],
      aborted: "AbortError",
      after: [],
    });
  });

  test("takes a delete with an old handle, and does nothing", async () => {
    const stage = new BrokerStage(sqs({ visibilityTimeoutSeconds: 5 }));
    stage.publish(1);
    await stage.play(async (client, life) => {
      const [first = ""] = await receive(client);
      await pass(life, 6_000);
      const [second = ""] = await receive(client);
      await remove(client, first);
      expect(stage.broker.owed()).toEqual(["ref-000001"]);
      await remove(client, second);
    });
    expect(stage.broker.owed()).toEqual([]);
    expect(stage.told("settle", ({ handle, refused }) => `${handle} ${refused}`)).toEqual([
      "ref-000001.1 NoEffect",
      "ref-000001.2 ",
    ]);
    expect(stage.told("lapsed", ({ consumer }) => consumer)).toEqual(["client-1/1"]);
  });

  test("deletes with an expired handle unless another consumer has the message", async () => {
    const stage = new BrokerStage(sqs({ visibilityTimeoutSeconds: 5 }));
    stage.publish(1);
    await stage.play(async (client, life) => {
      const [handle = ""] = await receive(client);
      await pass(life, 6_000);
      await remove(client, handle);
    });
    expect(stage.broker.owed()).toEqual([]);
  });

  test("refuses with the SDK's own errors what cannot be", async () => {
    const stage = new BrokerStage(sqs({ inFlightSecondsMax: 60 }));
    stage.publish(1);
    const seen = await stage.play(async (client) => {
      const [ReceiptHandle = ""] = await receive(client);
      const change = (VisibilityTimeout: number, handle = ReceiptHandle) =>
        refusal(
          client.send(
            new ChangeMessageVisibilityCommand({
              QueueUrl,
              ReceiptHandle: handle,
              VisibilityTimeout,
            }),
          ),
        );
      const isOfTheSdk = await remove(client, "made up").catch(
        (error: unknown) => error instanceof ReceiptHandleIsInvalid,
      );
      const tooLong = await change(61);
      const outOfRange = await change(43_201);
      const giveBack = await change(0);
      const again = await client
        .send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 5 }))
        .catch((error: unknown) => error instanceof MessageNotInflight);
      const eleven = await refusal(
        client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 11 })),
      );
      const other = await refusal(client.send(new ReceiveMessageCommand({ QueueUrl: DEAD })));
      const unknown = await refusal(client.send(new ListQueuesCommand({})));
      return { isOfTheSdk, tooLong, outOfRange, giveBack, again, eleven, other, unknown };
    });
    expect(seen).toEqual({
      isOfTheSdk: true,
      tooLong: "InvalidParameterValue",
      outOfRange: "InvalidParameterValue",
      giveBack: "taken",
      again: true,
      eleven: "InvalidParameterValue",
      other: "QueueDoesNotExist",
      unknown: "NotModelled",
    });
  });

  test("keeps a message from others as long as its visibility is renewed", async () => {
    const stage = new BrokerStage(sqs({ visibilityTimeoutSeconds: 5 }));
    stage.publish(1);
    const again = await stage.play(async (client, life) => {
      const [ReceiptHandle = ""] = await receive(client);
      for (let n = 0; n < 5; n += 1) {
        await pass(life, 4_000);
        const command = { QueueUrl, ReceiptHandle, VisibilityTimeout: 5 };
        await client.send(new ChangeMessageVisibilityCommand(command));
      }
      return receive(client);
    });
    expect(again).toEqual([]);
    expect(stage.told("lapsed", ({ ref }) => ref)).toEqual([]);
  });

  test("dead-letters by itself what was received too often, when it has a redrive policy", async () => {
    const stage = new BrokerStage(sqs({ visibilityTimeoutSeconds: 5, maxReceiveCount: 2 }));
    stage.publish(1);
    const third = await stage.play(async (client, life) => {
      for (let n = 0; n < 2; n += 1) {
        await receive(client);
        await pass(life, 6_000);
      }
      return receive(client);
    });
    expect(third).toEqual([]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
  });
});

describe("a batch", () => {
  test("has ten entries at most, each with an Id of its own", async () => {
    const stage = new BrokerStage(sqs());
    const batch = (ids: readonly string[]) =>
      stage.play(async (client) => {
        await receive(client);
        const Entries = ids.map((Id) => ({ Id, ReceiptHandle: "any" }));
        return refusal(client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries })));
      });
    const message = (ids: readonly string[]) =>
      stage.play(async (client) => {
        const Entries = ids.map((Id) => ({ Id, ReceiptHandle: "any" }));
        const sent = client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
        return await sent.catch((error: unknown) => (error as Error).message);
      });
    expect(await batch([])).toBe("EmptyBatchRequest");
    expect(await message([])).toBe(
      "There should be at least one DeleteMessageBatchRequestEntry in the request.",
    );
    expect(await batch(["1", "1"])).toBe("BatchEntryIdsNotDistinct");
    expect(await message(["0", "1", "2", "1", "2"])).toBe("Id 1 repeated.");
    expect(await batch(["a b"])).toBe("InvalidBatchEntryId");
    expect(await message(["a b"])).toMatch("can only contain alphanumeric characters");
    expect(await batch(Array.from({ length: 11 }, (_, index) => String(index)))).toBe(
      "TooManyEntriesInBatchRequest",
    );
    expect(await batch(["1"])).toBe("taken");
  });

  test("reports the result of each entry, and a disturbance refuses some", async () => {
    const stage = new BrokerStage(sqs());
    stage.publish(3);
    const disturbance = stage.broker.disturbances.find(({ name }) => name.includes("batch"));
    disturbance?.strike();
    const seen = await stage.play(async (client) => {
      const handles = await receive(client);
      const Entries = ["made up", ...handles].map((ReceiptHandle, index) => ({
        Id: `entry-${index}`,
        ReceiptHandle,
      }));
      const { Successful, Failed } = await client.send(
        new DeleteMessageBatchCommand({ QueueUrl, Entries }),
      );
      return {
        done: Successful?.map(({ Id }) => Id),
        failed: Failed?.map(({ Id, Code, SenderFault }) => `${Id} ${Code} ${SenderFault}`),
      };
    });
    expect(seen).toEqual({
      done: ["entry-1"],
      failed: [
        "entry-0 ReceiptHandleIsInvalid true",
        "entry-2 InternalError false",
        "entry-3 InternalError false",
      ],
    });
  });

  test("to another queue keeps dead letters by the record that they name", async () => {
    const stage = new BrokerStage(sqs());
    stage.publish(2);
    const own = await stage.play(async (client) => {
      await receive(client);
      const Entries = [{ Id: "1", MessageBody: '{"ref":"ref-000001"}' }];
      await client.send(new SendMessageBatchCommand({ QueueUrl: DEAD, Entries }));
      await client.send(new SendMessageCommand({ QueueUrl: DEAD, MessageBody: "of ref-000002" }));
      return refusal(client.send(new ReceiveMessageCommand({ QueueUrl: DEAD })));
    });
    expect(own).toBe("QueueDoesNotExist");
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001", "ref-000002"]);
  });
});

describe("a message to the queue itself", () => {
  test("is received as it was sent, and is a copy of the record that it names", async () => {
    const stage = new BrokerStage(sqs());
    stage.publish(1);
    const MessageBody = "again ref-000001";
    const seen = await stage.play(async (client, life) => {
      const take = async () => {
        const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
        return Messages;
      };
      const [first] = await take();
      const { MessageId } = await client.send(
        new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds: 60 }),
      );
      await client.send(
        new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }),
      );
      const early = await take();
      await pass(life, 61_000);
      const [late] = await take();
      await pass(life, 31_000);
      const [again] = await take();
      const ReceiptHandle = again?.ReceiptHandle;
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      return [early, late?.Body, late?.MessageId === MessageId, again?.Body, await take()];
    });
    expect(seen).toEqual([[], MessageBody, true, MessageBody, []]);
    expect(stage.told("settled", ({ ref }) => ref)).toEqual(["ref-000001"]);
    // The first one, and the copy twice; the record is settled with the copy.
    expect(stage.told("delivered", ({ ref }) => ref)).toEqual(Array(3).fill("ref-000001"));
    const settledAt = stage.told("settled", ({ at }) => String(at));
    expect(Number(settledAt[0])).toBeGreaterThan(90_000);
    expect(stage.told("lapsed", ({ ref }) => ref)).toEqual([]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual([]);
    expect(stage.broker.owed()).toEqual([]);
  });

  test("is not known as such before the queue was received from", async () => {
    const stage = new BrokerStage(sqs());
    const seen = await stage.play(async (client) => {
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "x" }));
      return refusal(receive(client));
    });
    expect(seen).toBe("NotModelled");
  });

  test("comes once for each deduplication id to a FIFO queue, in the order of its group", async () => {
    const stage = new BrokerStage(sqsFifo());
    const FIFO = "https://sqs/0/orders.fifo";
    const seen = await stage.play(async (client, life) => {
      const take = async (): Promise<unknown> => {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            ...{ QueueUrl: FIFO, MaxNumberOfMessages: 10, VisibilityTimeout: 1 },
            MessageSystemAttributeNames: ["MessageGroupId", "MessageDeduplicationId"],
          }),
        );
        return Messages.map(({ Body, Attributes: more }) => [Body, Object.values(more ?? {})]);
      };
      const send = async (MessageBody: string, once: string): Promise<string | undefined> => {
        const ids = { MessageGroupId: "g", MessageDeduplicationId: once };
        const sent = await client.send(
          new SendMessageCommand({ QueueUrl: FIFO, MessageBody, ...ids }),
        );
        return sent.SequenceNumber;
      };
      await take();
      const numbers = [await send("a", "1"), await send("b", "1"), await send("c", "2")];
      const first = await take();
      const blocked = await take();
      await pass(life, 301_000);
      numbers.push(await send("d", "1"));
      return [numbers, first, blocked, await take()];
    });
    const number = (n: number): string => String(n).padStart(20, "0");
    const [a, c, d] = [
      ["a", ["g", "1"]],
      ["c", ["g", "2"]],
      ["d", ["g", "1"]],
    ];
    expect(seen).toEqual([
      [number(1), number(1), number(2), number(3)],
      ...[[a, c], [], [a, c, d]],
    ]);
  });
});

describe("a FIFO queue", () => {
  test("takes no message without an id, and says the sum of what was sent a second time", async () => {
    const stage = new BrokerStage(sqsFifo({ queue: "orders.fifo", deadLetterQueues: [] }));
    const seen = await stage.play(async (client) => {
      const send = (MessageBody: string, more: object): Promise<object> =>
        client.send(
          new SendMessageCommand({
            ...{ QueueUrl: "https://sqs/0/orders.fifo", MessageBody, MessageGroupId: "g" },
            ...more,
          }),
        );
      const once = { MessageDeduplicationId: "1" };
      const sums = [await send("a", once), await send("b", once)].map(
        (sent) => (sent as { readonly MD5OfMessageBody?: string }).MD5OfMessageBody,
      );
      return [await refusal(send("a", {})), new Set(sums).size];
    });
    expect(seen).toEqual(["InvalidParameterValue", 2]);
  });

  test("holds a message group back while one of it is in flight", async () => {
    const stage = new BrokerStage(sqsFifo());
    stage.publish(2, "key-1");
    stage.publish(1, "key-2");
    const seen = await stage.play(async (client) => {
      const first = await receive(client, 1);
      const second = await receive(client);
      await remove(client, first[0] ?? "");
      return [first, second, await receive(client)];
    });
    expect(seen).toEqual([["ref-000001.1"], ["ref-000003.1"], ["ref-000002.1"]]);
  });

  test("gives a message again while a later one of its group is in flight", async () => {
    const stage = new BrokerStage(sqsFifo());
    stage.publish(2);
    const seen = await stage.play(async (client) => {
      const [ReceiptHandle = ""] = await receive(client);
      const change = { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 };
      await client.send(new ChangeMessageVisibilityCommand(change));
      return [await receive(client, 1), await receive(client)];
    });
    expect(seen).toEqual([["ref-000001.2"], []]);
  });

  test("refuses a handle whose visibility timeout has ended, in a batch by its code", async () => {
    const stage = new BrokerStage(sqsFifo({ visibilityTimeoutSeconds: 5 }));
    stage.publish(1);
    const seen = await stage.play(async (client, life) => {
      const [ReceiptHandle = ""] = await receive(client);
      await pass(life, 6_000);
      const single = await refusal(remove(client, ReceiptHandle));
      const Entries = [{ Id: "1", ReceiptHandle }];
      const command = new DeleteMessageBatchCommand({ QueueUrl, Entries });
      const { Failed = [] } = await client.send(command);
      const renewal = new ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        Entries: [{ Id: "1", ReceiptHandle, VisibilityTimeout: 5 }],
      });
      const { Failed: unrenewed = [] } = await client.send(renewal);
      return [single, Failed[0]?.Code, unrenewed[0]?.Code];
    });
    expect(seen).toEqual(["InvalidParameterValue", "ReceiptHandleIsInvalid", "MessageNotInflight"]);
    expect(stage.broker.owed()).toEqual(["ref-000001"]);
  });
});

describe("the network, in the SDK's words", () => {
  test("is tried three times, and a repeated request has its effect once", async () => {
    const stage = new BrokerStage(sqs());
    stage.publish(1);
    stage.strike("broker.settle", { kind: "fail", when: "after" }, 1, 2);
    const outcome = await stage.play(async (client) => {
      const [handle = ""] = await receive(client);
      return refusal(remove(client, handle));
    });
    expect(outcome).toBe("taken");
    expect(stage.told("settle", ({ refused }) => refused)).toEqual([""]);
  });

  test("fails with a server fault when it stays away", async () => {
    const stage = new BrokerStage(sqs());
    stage.strike("broker.fetch", { kind: "fail", when: "before" }, 1, 3);
    stage.strike("broker.produce", { kind: "drop", what: "request" }, 1, 3);
    const names = await stage.play(async (client) => [
      await refusal(receive(client)),
      await refusal(client.send(new SendMessageCommand({ QueueUrl: DEAD, MessageBody: "x" }))),
      await refusal(receive(client)),
    ]);
    expect(names).toEqual(["ServiceUnavailable", "TimeoutError", "taken"]);
  });
});

test("options that the model would ignore are refused by name", async () => {
  const stage = new BrokerStage(sqs());
  const seen = await stage.play(async (client) => {
    const receive = (input: object) =>
      new ReceiveMessageCommand({ QueueUrl: "orders", MessageAttributeNames: ["All"], ...input });
    const attempt = receive({ ReceiveRequestAttemptId: "first" });
    return [
      await outcomeOf(() => client.send(attempt)),
      await outcomeOf(() => client.send(receive({}), { retries: 100 } as object)),
      Object.keys(await client.send(receive({}))),
    ];
  });
  const refused = (what: string) => ({
    name: "NotModelled",
    message: `Not modelled: ${what}; see brokers.sqs`,
  });
  expect(seen).toEqual([
    refused("ReceiveMessage with ReceiveRequestAttemptId"),
    refused("send() with retries"),
    ["$metadata"],
  ]);
});
