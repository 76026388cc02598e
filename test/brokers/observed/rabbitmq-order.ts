import type { AmqpConnection } from "../../../sim/brokers/rabbitmq/connection.ts";
import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import type { Observation } from "./observation.ts";

const SOON_MS = 300;
const TO_WORK = { "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "work" };
const TO_RETRY = { "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "work.retry" };
const DELIVERY = ["consumerTag", "deliveryTag", "redelivered", "exchange", "routingKey"];

/** The names of a table's fields, in their order; those of a list's tables below. */
function namesIn(table: object): readonly unknown[] {
  return Object.entries(table).map(([name, value]) => {
    const below: unknown = value;
    return Array.isArray(below) ? [name, ...below.map((one: object) => Object.keys(one))] : name;
  });
}

/** Returns what a consumer gets of a message that it gives back until it has come so often. */
async function givenBack(
  connection: AmqpConnection,
  pass: (ms: number) => Promise<void>,
  {
    queue,
    count,
    requeue,
  }: { readonly queue: string; readonly count: number; readonly requeue: boolean },
): Promise<readonly unknown[]> {
  const channel = await connection.createChannel();
  const seen: unknown[] = [];
  await channel.consume(queue, (message) => {
    if (message === null) return;
    seen.push([Object.keys(message.fields), namesIn(message.properties.headers ?? {})]);
    if (seen.length < count) channel.nack(message, false, requeue);
    else channel.ack(message);
  });
  channel.sendToQueue(queue, Buffer.from("1"), { headers: { z: 1, "x-a": 2, b: 3 } });
  for (let looks = 0; looks < 10 && seen.length < count; looks += 1) await pass(SOON_MS);
  return seen;
}

const FIRST = [["count", "reason", "queue", "time", "exchange", "routing-keys"]];
const SORTED = ["count", "exchange", "queue", "reason", "routing-keys", "time"];
const OF_FIRST = ["x-first-death-exchange", "x-first-death-queue", "x-first-death-reason", "z"];

/** In which order fields come, as who logs a message sees it, and which methods there are. */
export const ORDER: readonly Observation<AmqpClient>[] = [
  {
    name: "fields of what is dead-lettered come sorted, but for those of the first death",
    async play({ client, pass }) {
      const connection = await client.connect("amqp://localhost");
      const channel = await connection.createChannel();
      await channel.assertQueue("work", { arguments: TO_RETRY });
      await channel.assertQueue("work.retry", { arguments: { ...TO_WORK, "x-message-ttl": 100 } });
      const seen = await givenBack(connection, pass, { queue: "work", count: 3, requeue: false });
      await connection.close();
      return seen;
    },
    real: [
      [DELIVERY, ["z", "x-a", "b"]],
      [DELIVERY, ["b", "x-a", ["x-death", SORTED, ...FIRST], ...OF_FIRST]],
      [DELIVERY, ["b", "x-a", ["x-death", SORTED, SORTED], ...OF_FIRST]],
    ],
  },
  {
    name: "fields come sorted where a quorum queue counts deliveries",
    async play({ client, pass }) {
      const connection = await client.connect("amqp://localhost");
      const channel = await connection.createChannel();
      const quorum = { durable: true, arguments: { "x-queue-type": "quorum" } };
      await channel.assertQueue("work", quorum);
      const seen = await givenBack(connection, pass, { queue: "work", count: 2, requeue: true });
      await connection.close();
      return seen;
    },
    real: [
      [DELIVERY, ["z", "x-a", "b"]],
      [DELIVERY, ["b", "x-a", "x-delivery-count", "z"]],
    ],
  },
  {
    name: "a channel without confirms has no method that waits for them",
    async play({ client }) {
      const connection = await client.connect("amqp://localhost");
      const channel = (await connection.createChannel()) as Awaited<
        ReturnType<AmqpConnection["createConfirmChannel"]>
      >;
      const kind = typeof channel.waitForConfirms;
      await connection.close();
      return kind;
    },
    real: "undefined",
  },
];
