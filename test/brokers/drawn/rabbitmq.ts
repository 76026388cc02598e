import * as fc from "fast-check";
import type { AmqpChannel } from "../../../sim/brokers/rabbitmq/channel.ts";
import type { AmqpConnection } from "../../../sim/brokers/rabbitmq/connection.ts";
import type { AmqpMessage } from "../../../sim/brokers/rabbitmq/message.ts";
import type { AmqpClient } from "../../../sim/brokers/rabbitmq/model.ts";
import { errorFacts, outcomeOf } from "../observed/observation.ts";
import type { DrawnSequences } from "./drawn.ts";

/** Which of the channel's deliveries; counted from the last, so that most are unsettled. */
type Nth = number;
type Call =
  | readonly ["publish", count: number]
  | readonly ["consume" | "get", Channel, { readonly noAck: boolean }]
  | readonly ["cancel", Channel]
  | readonly ["prefetch", Channel, count: number]
  | readonly ["ack", Channel, Nth, allUpTo: boolean]
  | readonly ["nack", Channel, Nth, allUpTo: boolean, requeue: boolean]
  | readonly ["reject", Channel, Nth, requeue: boolean]
  | readonly ["nackAll", Channel, requeue: boolean]
  | readonly ["ackAll" | "recover" | "close", Channel]
  | readonly ["purge" | "delete"];
/**
 * The first has the only consumer: which of several gets a message is modelled where they share a
 * channel and nothing is requeued.
 */
type Channel = "consuming" | "getting";

const channel = fc.constantFrom<Channel>("consuming", "consuming", "getting");
const nth = fc.nat({ max: 4 });
const flag = fc.boolean();
const options = fc.record({ noAck: fc.constantFrom(false, false, true) });
const op = <const Name extends Call[0]>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

const CALLS: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Call> }[] = [
  { weight: 6, arbitrary: fc.tuple(op("publish"), fc.integer({ min: 1, max: 4 })) },
  { weight: 4, arbitrary: fc.tuple(op("consume"), fc.constant("consuming" as const), options) },
  { weight: 3, arbitrary: fc.tuple(op("get"), channel, options) },
  { weight: 1, arbitrary: fc.tuple(op("cancel"), fc.constant("consuming" as const)) },
  { weight: 3, arbitrary: fc.tuple(op("prefetch"), channel, fc.constantFrom(0, 1, 2, 3)) },
  { weight: 5, arbitrary: fc.tuple(op("ack"), channel, nth, flag) },
  { weight: 4, arbitrary: fc.tuple(op("nack"), channel, nth, flag, flag) },
  { weight: 2, arbitrary: fc.tuple(op("reject"), channel, nth, flag) },
  { weight: 1, arbitrary: fc.tuple(op("nackAll"), channel, flag) },
  { weight: 1, arbitrary: fc.tuple(op("ackAll"), channel) },
  { weight: 1, arbitrary: fc.tuple(op("recover"), channel) },
  { weight: 1, arbitrary: fc.tuple(op("close"), channel) },
  { weight: 1, arbitrary: fc.tuple(op("purge")) },
  { weight: 1, arbitrary: fc.tuple(op("delete")) },
];

/** A channel of the sequence, and what it was given. */
interface Party {
  readonly name: Channel;
  channel: AmqpChannel;
  readonly received: AmqpMessage[];
  readonly told: unknown[];
  tags: string[];
  consumers: number;
}

/** What is published, consumed and settled on one queue, rightly and wrongly. */
export const RABBITMQ_CALLS: DrawnSequences<AmqpClient, Call> = {
  operation: fc.oneof(...CALLS),
  operationsMax: 20,
  async play({ client, publish }, calls) {
    const connection = await client.connect("amqp://localhost");
    connection.on("error", () => undefined);
    const parties = [await partyOf(connection, "consuming"), await partyOf(connection, "getting")];
    const watcher = await partyOf(connection, "getting");
    const seen: unknown[] = [];
    for (const call of calls) {
      const outcome = await outcomeOf(() => made(call, parties, watcher, publish));
      const counts = await settled(parties, watcher);
      const told = parties.map((party) => party.told.splice(0));
      seen.push([call, outcome, counts, told]);
      for (const [at, party] of parties.entries()) {
        if (told[at]?.includes("close") === true) await reopen(connection, party);
      }
    }
    await connection.close();
    return seen;
  },
};

