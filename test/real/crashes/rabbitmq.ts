import { connect } from "amqplib";
import { RABBITMQ_SERVER } from "../rabbitmq-server.ts";
import { bodyOf, type CrashBroker, type Orders, refOfBody } from "./crash-broker.ts";

const DEAD_LETTERS = "orders.dead";

/** What the producers that retry declare. */
const RETRIES = "orders.retry";

export const BROKER: CrashBroker = {
  name: RABBITMQ_SERVER.name,
  commands: RABBITMQ_SERVER.commands,
  correct: "rabbitmq",
  naive: "naive-rabbitmq",
  silenceMs: 3_500,
  start: () => RABBITMQ_SERVER.start(),
  async open({ port }): Promise<Orders> {
    const session = await connect(urlOf(port));
    const channel = await session.createChannel();
    await channel.deleteQueue(RETRIES);
    for (const queue of ["orders", DEAD_LETTERS]) {
      await channel.deleteQueue(queue);
      await channel.assertQueue(queue);
    }
    await session.close();
    return {
      // A connection each time: the server may have been killed in between.
      async publish(refs) {
        const connection = await connect(urlOf(port));
        const confirming = await connection.createConfirmChannel();
        for (const ref of refs) {
          const content = Buffer.from(bodyOf(ref));
          confirming.sendToQueue("orders", content, { messageId: ref, persistent: true });
        }
        await confirming.waitForConfirms();
        await connection.close();
      },
      async deadLetters() {
        const connection = await connect(urlOf(port));
        const reader = await connection.createChannel();
        const refs = new Set<string>();
        for (;;) {
          const message = await reader.get(DEAD_LETTERS);
          if (message === false) break;
          refs.add(refOfBody(message.content));
        }
        // What was not acknowledged returns to the queue.
        await connection.close();
        return refs;
      },
      close: () => Promise.resolve(),
    };
  },
  connect: (port) => Promise.resolve(() => ({ connect: () => connect(urlOf(port)) })),
};

function urlOf(port: number): string {
  return `amqp://guest:guest@127.0.0.1:${port}`;
}
