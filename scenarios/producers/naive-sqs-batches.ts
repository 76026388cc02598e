import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

const QUEUE = { QueueUrl: "https://sqs/0/orders" };
const DEAD_LETTERS = { QueueUrl: "https://sqs/0/orders-dead" };

/**
 * Orders from SQS, in batches: rejected ones go to the dead-letter queue before all that are done
 * are deleted. But a batch succeeds as a request while single entries of it fail, and this producer
 * does not read which: a rejected order whose entry was refused is deleted, and lost (G3).
 */
class NaiveSqsBatches implements SharedStreamProducer<unknown, Message> {
  readonly #client: Pick<SQSClient, "send">;

  constructor(client: Pick<SQSClient, "send">) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Message]> {
    const receive = new ReceiveMessageCommand({
      ...QUEUE,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 20,
    });
    while (!signal.aborted) {
      const { Messages = [] } = await this.#client.send(receive, { abortSignal: signal });
      for (const message of Messages) yield [JSON.parse(message.Body ?? "null"), message];
    }
  }

  async advance(batch: readonly AdvanceItem<Message>[]): Promise<void> {
    const done = batch.filter(
      ({ outcome }) => outcome.failed === 0 && outcome.acked + outcome.rejected > 0,
    );
    const rejected = done.filter(({ outcome }) => outcome.rejected > 0);
    if (rejected.length > 0) {
      const Entries = rejected.map(({ brokerPayload }, index) => ({
        Id: String(index),
        MessageBody: brokerPayload.Body,
      }));
      await this.#client.send(new SendMessageBatchCommand({ ...DEAD_LETTERS, Entries }));
    }
    if (done.length > 0) {
      const Entries = done.map(({ brokerPayload }, index) => ({
        Id: String(index),
        ReceiptHandle: brokerPayload.ReceiptHandle,
      }));
      await this.#client.send(new DeleteMessageBatchCommand({ ...QUEUE, Entries }));
    }
  }
}

export function createProducer({ client }: { readonly client: SQSClient }): NaiveSqsBatches {
  return new NaiveSqsBatches(client);
}
