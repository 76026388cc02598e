import { DeleteMessageBatchCommand } from "@aws-sdk/client-sqs";
import { brokers } from "../../../sim/brokers/brokers.ts";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import { type BugOfOneFault, bugOfOneFault } from "./found-only-by.ts";
import { type SqsPayload, SqsProducer } from "./sqs/sqs-producer.ts";

const SQS = {
  queueUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders",
  deadLetterUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders-dead",
};
const RETRY_MS = 1_000;

/** Sends a delete again until it is taken: a handle is what the queue itself has given. */
class DeletesUntilTaken extends SqsProducer {
  override async delete(payloads: readonly SqsPayload[]): Promise<void> {
    for (const { handle: ReceiptHandle } of payloads) await this.#deleteOne(ReceiptHandle);
  }

  async #deleteOne(ReceiptHandle: string): Promise<void> {
    const Entries = [{ Id: "0", ReceiptHandle }];
    const command = new DeleteMessageBatchCommand({ QueueUrl: SQS.queueUrl, Entries });
    for (;;) {
      const reply = await this.client.send(command).catch(() => undefined);
      if (reply === undefined || (reply.Failed ?? []).length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Bugs that show only where a delivery comes with the handle of another's. */
export const HANDLE_BUGS: readonly BugOfOneFault[] = [
  bugOfOneFault<SqsClient>({
    name: "SQS: a delete is repeated until its handle is taken",
    guarantees: ["G6", "progress", "G8"],
    told: /the answer is about another's|ReceiptHandleIsInvalid/,
    isOfKind: (fault) => "verdict" in fault && fault.verdict === "answer-other",
    broker: brokers.sqs(),
    load: () => Promise.resolve(({ client }) => new DeletesUntilTaken(client, SQS)),
  }),
];
