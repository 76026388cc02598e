import {
  DeleteMessageBatchCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import type { SqsClient } from "../../sim/brokers/sqs/sqs-client.ts";
import { sqs } from "../../sim/brokers/sqs/sqs-broker.ts";
import { observeModel } from "./observed/observation.ts";

const QueueUrl = "https://sqs/0/orders";

function told(call: (client: SqsClient) => Promise<unknown>): Promise<unknown> {
  return observeModel(sqs({ queue: "orders" }), ({ client }) =>
    call(client).then(
      () => "taken",
      (error: unknown) => String(error),
    ),
  );
}

test("a batch with an entry that has no id is refused as a whole", async () => {
  const Entries = [{ Id: "a", ReceiptHandle: "x" }, { ReceiptHandle: "y" } as never];
  expect(
    await told((client) => client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))),
  ).toBe(
    "MissingParameter: The request must contain the parameter DeleteMessageBatchRequestEntry.2.Id.",
  );
});

test("an entry of a batch without a receipt handle is refused by name", async () => {
  const Entries = [{ Id: "a" } as never];
  expect(
    await told((client) => client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))),
  ).toMatch("Not modelled: an entry of a batch without a ReceiptHandle");
});

test.each([new Date(0), Number.NaN, new String("x")])(
  "a body that is written as a text and is none is refused by name: %s",
  async (MessageBody) => {
    const body = MessageBody as never;
    const Entries = [null as never, { Id: "a", MessageBody: body }];
    const refused = "Not modelled: a MessageBody that is no text";
    const one = new SendMessageCommand({ QueueUrl, MessageBody: body });
    expect(await told((client) => client.send(one))).toMatch(refused);
    const batch = new SendMessageBatchCommand({ QueueUrl, Entries });
    expect(await told((client) => client.send(batch))).toMatch(refused);
  },
);

test("a batch whose entries are an invalid date is one without entries", async () => {
  const Entries = new Date(Number.NaN) as never;
  expect(
    await told((client) => client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))),
  ).toMatch("EmptyBatchRequest");
});
