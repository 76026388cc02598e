import type { AmqpMessage } from "../../../sim/brokers/rabbitmq/message.ts";
import { type AmqpClient, rabbitmq } from "../../../sim/brokers/rabbitmq/model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<AmqpClient>;
type Connection = Awaited<ReturnType<AmqpClient["connect"]>>;
type Channel = Awaited<ReturnType<Connection["createConfirmChannel"]>>;

interface Watched {
  on(event: string, listener: (about: unknown) => void): unknown;
}

function watch({ note }: Stage, who: string, emitter: Watched, events: readonly string[]): void {
  for (const event of events) {
    emitter.on(event, (about) => {
      const { fields } = (about ?? {}) as { readonly fields?: object };
      note(`${who} ${event}`, about instanceof Error ? String(about) : fields);
    });
  }
}

/** Settles each message in another way, by how many came before it. */
function settle(channel: Channel, message: AmqpMessage, nth: number): void {
  if (nth % 6 === 1) channel.nack(message, false, !message.fields.redelivered);
  else if (nth % 6 === 2) channel.reject(message, false);
  else if (nth % 6 === 4) channel.ack(message, true);
  else if (nth % 6 !== 3) channel.ack(message);
}

async function consume(stage: Stage, channel: Channel, queue: string): Promise<void> {
  const { note, call, pass } = stage;
  let nth = 0;
  const handle = async (message: AmqpMessage): Promise<void> => {
    const { fields, properties, content } = message;
    const { deliveryTag, redelivered, routingKey } = fields;
    const { headers, messageId } = properties;
    const about = [deliveryTag, redelivered, routingKey, headers, messageId];
    note(`${queue} gives`, [...about, content.toString()]);
    await pass(400);
    nth += 1;
    await call("settles", () => settle(channel, message, nth));
  };
  const take = (message: AmqpMessage | null): void => {
    if (message === null) note(`${queue} is cancelled`);
    else void handle(message);
  };
  const options = { consumerTag: `of-${queue}` };
  await call(`consumes ${queue}`, () => channel.consume(queue, take, options));
}

/** Opens a connection with a channel; undefined where one of them fails. */
async function open(
  stage: Stage,
  who: string,
): Promise<{ connection: Connection; channel: Channel } | undefined> {
  const { client, call } = stage;
  let connection: Connection | undefined;
  let channel: Channel | undefined;
  await call(`${who} connects`, async () => {
    connection = await client.connect("amqp://guest:guest@localhost");
    watch(stage, who, connection, ["error", "close", "blocked", "unblocked"]);
  });
  await call(`${who} opens a channel`, async () => {
    channel = await connection?.createConfirmChannel();
    if (channel === undefined) return;
    watch(stage, `${who}'s channel`, channel, ["error", "close", "return", "drain"]);
  });
  return connection === undefined || channel === undefined ? undefined : { connection, channel };
}

async function session(stage: Stage, round: number): Promise<void> {
  const { publish, pass, call, note } = stage;
  const opened = await open(stage, `round ${round}`);
  if (opened === undefined) return await pass(3_000);
  const { connection, channel } = opened;
  await call("prefetches", () => channel.prefetch(3));
  const retry = { deadLetterExchange: "", deadLetterRoutingKey: "orders.dead", messageTtl: 6_000 };
  await call("declares", () => channel.assertQueue("retry", { ...retry, maxLength: 2 }));
  await call("declares an exchange", () => channel.assertExchange("logs", "topic"));
  await call("binds", () => channel.bindQueue("retry", "logs", "order.*.late"));
  await consume(stage, channel, "orders");
  await consume(stage, channel, "orders.dead");
  publish(4, `key-${round}`);
  await pass(6_000);
  for (const key of ["order.1.late", "order.2", "order.3.late", "order.4.late"]) {
    const options = { mandatory: true, messageId: key, persistent: true, headers: { round } };
    await call(`publishes ${key}`, () =>
      channel.publish("logs", key, Buffer.from(key), options, (error) =>
        note(`${key} is confirmed`, error === null ? "well" : String(error)),
      ),
    );
  }
  await call("waits for confirms", () => channel.waitForConfirms());
  await call("checks", () => channel.checkQueue("retry"));
  await pass(9_000);
  await call("cancels", () => channel.cancel("of-orders.dead"));
  const got = await call("gets", () => channel.get("orders.dead"));
  if (got !== undefined && got !== false) await call("gives back", () => channel.nack(got));
  publish(2);
  await pass(4_000);
  await call("recovers", () => channel.recover());
  await pass(4_000);
  await call("acks all", () => channel.ackAll());
  await call("checks what is not there", () => channel.checkQueue("nothing"));
  await pass(2_000);
  await call("closes the channel", () => channel.close());
  await call("closes", () => connection.close());
}

async function work(stage: Stage): Promise<void> {
  stage.publish(3);
  for (const round of [1, 2]) await session(stage, round);
}

testTroubles({
  name: "rabbitmq",
  createModel: () => rabbitmq(),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
