import type { AmqpMessage } from "../../../sim/brokers/rabbitmq/message.ts";
import { type AmqpClient, rabbitmq } from "../../../sim/brokers/rabbitmq/model.ts";
import type { Dice } from "../../../sim/choices/dice.ts";
import { type Actor, testTurns } from "./turns.ts";

type Connection = Awaited<ReturnType<AmqpClient["connect"]>>;
type Channel = Awaited<ReturnType<Connection["createConfirmChannel"]>>;
type Client = Actor<AmqpClient>;

const PAUSES_MS = [0, 0, 1, 20, 300, 2_000, 9_000];
/** The first is the workload's. */
const QUEUES = ["orders", "orders", "orders.dead"];
/** One has the name of an exchange. */
const OWN_QUEUES = ["q1", "q2", "fan", "quorum"];
const EXCHANGES = ["logs", "fan", "heads", "straight"];
const KINDS = { logs: "topic", fan: "fanout", heads: "headers", straight: "direct" } as const;
const KEYS = ["a", "a.b", "a.b.c", "b", "#", "*.b", "a.#", ""];

interface Watched {
  on(event: string, listener: (about: unknown) => void): unknown;
}

/** A channel, and what it was given and has not settled, as far as its user knows. */
interface Party {
  readonly who: string;
  readonly channel: Channel;
  readonly given: AmqpMessage[];
  readonly tags: string[];
  isClosed: boolean;
}

function watch({ note }: Client, who: string, emitter: Watched, events: readonly string[]): void {
  for (const event of events) {
    emitter.on(event, (about) => {
      const { fields } = (about ?? {}) as { readonly fields?: object };
      note(`${who} ${event}`, about instanceof Error ? String(about) : fields);
    });
  }
}

function argumentsFrom(dice: Dice, queue: string): object {
  const mine = {
    ...(dice.oneIn(3) ? { messageTtl: dice.from([1, 900, 5_000]) } : {}),
    ...(dice.oneIn(3) ? { maxLength: dice.from([1, 2, 5]) } : {}),
    ...dice.from([
      {},
      { deadLetterExchange: "", deadLetterRoutingKey: dice.from(OWN_QUEUES) },
      { deadLetterExchange: dice.from(["fan", "logs", "none"]) },
    ]),
    ...(dice.oneIn(6) ? { expires: dice.from([1, 2_000, 8_000]) } : {}),
  };
  const overflow = dice.from(["drop-head", "reject-publish", "reject-publish-dlx"]);
  const others = {
    ...(dice.oneIn(3) ? { "x-overflow": overflow } : {}),
    ...(dice.oneIn(5) ? { "x-max-length-bytes": dice.from([4, 30]) } : {}),
    ...(dice.oneIn(5) ? { "x-single-active-consumer": dice.oneIn(2) } : {}),
  };
  if (queue === "quorum") {
    const limit = dice.oneIn(2) ? { "x-delivery-limit": dice.below(3) } : {};
    return { ...mine, arguments: { ...others, ...limit, "x-queue-type": "quorum" } };
  }
  return {
    ...mine,
    ...(dice.oneIn(4) ? { maxPriority: 5 } : {}),
    ...(dice.oneIn(16) ? { exclusive: true } : {}),
    ...(dice.oneIn(4) ? { autoDelete: true } : {}),
    ...(dice.oneIn(4) ? { durable: false } : {}),
    arguments: others,
  };
}

async function open(
  actor: Client,
  connection: Connection,
  who: string,
): Promise<Party | undefined> {
  const { call, dice } = actor;
  let party: Party | undefined;
  await call(`${who} opens`, async () => {
    const channel = dice.oneIn(3)
      ? ((await connection.createChannel()) as Channel)
      : await connection.createConfirmChannel();
    party = { who, channel, given: [], tags: [], isClosed: false };
    watch(actor, who, channel, ["error", "return", "drain"]);
    const opened = party;
    channel.on("close", () => {
      opened.isClosed = true;
      actor.note(`${who} close`);
    });
  });
  return party;
}

/** What queues the programs of a world have. */
type Declared = ReadonlyMap<string, object>;

