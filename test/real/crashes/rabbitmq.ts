import { type ConfirmChannel, connect } from "amqplib";
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
    await withChannel(port, async (channel) => {
      await channel.deleteQueue(RETRIES);
      for (const queue of ["orders", DEAD_LETTERS]) {
        await channel.deleteQueue(queue);
        await channel.assertQueue(queue);
      }
    });
    return {
      // A connection each time: the server may have been killed in between.
      publish: (refs) =>
        withChannel(port, async (channel) => {
          for (const ref of refs) {
            const content = Buffer.from(bodyOf(ref));
            channel.sendToQueue("orders", content, { messageId: ref, persistent: true });
          }
          await channel.waitForConfirms();
        }),
      // What is not acknowledged returns to the queue.
      deadLetters: () =>
        withChannel(port, async (channel) => {
          const refs = new Set<string>();
          for (;;) {
            const message = await channel.get(DEAD_LETTERS);
            if (message === false) return refs;
            refs.add(refOfBody(message.content));
          }
        }),
      close: () => Promise.resolve(),
    };
  },
  connect: (port) => Promise.resolve(() => ({ connect: () => connect(urlOf(port)) })),
};

/** Connects for the time of `use`, also where that fails: an open connection disturbs other tests. */
async function withChannel<T>(
  port: number,
  use: (channel: ConfirmChannel) => Promise<T>,
): Promise<T> {
  const connection = await connect(urlOf(port));
  // What goes wrong rejects the calls as well.
  connection.on("error", () => undefined);
  try {
    const channel = await connection.createConfirmChannel();
    channel.on("error", () => undefined);
    return await use(channel);
  } finally {
    await connection.close().catch(() => undefined);
  }
}

function urlOf(port: number): string {
  return `amqp://guest:guest@127.0.0.1:${port}`;
}
