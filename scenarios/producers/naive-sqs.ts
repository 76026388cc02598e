import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

const QUEUE = { QueueUrl: "https://sqs/0/orders" };

/**
 * Orders from SQS as one writes it first. What failed stays in the queue and comes again. But a
 * rejected order is deleted like one that was taken, and nobody has kept it: it is lost (G3).
 */
class NaiveSqs implements SharedStreamProducer<unknown, Message> {
  readonly #client: Pick<SQSClient, "send">;

  constructor(client: Pick<SQSClient, "send">) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Message]> {
    const receive = new ReceiveMessageCommand({ ...QUEUE, WaitTimeSeconds: 20 });
    while (!signal.aborted) {
      const { Messages = [] } = await this.#client.send(receive, { abortSignal: signal });
      for (const message of Messages) yield [JSON.parse(message.Body ?? "null"), message];
    }
  }

  async advance(batch: readonly AdvanceItem<Message>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) continue;
      const { ReceiptHandle } = brokerPayload;
      await this.#client.send(new DeleteMessageCommand({ ...QUEUE, ReceiptHandle }));
    }
  }
}

export function createProducer({ client }: { readonly client: SQSClient }): NaiveSqs {
  return new NaiveSqs(client);
}
