import { CreateQueueCommand, DeleteQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../sim/brokers/sqs/sqs-client.ts";
import { sqs, sqsFifo } from "../../sim/brokers/sqs/sqs-broker.ts";
import { sqsCalls } from "../brokers/drawn/sqs.ts";
import { SQS } from "../brokers/observed/sqs.ts";
import { SQS_FIFO } from "../brokers/observed/sqs-fifo.ts";
import { ELASTICMQ_COMMANDS, sqsClientOf, startElasticMq } from "./elasticmq-server.ts";
import { ElasticMqAsAws } from "./elasticmq-as-aws.ts";
import { testDrawn } from "./test-drawn.ts";
import { type RealBroker, testReal } from "./test-real.ts";

const QUEUES = ["orders", "others"];

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

const ELASTICMQ: RealBroker<SqsClient> = {
  name: "ElasticMQ",
  commands: ELASTICMQ_COMMANDS,
  start: () => startElasticMq("none"),
  async stage({ port }) {
    const client = sqsClientOf(port);
    for (const QueueName of QUEUES) {
      await client
        .send(new DeleteQueueCommand({ QueueUrl: `https://sqs/0/${QueueName}` }))
        .catch(() => undefined);
      await client.send(new CreateQueueCommand({ QueueName }));
    }
    return {
      // The model's client is typed as the part of the SDK that it has.
      client: client as unknown as SqsClient,
      async publish(ref) {
        const MessageBody = JSON.stringify({ ref, key: "key-1" });
        await client.send(
          new SendMessageCommand({ QueueUrl: "https://sqs/0/orders", MessageBody }),
        );
      },
      operations: {},
      close() {
        client.destroy();
        return Promise.resolve();
      },
    };
  },
};

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
});
