import { CreateQueueCommand, DeleteQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../sim/brokers/sqs/sqs-client.ts";
import { ELASTICMQ_COMMANDS, sqsClientOf, startElasticMq } from "./elasticmq-server.ts";
import type { RealBroker } from "./test-real.ts";

const QUEUES = ["orders", "others"];

/** Each sequence has these queues anew. */
export const ELASTICMQ: RealBroker<SqsClient> = {
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