async function partyOf(connection: AmqpConnection, name: Channel): Promise<Party> {
  const party = { name, received: [], told: [], tags: [], consumers: 0 };
  return { ...party, channel: await channelOf(connection, party) };
}

async function channelOf(
  connection: AmqpConnection,
  { told }: Pick<Party, "told">,
): Promise<AmqpChannel> {
  const channel = (await connection.createChannel()) as AmqpChannel;
  channel.on("error", (error: Error) => void told.push(["error", errorFacts(error)]));
  channel.on("close", () => void told.push("close"));
  return channel;
}

async function made(
  call: Call,
  parties: readonly Party[],
  { channel: watching }: Party,
  publish: (count: number) => Promise<void>,
): Promise<unknown> {
  if (call[0] === "publish") return publish(call[1]);
  if (call[0] === "purge") return watching.purgeQueue("orders");
  if (call[0] === "delete") {
    const deleted = await watching.deleteQueue("orders");
    return [deleted, await watching.assertQueue("orders")];
  }
  const party = parties.find(({ name }) => name === call[1]) as Party;
  const { channel, received, tags } = party;
  const message = received.at(-1 - Number(call[2] ?? 0));
  switch (call[0]) {
    case "consume":
      return consume(party, call[2]);
    case "get": {
      const got = await channel.get("orders", call[2]);
      if (got === false) return got;
      received.push(got as unknown as AmqpMessage);
      return [got.fields, refOf(got)];
    }
    case "cancel": {
      const tag = tags.shift();
      return tag === undefined ? "no consumer" : channel.cancel(tag);
    }
    case "prefetch":
      return channel.prefetch(call[2]);
    case "ack":
      return message === undefined ? "no delivery" : channel.ack(message, call[3]);
    case "nack":
      return message === undefined ? "no delivery" : channel.nack(message, call[3], call[4]);
    case "reject":
      return message === undefined ? "no delivery" : channel.reject(message, call[3]);
    case "nackAll":
      return channel.nackAll(call[2]);
    default:
      return channel[call[0]]();
  }
}

async function consume(party: Party, options: { readonly noAck: boolean }): Promise<unknown> {
  const { channel, received, told, tags } = party;
  if (tags.length > 0) return "one consumer";
  party.consumers += 1;
  const consumerTag = `consumer-${party.consumers}`;
  tags.push(consumerTag);
  const onMessage = (message: AmqpMessage | null): void => {
    if (message !== null) received.push(message);
    told.push(message === null ? "cancelled" : [message.fields, refOf(message)]);
  };
  return channel.consume("orders", onMessage, { ...options, consumerTag });
}

/**
 * Resolves when the queue has taken what each channel sent before, and the channels what the queue
 * has sent: a request goes the same way, and its reply comes the same way back.
 */
async function settled(parties: readonly Party[], watcher: Party): Promise<unknown> {
  for (const { channel } of [...parties, ...parties]) {
    await outcomeOf(() => channel.checkQueue("orders"));
  }
  return outcomeOf(() => watcher.channel.checkQueue("orders"));
}

/** A channel that was closed is opened anew; its deliveries can be settled no more. */
async function reopen(connection: AmqpConnection, party: Party): Promise<void> {
  party.channel = await channelOf(connection, party);
  party.received.length = 0;
  party.tags = [];
}

function refOf({ content }: { readonly content: { toString(): string } }): unknown {
  return (JSON.parse(content.toString()) as { ref: string }).ref;
}
