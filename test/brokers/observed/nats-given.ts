import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../../sim/brokers/nats/message.ts";
import { type Observation, outcomeOf } from "./observation.ts";

type Stage = Parameters<Observation<NatsClient>["play"]>[0];

const NANOS_PER_MS = 1_000_000;
/** As long as a server on the same machine needs at most for what a call sets off. */
const SOON_MS = 200;
/** After so long without a reader a consumer is deleted; a server takes up to a second more. */
const INACTIVE_MS = 1_000;
const GONE_MS = 2 * INACTIVE_MS + SOON_MS;
const EXPLICIT = { ack_policy: "explicit" } as const;
const SHORT = { ...EXPLICIT, inactive_threshold: INACTIVE_MS * NANOS_PER_MS } as const;

/** What a failed call says; otherwise "done". */
const told = async (call: () => unknown): Promise<unknown> => {
  const outcome = (await outcomeOf(call)) as Record<string, unknown>;
  return "message" in outcome ? outcome["message"] : "done";
};

const invalid = (kind: string, into: string, type: string): string =>
  `invalid JSON: json: cannot unmarshal ${kind} into ${into} of type ${type}`;
const field = (name: string): string => `Go struct field ${name}`;
const ofConsumer = (name: string): string => field(`CreateConsumerRequest.config.${name}`);

/** Tells of each configuration what the server says of it. */
async function toldOfConsumers({ client }: Stage, given: readonly object[]) {
  const { consumers } = await client.jetstreamManager();
  const seen: unknown[] = [];
  for (const config of given) {
    const own = { durable_name: "own", ...EXPLICIT, ...config };
    seen.push(await told(() => consumers.add("ORDERS", own)));
  }
  return seen;
}

/** Which of these consumers are there. */
async function thereOf({ client }: Stage, names: readonly string[]): Promise<readonly string[]> {
  const { consumers } = await client.jetstreamManager();
  const there: string[] = [];
  for await (const { name } of consumers.list("ORDERS")) {
    if (names.includes(name)) there.push(name);
  }
  return there.toSorted();
}

/** What the server makes of nothing. */
const ALIKE = {
  ...{ deliver_policy: "all", replay_policy: "instant", max_deliver: -1 },
  ...{ max_waiting: 512, num_replicas: 0 },
};

const asWord = (sent: unknown): string =>
  `invalid JSON: can not unmarshal ${JSON.stringify(JSON.stringify(sent))}`;