async function work(actor: Client, declared: Declared): Promise<void> {
  const { client, dice, call, pass } = actor;
  for (let round = 1; ; round += 1) {
    let isClosed = false;
    const connected = await call("connects", async () => {
      const made = await client.connect("amqp://guest:guest@localhost");
      watch(actor, `connection ${round}`, made, ["error", "blocked", "unblocked"]);
      made.on("close", () => {
        isClosed = true;
        actor.note(`connection ${round} close`);
      });
      return { made, toJSON: () => "a connection" };
    });
    if (connected === undefined) {
      await pass(dice.from(PAUSES_MS));
      continue;
    }
    const connection = connected.made;
    const parties: Party[] = [];
    let isSetUp = false;
    for (let left = 8 + dice.below(40); left > 0; left -= 1) {
      await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(4) ? 7 : 5)));
      const there = parties.filter((party) => !party.isClosed || dice.oneIn(8));
      if (there.length < 2) {
        const party = await open(actor, connection, `channel ${round}.${parties.length + 1}`);
        if (party !== undefined) parties.push(party);
        if (party === undefined || isClosed) break;
        continue;
      }
      if (!isSetUp) await setUp(actor, there[0] as Party, declared);
      isSetUp = true;
      const party = dice.from(there);
      await (dice.oneIn(4) ? declare(actor, party, declared) : turn(actor, party));
    }
    if (!dice.oneIn(4)) await call("closes", () => connection.close());
    await pass(dice.from(PAUSES_MS));
  }
}

function queueFrom(dice: Dice): string {
  return dice.oneIn(20) ? "nothing" : dice.from([...QUEUES, ...OWN_QUEUES]);
}

function exchangeFrom(dice: Dice): string {
  return dice.oneIn(20) ? "none" : dice.from(EXCHANGES);
}

async function setUp(actor: Client, { channel }: Party, declared: Declared): Promise<void> {
  const { dice, call } = actor;
  for (const [queue, options] of declared) {
    if (!dice.oneIn(5)) await call(`asserts ${queue}`, () => channel.assertQueue(queue, options));
  }
  for (const [exchange, kind] of Object.entries(KINDS)) {
    if (!dice.oneIn(5))
      await call(`asserts ${exchange}`, () => channel.assertExchange(exchange, kind));
  }
  for (let left = 3; left > 0; left -= 1) {
    const [queue, exchange] = [dice.from([...QUEUES, ...OWN_QUEUES]), dice.from(EXCHANGES)];
    await call("binds", () => channel.bindQueue(queue, exchange, dice.from(KEYS)));
  }
}

async function declare(actor: Client, party: Party, declared: Declared): Promise<void> {
  const { dice, call } = actor;
  const { channel, who } = party;
  const [queue, other] = [queueFrom(dice), dice.from(OWN_QUEUES)];
  const [exchange, target] = [exchangeFrom(dice), exchangeFrom(dice)];
  const [key, kind] = [dice.from(KEYS), KINDS[exchange as keyof typeof KINDS] ?? "topic"];
  const match = dice.from([{}, { "x-match": "all", a: 1 }, { "x-match": "any", a: 1, b: "2" }]);
  switch (dice.below(12)) {
    case 0:
    case 1:
      await call(`${who} asserts ${other}`, () =>
        channel.assertQueue(
          other,
          dice.oneIn(8) ? argumentsFrom(dice, other) : declared.get(other),
        ),
      );
      return;
    case 2:
      await call(`${who} checks ${queue}`, () => channel.checkQueue(queue));
      return;
    case 3:
      await call(`${who} purges ${queue}`, () => channel.purgeQueue(queue));
      return;
    case 4: {
      const how = { ifUnused: dice.oneIn(2), ifEmpty: dice.oneIn(2) };
      await call(`${who} deletes ${other}`, () => channel.deleteQueue(other, how));
      return;
    }
    case 5:
    case 6: {
      const how = {
        ...(dice.oneIn(4) ? { autoDelete: true } : {}),
        ...(dice.oneIn(4) ? { internal: true } : {}),
        ...(dice.oneIn(4) ? { alternateExchange: "fan" } : {}),
      };
      await call(`${who} asserts ${exchange}`, () =>
        channel.assertExchange(exchange, dice.oneIn(8) ? "fanout" : kind, how),
      );
      return;
    }
    case 7:
      await call(`${who} checks ${exchange}`, () => channel.checkExchange(exchange));
      return;
    case 8:
      await call(`${who} deletes ${exchange}`, () =>
        channel.deleteExchange(exchange, { ifUnused: dice.oneIn(2) }),
      );
      return;
    case 9:
      await call(`${who} binds ${queue}`, () => channel.bindQueue(queue, exchange, key, match));
      return;
    case 10:
      await call(`${who} unbinds`, () =>
        dice.oneIn(2)
          ? channel.unbindQueue(queue, exchange, key, match)
          : channel.unbindExchange(target, exchange, key),
      );
      return;
    default:
      await call(`${who} binds ${exchange}`, () => channel.bindExchange(target, exchange, key));
  }
}

