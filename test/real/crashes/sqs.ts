import {
  CreateQueueCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { ELASTICMQ_COMMANDS, sqsClientOf, startElasticMq } from "../elasticmq-server.ts";
import { bodyOf, type CrashBroker, refOf } from "./crash-broker.ts";

const QUEUE = { QueueUrl: "https://sqs/0/orders" };
const DEAD_LETTERS = { QueueUrl: "https://sqs/0/orders-dead" };
const RECEIVE = { MaxNumberOfMessages: 10, VisibilityTimeout: 43_200 };

export const BROKER: CrashBroker = {
  name: "ElasticMQ",
  commands: ELASTICMQ_COMMANDS,
  correct: "sqs",
  naive: "naive-sqs",
  silenceMs: 3_500,
  start: () => startElasticMq("database"),
  async open({ port }) {
    const client = sqsClientOf(port);
    for (const { QueueUrl } of [QUEUE, DEAD_LETTERS]) {
      const QueueName = QueueUrl.replace(/.*\//, "");
      await client.send(new DeleteQueueCommand({ QueueUrl })).catch(() => undefined);
      await client.send(new CreateQueueCommand({ QueueName }));
    }
    const dead = new Set<string>();
    return {
      async publish(refs) {
        for (const ref of refs) {
          await client.send(new SendMessageCommand({ ...QUEUE, MessageBody: bodyOf(ref) }));
        }
      },
      async deadLetters() {
        for (;;) {
          const receive = new ReceiveMessageCommand({ ...DEAD_LETTERS, ...RECEIVE });
          const { Messages = [] } = await client.send(receive);
          if (Messages.length === 0) return dead;
          for (const { Body } of Messages) dead.add(refOf(JSON.parse(Body ?? "{}")));
        }
      },
      close() {
        client.destroy();
        return Promise.resolve();
      },
    };
  },
  connect: (port) => Promise.resolve(() => sqsClientOf(port)),
};
