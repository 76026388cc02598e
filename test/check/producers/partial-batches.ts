import { DeleteMessageBatchCommand, type Message } from "@aws-sdk/client-sqs";
import { brokers } from "../../../sim/brokers/brokers.ts";
import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import type { PubSubClient } from "../../../sim/brokers/pubsub/pubsub-client.ts";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import { type BugOfOneFault, bugOfOneFault, disturbs } from "./found-only-by.ts";
import type { OrderMessage } from "./pubsub/ordering-gates.ts";
import { PubSubProducer } from "./pubsub/pubsub-producer.ts";
import { loadWithBug } from "./source-bug.ts";
import { type SqsPayload, SqsProducer } from "./sqs/sqs-producer.ts";

const ORDERS = new URL("../../../scenarios/producers/orders.ts", import.meta.url);
const SQS = {
  queueUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders.fifo",
  deadLetterUrl: "https://sqs.eu-central-1.amazonaws.com/000000000000/orders-dead.fifo",
};
const PUBSUB = { subscription: "orders-triggers", deadLetterTopic: "orders-dead" };
const BATCH_MAX = 10;

/**
 * Takes the first entries of a batch for those that were refused, and drops copies of the others:
 * on a FIFO queue what was deleted does not come again.
 */
class MapsByPosition extends SqsProducer {
  readonly #deleted = new Set<string | undefined>();

  override async receive(signal: AbortSignal): Promise<readonly Message[]> {
    const messages = await super.receive(signal);
    return messages.filter(({ MessageId }) => !this.#deleted.has(MessageId));
  }

  override async delete(payloads: readonly SqsPayload[]): Promise<void> {
    for (let at = 0; at < payloads.length; at += BATCH_MAX) {
      await this.#deleteChunk(payloads.slice(at, at + BATCH_MAX));
    }
  }

  async #deleteChunk(payloads: readonly SqsPayload[]): Promise<void> {
    const Entries = payloads.map(({ handle }, index) => {
      return { Id: String(index), ReceiptHandle: handle };
    });
    const command = new DeleteMessageBatchCommand({ QueueUrl: SQS.queueUrl, Entries });
    try {
      const { Failed = [] } = await this.client.send(command);
      for (const { message } of payloads.slice(Failed.length)) {
        this.#deleted.add(message.MessageId);
      }
    } catch {
      // None of them is known to be deleted, and what is behind them has to wait.
      for (const { received } of payloads) received.isBlocked = true;
    }
  }
}

/** Forgets a refused ack only if it was "INVALID", and drops what comes again of the others. */
class TakesOtherForDone extends PubSubProducer {
  readonly #acked = new Set<string>();

  override accepts({ id }: OrderMessage): boolean {
    return !this.#acked.has(id);
  }

  override async ack(message: OrderMessage): Promise<void> {
    try {
      await message.ackWithResponse();
    } catch (error) {
      const code = error instanceof Error && "errorCode" in error ? error.errorCode : undefined;
      if (code === "OTHER") this.#acked.add(message.id);
    }
  }
}

/** Bugs that show only where a part of a request is refused. */
export const PARTIAL_BATCH_BUGS: readonly BugOfOneFault[] = [
  bugOfOneFault<SqsClient>({
    name: "SQS: results of a batch are mapped by position",
    // What counts as deleted is settled behind its successors, if at all.
    guarantees: ["progress", "G8", "order"],
    told: /refused: InternalError/,
    isOfKind: disturbs("refuse entries of a batch"),
    broker: brokers.sqsFifo(),
    load: () => Promise.resolve(({ client }) => new MapsByPosition(client, SQS)),
  }),
  bugOfOneFault<PubSubClient>({
    name: "Pub/Sub: of several acks, one with the response OTHER counts as done",
    guarantees: ["progress", "G8"],
    told: /some acks of a request come to nothing/,
    isOfKind: disturbs("some acks of a request come to nothing"),
    broker: brokers.pubsub({ exactlyOnceDelivery: true }),
    load: () => Promise.resolve(({ client }) => new TakesOtherForDone(client, PUBSUB)),
  }),
  bugOfOneFault<KafkaClient>({
    name: "Kafka: a partition that a commit refuses counts as another consumer's",
    guarantees: ["progress"],
    told: /a partition of a commit is refused/,
    isOfKind: disturbs("a partition of a commit is refused"),
    broker: brokers.kafka({ partitions: 3 }),
    load: () =>
      loadWithBug<KafkaClient>(ORDERS, {
        id: "refused-partition",
        what: "takes a refused partition for another consumer's",
        guarantees: ["progress"],
        edits: [
          [
            'const FENCED = new Set(["ILLEGAL_GENERATION",',
            'const FENCED = new Set(["UNKNOWN_TOPIC_OR_PARTITION", "ILLEGAL_GENERATION",',
          ],
        ],
      }),
  }),
];
