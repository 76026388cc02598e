import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { BROKER_CRASHES, errorFacts, type Observation, outcomeOf } from "./observation.ts";

type Connection = Awaited<ReturnType<AmqpClient["connect"]>>;

/** Longer than a server on the same machine needs for anything. */
const SOON_MS = 100;

/** Asks on a channel of its own, which a refusal closes. */
async function asked(
  connection: Connection,
  ask: (channel: Awaited<ReturnType<Connection["createConfirmChannel"]>>) => Promise<unknown>,
): Promise<unknown> {
  const channel = await connection.createConfirmChannel();
  channel.on("error", () => undefined);
  const outcome = (await outcomeOf(() => ask(channel))) as { readonly code?: number };
  return outcome.code ?? outcome;
}

/** What is left when the node was killed. */
export const CRASHED: readonly Observation<AmqpClient>[] = [
  {
    name: "what a killed node tells its clients",
    async play(stage) {
      const connection = await stage.client.connect("amqp://localhost");
      const told: unknown[] = [];
      for (const name of ["error", "close"]) {
        connection.on(name, (error: Error) => told.push({ event: name, ...errorFacts(error) }));
      }
      const channel = await connection.createChannel();
      channel.on("error", () => told.push("channel error"));
      channel.on("close", () => told.push("channel close"));
      await stage.operate(BROKER_CRASHES);
      told.push(await outcomeOf(() => connection.createChannel()));
      return told;
    },
    real: [
      {
        ...{ event: "error", name: "Error", message: "read ECONNRESET", code: "ECONNRESET" },
      },
      "channel close",
      {
        ...{ event: "close", name: "Error", message: "read ECONNRESET", code: "ECONNRESET" },
      },
      {
        name: "IllegalOperationError",
        message: "Connection closed (Error: read ECONNRESET)",
      },
    ],
  },
  {
    name: "what outlives a killed node, and as what it comes again",
    async play(stage) {
      const before = await stage.client.connect("amqp://localhost");
      before.on("error", () => undefined);
      const channel = await before.createConfirmChannel();
      await channel.assertQueue("kept");
      await channel.assertQueue("sorted", { maxPriority: 2 });
      await channel.assertQueue("brief", { durable: false });
      await channel.assertQueue("used", { autoDelete: true });
      await channel.assertExchange("all", "fanout");
      await channel.assertExchange("some", "fanout", { durable: false });
      for (const exchange of ["all", "some"]) await channel.bindQueue("kept", exchange, "");
      for (const queue of ["kept", "sorted", "brief"]) {
        channel.sendToQueue(queue, Buffer.from("written"), { persistent: true });
        channel.sendToQueue(queue, Buffer.from("not written"));
        channel.sendToQueue(queue, Buffer.from("written, too"), { persistent: true });
      }
      await channel.waitForConfirms();
      await channel.get("kept");
      await channel.consume("used", () => undefined);
      await stage.operate(BROKER_CRASHES);
      const connection = await stage.client.connect("amqp://localhost");
      const seen: Record<string, unknown> = {};
      for (const queue of ["kept", "sorted", "brief", "used"]) {
        seen[queue] = await asked(connection, async (reading) => {
          const found: unknown[] = [];
          for (;;) {
            const message = await reading.get(queue, { noAck: true });
            if (message === false) return found;
            found.push([message.content.toString(), message.fields.redelivered]);
          }
        });
      }
      for (const exchange of ["all", "some"]) {
        seen[exchange] = await asked(connection, async (sending) => {
          await sending.checkExchange(exchange);
          sending.publish(exchange, "", Buffer.from("new"));
          await sending.waitForConfirms();
          const message = await sending.get("kept", { noAck: true });
          return message && message.fields.redelivered;
        });
      }
      await stage.pass(SOON_MS);
      await connection.close();
      return seen;
    },
    real: {
      kept: [
        ["written", true],
        ["written, too", true],
      ],
      sorted: [
        ["written", true],
        ["written, too", true],
      ],
      brief: 404,
      used: [],
      all: false,
      some: 404,
    },
  },
];
