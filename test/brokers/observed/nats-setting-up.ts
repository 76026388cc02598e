import type { NatsClient, NatsConsumer } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../../sim/brokers/nats/message.ts";
import { errorFacts, type Observation, outcomeOf } from "./observation.ts";

type Stage = Parameters<Observation<NatsClient>["play"]>[0];
type Config = Parameters<
  Awaited<ReturnType<NatsClient["jetstreamManager"]>>["consumers"]["add"]
>[1];

const NANOS_PER_MS = 1_000_000;
/** As long as a server on the same machine needs at most for what an acknowledgement sets off. */
const SOON_MS = 200;

/** A consumer of one's own, and how far it has come. */
async function consumerOf({ client, pass }: Stage, config: Config) {
  const { consumers } = await client.jetstreamManager();
  const given = { durable_name: "own", ack_policy: "explicit", ...config } as const;
  await consumers.add("ORDERS", given);
  const consumer = await client.consumers.get("ORDERS", given.durable_name);
  const reached = async (): Promise<readonly unknown[]> => {
    await pass(SOON_MS);
    const { delivered, ack_floor, ...info } = await consumer.info();
    const places = [delivered, ack_floor].map((at) => [at.consumer_seq, at.stream_seq]);
    return [...places, info.num_ack_pending, info.num_redelivered, info.num_pending];
  };
  return { consumer, reached };
}

/** Fetches; of each message the sequence, how often it was delivered, and what remains. */
async function fetched(
  consumer: NatsConsumer,
  count: number,
  settle: (message: NatsMessage) => unknown = (message) => message.ack(),
): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const message of await consumer.fetch({ max_messages: count, expires: 1_000 })) {
    seen.push(`${message.seq}#${message.info.deliveryCount} of ${message.info.pending}`);
    settle(message);
  }
  return seen;
}

const told = async (call: () => unknown): Promise<unknown> => {
  const outcome = (await outcomeOf(call)) as Record<string, unknown>;
  return "message" in outcome ? outcome["message"] : "done";
};

/** Of subjects "a", "b", "a" and "c.d" below "orders". */
async function publishFour({ client }: Stage): Promise<void> {
  for (const subject of ["a", "b", "a", "c.d"]) await client.publish(`orders.${subject}`, "x");
}

const refused = (code: number, message: string, status = 400): object => ({
  name: "JetStreamApiError",
  ...{ message, code, status },
});
const TAKEN = refused(10_148, "consumer already exists");
const TOO_MANY = refused(10_074, "replicas > 1 not supported in non-clustered mode", 500);
const NEGATIVE = refused(10_133, "replicas count cannot be negative");

/** Some of what a caller may expect that is no expectation, or none that can hold. */
const NO_EXPECTATIONS: readonly object[] = [
  ...[{ lastSequence: Number.NaN }, { lastSequence: -1 }, { lastSequence: 1.5 }],
  ...[{ lastSequence: "9" }, { lastMsgID: "" }, { streamName: "" }, { lastMsgID: 5 }],
  ...[{ lastSubjectSequenceSubject: "orders.*" }, { lastSubjectSequence: 3 }],
  ...[
    { lastMsgID: "x" },
    { streamName: "x", lastSequence: 3 },
    { lastSequence: 3, lastMsgID: "x" },
  ],
  { lastSubjectSequence: 3, lastSequence: 33 },
];

