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

/** Queues of other kinds, and what is asked amiss: each ends its channel, if the node refuses it. */
async function tryOut(stage: Stage): Promise<void> {
  const { client, call, note, pass } = stage;
  const connection = await client.connect("amqp://guest:guest@localhost").catch(() => undefined);
  if (connection === undefined) return note("nothing can be tried out");
  connection.on("error", (error: Error) => note("the connection fails", String(error)));
  const others: readonly (readonly [what: string, ask: (channel: Channel) => unknown])[] = [
    ["few bytes", (c) => c.assertQueue("few", { arguments: { "x-max-length-bytes": 8 } })],
    ["sends to few", (c) => c.sendToQueue("few", Buffer.from("12345"))],
    ["sends to few again", (c) => c.sendToQueue("few", Buffer.from("67890"))],
    ["few now", (c) => c.checkQueue("few")],
    [
      "full",
      (c) =>
        c.assertQueue("full", {
          ...{ maxLength: 1, deadLetterExchange: "", deadLetterRoutingKey: "few" },
          arguments: { "x-overflow": "reject-publish-dlx" },
        }),
    ],
    ["sends to full", (c) => c.sendToQueue("full", Buffer.from("1"))],
    ["sends to full again", (c) => c.sendToQueue("full", Buffer.from("2"))],
    ["waits", (c) => c.waitForConfirms()],
    ["full now", (c) => c.checkQueue("full")],
    ["quorum", (c) => c.assertQueue("quorum", { arguments: { "x-queue-type": "quorum" } })],
    ["sends to quorum", (c) => c.sendToQueue("quorum", Buffer.from("1"), { deliveryMode: true })],
    [
      "quorum with an end",
      (c) =>
        c.assertQueue("q2", {
          autoDelete: true,
          arguments: { "x-queue-type": "quorum" },
        }),
    ],
    ["prefetches for all", (c) => c.prefetch(5, true)],
    ["reads quorum", (c) => c.consume("quorum", () => undefined)],
    ["passing", (c) => c.assertQueue("passing", { autoDelete: true, exclusive: true })],
    ["reads passing", (c) => c.consume("passing", () => undefined, { consumerTag: "p" })],
    ["deletes passing if unused", (c) => c.deleteQueue("passing", { ifUnused: true })],
    ["leaves passing", (c) => c.cancel("p")],
    ["passing now", (c) => c.checkQueue("passing")],
    ["deletes full if empty", (c) => c.deleteQueue("full", { ifEmpty: true })],
    ["purges full", (c) => c.purgeQueue("full")],
    ["deletes full", (c) => c.deleteQueue("full", { ifEmpty: true, ifUnused: true })],
    ["one", (c) => c.assertExchange("one", "fanout")],
    ["two", (c) => c.assertExchange("two", "headers")],
    ["binds both", (c) => c.bindExchange("two", "one", "")],
    ["binds by headers", (c) => c.bindQueue("few", "two", "", { "x-match": "all", a: 1 })],
    ["binds amiss", (c) => c.bindQueue("few", "two", "", { "x-match": "some", a: 1 })],
    ["sends by one", (c) => c.publish("one", "", Buffer.from("1"), { headers: { a: 1 } })],
    ["few at last", (c) => c.checkQueue("few")],
    ["unbinds both", (c) => c.unbindExchange("two", "one", "")],
    ["two as another", (c) => c.assertExchange("two", "direct")],
    ["few as another", (c) => c.assertQueue("few", { arguments: { "x-max-length-bytes": 9 } })],
    ["few as it was not", (c) => c.assertQueue("few", {})],
    ["a length that is none", (c) => c.assertQueue("l", { arguments: { "x-max-length": 1.5 } })],
    ["a length that is true", (c) => c.assertQueue("l", { arguments: { "x-max-length": true } })],
    ["a long length", (c) => c.assertQueue("l", { arguments: { "x-max-length": "long" } })],
    ["a listed length", (c) => c.assertQueue("l", { arguments: { "x-max-length": { a: 1 } } })],
    ["a negative length", (c) => c.assertQueue("l", { arguments: { "x-max-length": -1 } })],
    ["an overflow", (c) => c.assertQueue("l", { arguments: { "x-overflow": "burst" } })],
    ["sends as guest", (c) => c.publish("", "few", Buffer.from("1"), { userId: "guest" })],
    ["sends as somebody", (c) => c.publish("", "few", Buffer.from("1"), { userId: "somebody" })],
    ["waits for that", (c) => c.waitForConfirms()],
    ["prefetches text", (c) => c.prefetch("5" as unknown as number)],
    ["prefetches too much", (c) => c.prefetch(70_000)],
    ["prefetches nothing", (c) => c.prefetch(undefined)],
  ];
  for (const [what, ask] of others) {
    const channel = await call("a channel", () =>
      connection.createConfirmChannel().then((made) => ({ made, toJSON: () => "opened" })),
    );
    if (channel === undefined) continue;
    channel.made.on("error", (error: Error) => note("its channel fails", error.message));
    await call(what, () => ask(channel.made));
    await pass(20);
  }
  const plain = await call("a plain channel", () =>
    connection.createChannel().then((made) => ({ made, toJSON: () => "opened" })),
  );
  await call("waits in vain", () => (plain?.made as Channel | undefined)?.waitForConfirms());
  await call("has done", () => connection.close());
  await call("opens late", () => connection.createChannel());
}

async function work(stage: Stage): Promise<void> {
  stage.publish(3);
  for (const round of [1, 2]) await session(stage, round);
  await tryOut(stage);
}

testTroubles({
  name: "rabbitmq",
  createModel: () => rabbitmq(),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