/** What is given in the place of what the server reads, and consumers that end by themselves. */
export const NATS_GIVEN: readonly Observation<NatsClient>[] = [
  {
    name: "what a consumer's configuration has in a wrong type",
    play: (stage) =>
      toldOfConsumers(stage, [
        ...[{ ack_policy: null }, { ack_policy: "not_set" }, { deliver_policy: -2 }],
        ...[{ ack_wait: "" }, { ack_wait: 1.5 }, { max_deliver: ["x"] }, { max_deliver: 1e21 }],
        ...[{ opt_start_seq: -1 }, { filter_subject: 1 }, { filter_subjects: ["a", 1] }],
        ...[{ filter_subjects: "" }, { backoff: [{}] }, { metadata: [] }, { metadata: { a: 1 } }],
        ...[{ description: true }, { name: 0 }, { opt_start_time: 1 }, { max_ack_pending: {} }],
        ...[{ filter_subjects: [null] }, { filter_subjects: ["a b"] }, { filter_subject: "a b" }],
        ...[{ backoff: [-1] }, { ack_policy: "x", ack_wait: "" }, { ack_wait: "", name: 0 }],
        ...[{ replay_policy: 1 }, { max_deliver: 2 ** 63 }, { opt_start_seq: 2 ** 64 }],
        ...[{ backoff: [2 ** 63] }, { name: "other" }],
        { name: "other", filter_subjects: ["orders.a"] },
      ]),
    real: [
      ...[asWord(null), asWord("not_set"), asWord(-2)],
      invalid("string", ofConsumer("ack_wait"), "time.Duration"),
      invalid("number 1.5", ofConsumer("ack_wait"), "time.Duration"),
      invalid("array", ofConsumer("max_deliver"), "int"),
      invalid("number 1e+21", ofConsumer("max_deliver"), "int"),
      invalid("number -1", ofConsumer("opt_start_seq"), "uint64"),
      invalid("number", ofConsumer("filter_subject"), "string"),
      invalid("number", "CreateConsumerRequest.config.filter_subjects.1", "string"),
      invalid("string", ofConsumer("filter_subjects"), "[]string"),
      invalid("object", "CreateConsumerRequest.config.backoff.0", "time.Duration"),
      invalid("array", ofConsumer("metadata"), "map[string]string"),
      invalid("number", ofConsumer("metadata.a"), "string"),
      invalid("bool", ofConsumer("description"), "string"),
      invalid("number", ofConsumer("name"), "string"),
      invalid("number", ofConsumer("opt_start_time"), "time.Time"),
      invalid("object", ofConsumer("max_ack_pending"), "int"),
      "consumer filter in FilterSubjects cannot be empty",
      ...["invalid subject", "illegal subject: '$JS.API.CONSUMER.CREATE.ORDERS.own.a b'"],
      "consumer backoff needs to be positive",
      asWord("x"),
      invalid("string", ofConsumer("ack_wait"), "time.Duration"),
      asWord(1),
      invalid("number 9223372036854776000", ofConsumer("max_deliver"), "int"),
      invalid("number 18446744073709552000", ofConsumer("opt_start_seq"), "uint64"),
      invalid(
        "number 9223372036854776000",
        "CreateConsumerRequest.config.backoff.0",
        "time.Duration",
      ),
      "consumer name in subject does not match durable name in request",
      "done",
    ],
  },
  {
    name: "what a consumer's configuration has that is nothing, and what becomes of it",
    async play({ client }) {
      const { consumers } = await client.jetstreamManager();
      const nothing = {
        ...{ description: "", ack_wait: null, max_deliver: null, filter_subject: null },
        ...{ filter_subjects: [], metadata: { a: null }, opt_start_seq: 0, inactive_threshold: -1 },
      } as object;
      const limits = { max_deliver: -2, max_ack_pending: -2, backoff: [null, 5_000_000] } as object;
      const one = await consumers.add("ORDERS", { durable_name: "one", ...EXPLICIT, ...nothing });
      const two = await consumers.add("ORDERS", { durable_name: "two", ...EXPLICIT, ...limits });
      const none = { ack_policy: "none", ack_wait: 7_000_000, max_ack_pending: 3 } as const;
      const three = await consumers.add("ORDERS", { durable_name: "three", ...none });
      return [one, two, three].map(({ config: { metadata = {}, ...config } }) => ({
        ...config,
        metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => name === "a")),
      }));
    },
    real: [
      {
        ...ALIKE,
        ...{ durable_name: "one", name: "one", ack_policy: "explicit", max_ack_pending: 1_000 },
        ...{ ack_wait: 30_000 * NANOS_PER_MS, metadata: { a: "" } },
      },
      {
        ...ALIKE,
        ...{ durable_name: "two", name: "two", ack_policy: "explicit", max_ack_pending: -1 },
        ...{ backoff: [0, 5_000_000], metadata: {} },
      },
      {
        ...ALIKE,
        ...{ durable_name: "three", name: "three", ack_policy: "none", max_ack_pending: 3 },
        ...{ ack_wait: 7_000_000, metadata: {} },
      },
    ],
  },
  {
    name: "a stream's configuration: wrong types, subjects that are none, storage",
    async play({ client }) {
      const { streams } = await client.jetstreamManager();
      const add = (config: object): Promise<unknown> =>
        told(() => streams.add({ name: "MORE", subjects: ["more.>"], ...config }));
      return [
        await add({ subjects: "" }),
        await add({ subjects: [1] }),
        await add({ storage: 0 }),
        await add({ retention: "" }),
        await add({ num_replicas: "1" }),
        await add({ name: ["MORE", 1] }),
        await add({ name: [{}] }),
        await add({ subjects: ["a", "*"] }),
        await add({ subjects: [null] }),
        await add({ subjects: ["a b"] }),
        await add({ num_replicas: -1 }),
        await add({ num_replicas: 2 }),
        await add({ num_replicas: 6 }),
        await add({ num_replicas: 0, storage: "memory" }),
        await add({ storage: "memory" }),
        await add({}),
        (await streams.info("MORE")).config.storage,
        (await client.publish("more.a", "x")).stream,
      ];
    },
    real: [
      invalid("string", field("StreamConfigRequest.subjects"), "[]string"),
      invalid("number", "StreamConfigRequest.subjects.0", "string"),
      ...[asWord(0), asWord("")],
      invalid("string", field("StreamConfigRequest.num_replicas"), "int"),
      invalid("array", field("StreamConfigRequest.name"), "string"),
      "illegal subject: '$JS.API.STREAM.CREATE.[object Object]'",
      'subject "a" overlaps with "*"',
      ...["invalid subject", "invalid subject"],
      "replicas count cannot be negative",
      "replicas > 1 not supported in non-clustered mode",
      "maximum replicas is 5",
      ...["done", "done"],
      "stream name already in use with a different configuration",
      ...["memory", "MORE"],
    ],
  },
  {
    name: "which message is asked for, and of which subject a stream",
    async play({ client }) {
      const { streams } = await client.jetstreamManager();
      await client.publish("orders.a", "x");
      const asking = async (query: unknown): Promise<unknown> => {
        const call = (): unknown => streams.getMessage("ORDERS", query as { seq: number });
        const seen = (await outcomeOf(call)) as {
          readonly message?: string;
          readonly seq?: number;
        };
        return seen.message ?? seen.seq ?? seen;
      };
      return [
        ...[await asking(undefined), await asking(5), await asking([]), await asking({})],
        await asking({ seq: -2 }),
        await asking({ seq: 1.5 }),
        await asking({ seq: 1, last_by_subj: "orders.a" }),
        await asking({ seq: 1, last_by_subj: "" }),
        await asking({ last_by_subj: 1 }),
        await asking({ next_by_subj: "orders.a" }),
        await asking({ seq: 1, constructor: 1 }),
        await told(() => streams.find(1.5 as unknown as string)),
        await told(() => streams.find(">")),
        await told(() => streams.find("*")),
        await streams.find("orders.*"),
        await told(() => streams.names([1] as unknown as string).next()),
        await told(() => streams.list([1] as unknown as string).next()),
      ];
    },
    real: [
      "bad request",
      invalid("number", "Go value", "server.JSApiMsgGetRequest"),
      invalid("array", "Go value", "server.JSApiMsgGetRequest"),
      "bad request",
      invalid("number -2", field("JSApiMsgGetRequest.seq"), "uint64"),
      invalid("number 1.5", field("JSApiMsgGetRequest.seq"), "uint64"),
      ...["bad request", 1],
      invalid("number", field("JSApiMsgGetRequest.last_by_subj"), "string"),
      ...[1, 'invalid JSON: json: unknown field "constructor"'],
      invalid("number", field("JSApiStreamNamesRequest.subject"), "string"),
      ...["no stream matches subject", "no stream matches subject", "ORDERS"],
      invalid("array", field("JSApiStreamNamesRequest.subject"), "string"),
      invalid("array", field("JSApiStreamListRequest.subject"), "string"),
    ],
  },
  {
    name: "publish() that is tried a number of times that is none, or waits no time",
    async play({ client }) {
      const seen: unknown[] = [];
      for (const options of [
        ...[{ retries: {} }, { retries: -1 }, { retries: ["x"] }, { retries: 0 }],
        ...[{ timeout: -1 }, { timeout: [] }, { timeout: 0 }],
      ]) {
        const outcome = (await outcomeOf(() =>
          client.publish("orders.a", "x", options as object),
        )) as {
          readonly name?: string;
          readonly message?: string;
        };
        seen.push(outcome.name === "TypeError" ? outcome.name : (outcome.message ?? "done"));
      }
      return [...seen, await told(() => client.publish("", "x", { timeout: -1 }))];
    },
    real: [
      ...["TypeError", "TypeError", "TypeError", "done"],
      ...["'timeout' must be greater than 0", "'timeout' must be greater than 0", "done"],
      "illegal subject: ''",
    ],
  },
  {
    name: "consumers without a durable name",
    async play(stage) {
      const { client } = stage;
      const { consumers } = await client.jetstreamManager();
      const nameless = await consumers.add("ORDERS", EXPLICIT);
      const named = await consumers.add("ORDERS", { name: "named", ...SHORT });
      const filters = { filter_subjects: ["orders.a", "orders.b"] };
      const several = await consumers.add("ORDERS", { name: "several", ...SHORT, ...filters });
      await client.publish("orders.a", "x");
      const consumer = await client.consumers.get("ORDERS", nameless.name);
      const message = await consumer.next({ expires: 1_000 });
      return [
        [nameless.name.length, nameless.config.name ?? "none", nameless.config.inactive_threshold],
        [named.config.name, named.config.durable_name ?? "none", named.config.inactive_threshold],
        [several.name, several.config.name, message?.seq],
        await told(() => consumers.add("ORDERS", { name: "named", ...SHORT })),
        await told(() => consumers.add("ORDERS", { name: "named", ...EXPLICIT })),
        await told(() => consumers.add("ORDERS", { name: "a.b", ...EXPLICIT })),
        await told(() => consumers.add("a.b", EXPLICIT)),
        await told(() => consumers.update("ORDERS", nameless.name, { max_deliver: 3 })),
        (await consumers.update("ORDERS", "named", { max_deliver: 3 })).config.max_deliver,
      ];
    },
    real: [
      [8, "none", 5_000 * NANOS_PER_MS],
      ["named", "none", INACTIVE_MS * NANOS_PER_MS],
      ["several", "several", 1],
      ...["done", "consumer already exists", "consumer 'name' cannot contain '.'"],
      "stream name ('a.b') cannot contain '.'",
      ...["consumer does not exist", 3],
    ],
  },
  {
    name: "a consumer that nobody reads is deleted in time, also one with a durable name",
    async play(stage) {
      const { client, pass } = stage;
      const { consumers } = await client.jetstreamManager();
      const names = ["read", "taken", "left", "kept", "stopped"];
      await stage.publish(1);
      for (const name of names) await consumers.add("ORDERS", { name, ...SHORT });
      await consumers.add("ORDERS", { durable_name: "durable", ...SHORT });
      const of = (name: string) => client.consumers.get("ORDERS", name);
      // A message that may still be acknowledged keeps its consumer.
      const message = await (await of("kept")).next({ expires: 1_000 });
      const taken = await (await of("taken")).next({ expires: 1_000 });
      taken?.ack();
      const [read, stopped] = [await of("read"), await of("stopped")];
      const callback = (one: NatsMessage): void => one.ack();
      const messages = await read.consume({ callback });
      const soon = await stopped.consume({ callback });
      await pass(SOON_MS);
      soon.stop();
      const waiting = (await read.info()).num_waiting;
      const before = await thereOf(stage, [...names, "durable"]);
      await pass(GONE_MS);
      const after = await thereOf(stage, [...names, "durable"]);
      messages.stop();
      message?.ack();
      await pass(GONE_MS);
      return [waiting, before.length, after, await thereOf(stage, names)];
    },
    real: [1, 6, ["kept", "read"], []],
  },
  {
    name: "fetch() that calls back, and asks for no more",
    async play(stage) {
      const consumer = await stage.client.consumers.get("ORDERS", "triggerer");
      await stage.publish(3);
      const seen: number[] = [];
      const callback = ({ seq }: { readonly seq: number }): void => void seen.push(seq);
      const options = { max_messages: 2, expires: 1_000, threshold_messages: 1, callback };
      const messages = await consumer.fetch(options);
      await messages.closed();
      return [seen, (await consumer.info()).num_pending];
    },
    real: [[1, 2], 1],
  },
];