/** What consumers are set up as, what publishers expect, what streams say of themselves. */
export const NATS_SETTING_UP: readonly Observation<NatsClient>[] = [
  {
    name: "how many replicas of a consumer a server alone takes",
    async play({ client }) {
      const { consumers } = await client.jetstreamManager();
      const facts = async (call: () => Promise<{ readonly config: Config }>): Promise<unknown> =>
        await outcomeOf(async () => (await call()).config.num_replicas);
      const add = (name: string, replicas: number, other: Config = {}): Promise<unknown> => {
        const config = { durable_name: name, num_replicas: replicas, ...other };
        return facts(() => consumers.add("ORDERS", config));
      };
      const seen = [await add("one", 1), await add("one", 1), await add("one", 0)];
      seen.push(await add("more", 3, { ack_wait: -1 }), await add("more", -1));
      seen.push(await add("none", 0), await add("none", 1));
      for (const replicas of [1, 3]) {
        const change = { num_replicas: replicas };
        seen.push(await facts(() => consumers.update("ORDERS", "none", change)));
      }
      seen.push(await facts(() => consumers.update("ORDERS", "one", { max_deliver: 3 })));
      return seen;
    },
    real: [1, 1, TAKEN, TOO_MANY, NEGATIVE, 0, TAKEN, 1, TOO_MANY, 1],
  },
  {
    name: "a publisher's expectations, and what it may not send",
    async play({ client }) {
      const subject = "dead.a";
      const first = await client.publish(subject, "1", { msgID: "one" });
      const expecting = (expect: object): Promise<unknown> =>
        told(() => client.publish(subject, "2", { expect }));
      return [
        first.seq,
        await expecting({ lastSequence: 9 }),
        await expecting({ streamName: "ORDERS" }),
        await expecting({ lastMsgID: "other" }),
        await expecting({ lastSubjectSequence: 7 }),
        await expecting({ lastSequence: 1, lastMsgID: "one", lastSubjectSequence: 1 }),
        await told(() => client.publish(subject, "3", { retries: 3 })),
        await told(() => client.publish("", "x")),
        await told(() => client.publish("dead.a b", "x")),
        await told(() => client.publish(subject, 5 as unknown as string)),
        await told(() => client.publish(subject, new Uint8Array(1_100_000))),
      ];
    },
    real: [
      1,
      "wrong last sequence: 1",
      "expected stream does not match",
      "wrong last msg ID: one",
      "wrong last sequence: 1",
      "done",
      "done",
      "illegal subject: ''",
      "illegal subject: 'dead.a b'",
      "payload types can be strings or Uint8Array",
      "'payload' max_payload size exceeded",
    ],
  },
  {
    name: "what is expected are headers: the message has them, and those that were given, too",
    async play({ client }) {
      const publish = async (expect: object, more: object = {}): Promise<unknown> => {
        const call = (): unknown => client.publish("orders.a", "x", { ...more, expect });
        const { duplicate, message, name } = (await outcomeOf(call)) as Record<string, unknown>;
        return duplicate ?? (name === "TypeError" ? name : message);
      };
      const all = { lastSequence: 1, lastMsgID: "one", streamName: "ORDERS" };
      const ofOthers = { lastSubjectSequence: 2, lastSubjectSequenceSubject: "orders.*" };
      const seen = [
        await publish({}, { msgID: "one" }),
        await publish({ ...all, lastSubjectSequence: 1 }),
        await publish(ofOthers),
        await publish({ lastSubjectSequence: 0, lastSubjectSequenceSubject: "orders.b" }),
      ];
      const { streams } = await client.jetstreamManager();
      const messageAt = (seq: number): ReturnType<typeof streams.getMessage> =>
        streams.getMessage("ORDERS", { seq });
      const headers = (await messageAt(1))?.header;
      headers?.append("a", "1");
      seen.push(await publish({ lastSequence: 4 }, { headers, msgID: "two" }), String(headers));
      for (let seq = 2; seq <= 5; seq += 1) seen.push(String((await messageAt(seq))?.header));
      // It has the same expectation, that fails now, although the stream has a message of this name.
      seen.push(
        await publish({}, { headers }),
        await publish({ lastSequence: 9 }, { msgID: "one" }),
      );
      for (const expect of NO_EXPECTATIONS) {
        seen.push(await publish(expect, { msgID: "one" }), await publish(expect));
      }
      return seen;
    },
    real: [
      false,
      false,
      false,
      false,
      false,
      "NATS/1.0\r\na: 1\r\nNats-Msg-Id: two\r\nNats-Expected-Last-Sequence: 4\r\n\r\n",
      "NATS/1.0\r\nNats-Expected-Last-Msg-Id: one\r\nNats-Expected-Stream: ORDERS\r\nNats-Expected-Last-Sequence: 1\r\nNats-Expected-Last-Subject-Sequence: 1\r\n\r\n",
      "NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: 2\r\nNats-Expected-Last-Subject-Sequence-Subject: orders.*\r\n\r\n",
      "NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: 0\r\nNats-Expected-Last-Subject-Sequence-Subject: orders.b\r\n\r\n",
      "NATS/1.0\r\na: 1\r\nNats-Msg-Id: two\r\nNats-Expected-Last-Sequence: 4\r\n\r\n",
      "wrong last sequence: 5",
      "wrong last sequence: 5",
      "wrong last sequence: 5",
      "wrong last sequence: 5",
      "wrong last sequence: 5",
      "wrong last sequence: 5",
      "wrong last sequence: 5",
      "wrong last sequence: 5",
      true,
      false,
      true,
      false,
      true,
      false,
      "TypeError",
      "TypeError",
      "missing sequence for expected last sequence per subject",
      "missing sequence for expected last sequence per subject",
      "wrong last sequence: 8",
      "wrong last sequence: 8",
      true,
      "wrong last msg ID: ",
      "expected stream does not match",
      "expected stream does not match",
      "wrong last sequence: 8",
      "wrong last sequence: 8",
      "wrong last sequence: 8",
      "wrong last sequence: 8",
    ],
  },
  {
    name: "filters: which messages a consumer gets, and which filters it may have",
    async play(stage) {
      await publishFour(stage);
      const seen: unknown[] = [];
      for (const [at, filter] of ["orders.a", "orders.*", "orders.c.>"].entries()) {
        const config = { durable_name: `one-${at}`, filter_subject: filter };
        const { consumer, reached } = await consumerOf(stage, config);
        seen.push(await fetched(consumer, 3), await reached());
      }
      const several = { durable_name: "several", filter_subjects: ["orders.b", "orders.c.*"] };
      seen.push(await fetched((await consumerOf(stage, several)).consumer, 2));
      const both = { filter_subject: "orders.a", filter_subjects: ["orders.b"] };
      seen.push(await told(() => consumerOf(stage, both)));
      const twice = { filter_subjects: ["orders.b", "orders.>"] };
      seen.push(await told(() => consumerOf(stage, twice)));
      return seen;
    },
    real: [
      ["1#1 of 1", "3#1 of 0"],
      [[2, 3], [2, 3], 0, 0, 0],
      ["1#1 of 2", "2#1 of 1", "3#1 of 0"],
      [[3, 3], [3, 3], 0, 0, 0],
      ["4#1 of 0"],
      [[1, 4], [1, 4], 0, 0, 0],
      ["2#1 of 1", "4#1 of 0"],
      "consumer cannot have both FilterSubject and FilterSubjects specified",
      "consumer subject filters cannot overlap",
    ],
  },
  {
    name: "where a consumer begins in its stream",
    async play(stage) {
      await publishFour(stage);
      const seen: unknown[] = [];
      const places: readonly Config[] = [
        { deliver_policy: "new" },
        { deliver_policy: "last" },
        { deliver_policy: "last_per_subject", filter_subject: "orders.>" },
        { deliver_policy: "by_start_sequence", opt_start_seq: 3 },
      ];
      for (const [at, place] of places.entries()) {
        const { consumer, reached } = await consumerOf(stage, {
          durable_name: `from-${at}`,
          ...place,
        });
        seen.push(await reached(), at === 0 ? [] : await fetched(consumer, at === 3 ? 2 : at));
      }
      seen.push(await told(() => consumerOf(stage, { deliver_policy: "by_start_sequence" })));
      seen.push(await told(() => consumerOf(stage, { deliver_policy: "last_per_subject" })));
      return [...seen, await told(() => consumerOf(stage, { opt_start_seq: 2 }))];
    },
    real: [
      [[0, 4], [0, 4], 0, 0, 0],
      [],
      [[0, 3], [0, 3], 0, 0, 1],
      ["4#1 of 0"],
      [[0, 1], [0, 1], 0, 0, 3],
      ["2#1 of 2", "3#1 of 1"],
      [[0, 2], [0, 2], 0, 0, 2],
      ["3#1 of 1", "4#1 of 0"],
      "consumer delivery policy is deliver by start sequence, but optional start sequence is not set",
      "consumer delivery policy is deliver last per subject, but optional filter subject is not set",
      "consumer delivery policy is deliver all, but optional start sequence is also set",
    ],
  },
  {
    name: "what was delivered as often as it may be holds back how far all is acknowledged",
    async play(stage) {
      await stage.publish(2);
      const { consumer, reached } = await consumerOf(stage, { max_deliver: 2 });
      const giveBack = (message: NatsMessage): void =>
        message.seq === 1 ? message.nak() : message.ack();
      const seen = await fetched(consumer, 3, giveBack);
      const before = await reached();
      return [seen, before, await fetched(consumer, 1), await reached()];
    },
    real: [
      ["1#1 of 1", "2#1 of 0", "1#2 of 0"],
      [[3, 2], [0, 0], 1, 1, 0],
      [],
      [[3, 2], [0, 0], 0, 1, 0],
    ],
  },
  {
    name: "backoff says how long each delivery may stay unacknowledged",
    async play(stage) {
      await stage.publish(1);
      const backoff = [400, 1_500].map((ms) => ms * NANOS_PER_MS);
      const { consumer } = await consumerOf(stage, { backoff, max_deliver: 4 });
      const nothing = (): undefined => undefined;
      const seen = [await fetched(consumer, 1, nothing), await fetched(consumer, 1, nothing)];
      seen.push(await fetched(consumer, 1, nothing), await fetched(consumer, 1));
      const few = { durable_name: "few", backoff, max_deliver: 1 };
      const { config } = await consumer.info();
      return [seen, config.ack_wait, await told(() => consumerOf(stage, few))];
    },
    real: [
      [["1#1 of 0"], ["1#2 of 0"], [], ["1#3 of 0"]],
      400_000_000,
      "max deliver is required to be > length of backoff values",
    ],
  },
  {
    name: "didAck, and ackAck() of what a deleted consumer has delivered",
    async play(stage) {
      await stage.publish(2);
      const { consumer } = await consumerOf(stage, {});
      const [one, other] = [await consumer.next(), await consumer.next()];
      if (one === null || other === null) return "none";
      const seen: unknown[] = [one.didAck];
      one.working();
      seen.push(one.didAck, await one.ackAck(), one.didAck);
      await consumer.delete();
      const facts = await other.ackAck({ timeout: 500 }).catch(errorFacts);
      const { name, cause } = facts as { name: string; cause?: { name: string } };
      return [...seen, name, cause?.name];
    },
    real: [false, false, true, true, "RequestError", "NoResponders"],
  },
  {
    name: "a subscription is read once, and not where it calls back",
    async play(stage) {
      await stage.publish(1);
      const { consumer } = await consumerOf(stage, {});
      const batch = await consumer.fetch({ max_messages: 1, expires: 1_000 });
      const read = async (): Promise<void> => {
        for await (const message of batch) message.ack();
      };
      await read();
      const called = await consumer.consume({ callback: () => undefined });
      const seen = [await told(read), await told(() => called[Symbol.asyncIterator]().next())];
      await called.close();
      return seen;
    },
    real: ["iterator is already yielding", "iterator cannot be used when a callback is registered"],
  },
  {
    name: "names of streams and consumers",
    async play(stage) {
      const { client } = stage;
      return [
        await told(() => client.consumers.get("", "own")),
        await told(() => client.consumers.get("OR.DERS", "own")),
        await told(() => client.consumers.get("ORDERS", "o.wn")),
        await told(() => consumerOf(stage, { durable_name: "my own" })),
        await told(() => consumerOf(stage, { durable_name: "own", name: "other" })),
        await told(() => consumerOf(stage, { ack_wait: -1 })),
      ];
    },
    real: [
      "stream name required",
      "stream name ('OR.DERS') cannot contain '.'",
      "durable name ('o.wn') cannot contain '.'",
      "durable name ('my own') cannot contain ' '",
      "consumer name in subject does not match durable name in request",
      "consumer ack wait needs to be positive",
    ],
  },
  {
    name: "streams: what is in them, which stores a subject, adding one again",
    async play(stage) {
      await publishFour(stage);
      const { streams } = await stage.client.jetstreamManager();
      const info = await streams.info("ORDERS", { subjects_filter: "orders.*" });
      const names: string[] = [];
      for await (const name of streams.names()) names.push(name);
      const { messages, first_seq, last_seq, num_subjects, subjects } = info.state;
      const last = await streams.getMessage("ORDERS", { last_by_subj: "orders.a" });
      const stream = await stage.client.streams.get("ORDERS");
      const next = await stream.getMessage({ seq: 2, next_by_subj: "orders.a" });
      const config = { name: "ORDERS", subjects: ["orders.x"] };
      return [
        [messages, first_seq, last_seq, num_subjects, subjects],
        [names.toSorted(), await streams.find("dead.x"), last?.seq, last?.string(), next?.seq],
        await streams.getMessage("ORDERS", { seq: 9 }),
        await told(() => streams.getMessage("ORDERS", { seq: 0 })),
        await told(() => streams.find("nowhere")),
        await told(() => streams.info("NOWHERE")),
        await told(() => streams.add({ ...config, subjects: ["orders.>"] })),
        await told(() => streams.add(config)),
        await told(() => streams.add({ name: "MORE", subjects: ["dead.*"] })),
      ];
    },
    real: [
      [4, 1, 4, 3, { "orders.a": 2, "orders.b": 1 }],
      [["DEAD", "ORDERS"], "DEAD", 3, "x", 3],
      null,
      "bad request",
      "no stream matches subject",
      "stream not found",
      "done",
      "stream name already in use with a different configuration",
      "subjects overlap with an existing stream",
    ],
  },
  {
    name: "what is judged first of a question about what is not there",
    async play(stage) {
      const { consumers, streams } = await stage.client.jetstreamManager();
      const own = { durable_name: "own", ack_policy: "explicit" } as const;
      const start = { ...own, deliver_policy: "new", opt_start_seq: 1 } as const;
      const nowhere = { ...own, durable_name: "nobody", name: "nobody" };
      return [
        await outcomeOf(() => streams.getMessage("NOWHERE", { seq: 0 })),
        await outcomeOf(() => streams.getMessage("NOWHERE", { seq: 1 })),
        await outcomeOf(() => streams.getMessage("NOWHERE", { last_by_subj: "orders.a" })),
        await outcomeOf(() => consumers.add("NOWHERE", start)),
        await outcomeOf(() => consumers.add("ORDERS", start)),
        await outcomeOf(() => consumers.update("ORDERS", "triggerer", nowhere)),
      ];
    },
    real: [
      { name: "JetStreamApiError", message: "bad request", code: 10_003, status: 400 },
      ...Array.from({ length: 3 }, () => ({
        ...{ name: "StreamNotFoundError", message: "stream not found" },
        ...{ code: 10_059, status: 404 },
      })),
      {
        name: "JetStreamApiError",
        message: "consumer delivery policy is deliver new, but optional start sequence is also set",
        ...{ code: 10_094, status: 400 },
      },
      { name: "JetStreamApiError", message: "consumer does not exist", code: 10_149, status: 400 },
    ],
  },
];