async function turn(actor: Client, party: Party): Promise<void> {
  const { dice, call, publish, note } = actor;
  const { channel, who, given, tags } = party;
  const queue = queueFrom(dice);
  const message = given.at(-1 - dice.below(4));
  const [flag, other] = [dice.oneIn(2), dice.oneIn(2)];
  switch (dice.below(20)) {
    case 0:
    case 1:
      await consume(actor, party, queue);
      return;
    case 2: {
      const got = await call(`${who} gets`, () => channel.get(queue, { noAck: dice.oneIn(4) }));
      if (got !== undefined && got !== false) given.push(got as unknown as AmqpMessage);
      return;
    }
    case 3:
    case 4:
    case 5:
      if (message !== undefined) await call(`${who} acks`, () => channel.ack(message, flag));
      return;
    case 6:
      if (message !== undefined)
        await call(`${who} nacks`, () => channel.nack(message, flag, other));
      return;
    case 7:
      if (message !== undefined) await call(`${who} rejects`, () => channel.reject(message, flag));
      return;
    case 8:
      await call(`${who} settles all`, () => (flag ? channel.ackAll() : channel.nackAll(other)));
      return;
    case 9:
      await call(`${who} prefetches`, () => channel.prefetch(dice.below(4), dice.oneIn(4)));
      return;
    case 10:
      await call(`${who} recovers`, () => channel.recover());
      return;
    case 11:
      await call(`${who} cancels`, () =>
        channel.cancel((dice.oneIn(8) ? undefined : tags.shift()) ?? "nobody"),
      );
      return;
    case 12:
      if (dice.oneIn(3)) await call(`${who} closes`, () => channel.close());
      return;
    case 13:
      if (dice.oneIn(2)) void call(`${who} waits for confirms`, () => channel.waitForConfirms());
      publish(dice.below(4), dice.from(["key-1", "key-2"]));
      return;
    default: {
      const [exchange, key] = dice.oneIn(2)
        ? ["", queue]
        : [exchangeFrom(dice), dice.from(KEYS.slice(0, 4))];
      const options = {
        ...(dice.oneIn(3) ? { mandatory: true } : {}),
        ...(dice.oneIn(3) ? { expiration: dice.from(["0", "700", "x", 4_000]) } : {}),
        ...(dice.oneIn(3) ? { priority: dice.below(7) } : {}),
        ...(dice.oneIn(3) ? { persistent: true } : {}),
        ...(dice.oneIn(3) ? { headers: { a: 1, b: dice.from(["2", 3]) } } : {}),
        ...(dice.oneIn(6) ? { CC: ["q1"], BCC: "q2" } : {}),
      };
      await call(`${who} publishes to ${exchange} ${key}`, () =>
        channel.publish(
          exchange,
          key,
          Buffer.from(dice.from(["1", "12345", ""])),
          options,
          (error) => note(`${who} is confirmed`, error === null ? "well" : String(error)),
        ),
      );
    }
  }
}

async function consume(actor: Client, party: Party, queue: string): Promise<void> {
  const { dice, note, call } = actor;
  const { who, channel, given, tags } = party;
  const consumerTag = `${who} of ${queue}`;
  const options = {
    ...(dice.oneIn(6) ? {} : { consumerTag }),
    ...(dice.oneIn(5) ? { noAck: true } : {}),
    ...(dice.oneIn(6) ? { exclusive: true } : {}),
    ...(dice.oneIn(3) ? { priority: dice.below(3) } : {}),
  };
  const take = (message: AmqpMessage | null): void => {
    if (message === null) return note(`${consumerTag} is cancelled`);
    const { fields, properties, content } = message;
    note(`${consumerTag} gives`, [fields, properties.headers, content.toString()]);
    given.push(message);
    if (dice.oneIn(3)) void call(`${who} acks at once`, () => channel.ack(message));
  };
  const consuming = await call(`${who} consumes`, () => channel.consume(queue, take, options));
  if (consuming !== undefined) tags.push(consuming.consumerTag);
}

testTurns({
  name: "rabbitmq",
  createWorld: (dice) => {
    const declared = new Map(OWN_QUEUES.map((queue) => [queue, argumentsFrom(dice, queue)]));
    const act = (actor: Client): Promise<void> => work(actor, declared);
    return { model: rabbitmq(), actors: { one: act, two: act } };
  },
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 30,
  untilMs: 60_000,
});
