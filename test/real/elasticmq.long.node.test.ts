import { CreateQueueCommand, DeleteQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../sim/brokers/sqs/sqs-client.ts";
import { sqs, sqsFifo } from "../../sim/brokers/sqs/sqs-broker.ts";
import { sqsCalls } from "../brokers/drawn/sqs.ts";
import { SQS_INPUTS } from "../brokers/drawn/sqs-inputs.ts";
import { SQS } from "../brokers/observed/sqs.ts";
import { SQS_FIFO } from "../brokers/observed/sqs-fifo.ts";
import { sqsClientOf } from "./elasticmq-server.ts";
import { ELASTICMQ } from "./elasticmq-broker.ts";
import { ElasticMqAsAws } from "./elasticmq-as-aws.ts";
import { testDrawn } from "./test-drawn.ts";
import { type RealBroker, testReal } from "./test-real.ts";

/** Each sequence has a queue of its own. */
function drawnOn(kind: "standard" | "fifo"): RealBroker<SqsClient> {
  let staged = 0;
  return {
    ...ELASTICMQ,
    async stage({ port }) {
      staged += 1;
      const name = `${kind}-${staged}`;
      const isFifo = kind === "fifo";
      const QueueName = isFifo ? `${name}.fifo` : name;
      const client = sqsClientOf(port);
      const QueueUrl = `https://sqs/0/${QueueName}`;
      const Attributes = isFifo ? { FifoQueue: "true" } : {};
      await client.send(new CreateQueueCommand({ QueueName, Attributes }));
      return {
        client: new ElasticMqAsAws(client, QueueUrl, kind) as unknown as SqsClient,
        async publish(ref, key) {
          const fifo = { MessageGroupId: key, MessageDeduplicationId: ref };
          await client.send(
            new SendMessageCommand({
              ...{ QueueUrl, MessageBody: JSON.stringify({ ref, key }) },
              ...(isFifo ? fifo : {}),
            }),
          );
        },
        operations: {},
        async close() {
          await client.send(new DeleteQueueCommand({ QueueUrl }));
          client.destroy();
        },
      };
    },
  };
}

/** Each sequence has the queue of this name anew. */
const FIFO: RealBroker<SqsClient> = {
  ...ELASTICMQ,
  name: "ElasticMQ, FIFO",
  async stage({ port }) {
    const client = sqsClientOf(port);
    const QueueName = "orders.fifo";
    const QueueUrl = `https://sqs/0/${QueueName}`;
    await client.send(new DeleteQueueCommand({ QueueUrl })).catch(() => undefined);
    await client.send(new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: "true" } }));
    return {
      client: client as unknown as SqsClient,
      publish: () => Promise.reject(new Error("Sequences send messages themselves")),
      operations: {},
      close() {
        client.destroy();
        return Promise.resolve();
      },
    };
  },
};

const RUNS = { numRuns: 40, lanes: 8 };
testReal(SQS_FIFO, FIFO);
testReal(SQS, ELASTICMQ, (running) => {
  testDrawn(sqsCalls("standard"), drawnOn("standard"), () => sqs(), RUNS)(running);
  testDrawn(sqsCalls("fifo"), drawnOn("fifo"), () => sqsFifo(), RUNS)(running);
  // All sequences have the queues of one name, so that there is one lane.
  const known = { queue: "orders", deadLetterQueues: ["others"] };
  testDrawn(SQS_INPUTS, ELASTICMQ, () => sqs(known), { numRuns: 20, lanes: 1 })(running);
});
