import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import { type Observation, outcomeOf } from "./observation.ts";

const told = async (call: () => unknown): Promise<unknown> => {
  const outcome = await outcomeOf(call);
  return (outcome as { readonly message?: string }).message ?? outcome;
};

const OWN = { durable_name: "own", ack_policy: "explicit" } as const;

/** What consumers and streams are seldom asked for, and set-ups that a server refuses. */
export const NATS_RARELY: readonly Observation<NatsClient>[] = [
  {
    name: "a fetch that says nothing of how many, in two ways",
    async play({ client, publish }) {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const seen: number[] = [];
      for (const max_messages of [null, 0]) {
        await publish(3);
        const options = { max_messages, expires: 1_000 } as { expires: number };
        let count = 0;
        for await (const message of await consumer.fetch(options)) {
          count += 1;
          message.ack();
        }
        seen.push(count);
      }
      return seen;
    },
    real: [3, 3],
  },
  {
    name: "a consumer's kind, what is known of it, and its end",
    async play({ client, publish }) {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      await publish(2);
      const { num_pending: read } = await consumer.info();
      await publish(1);
      const { num_pending: known } = await consumer.info(true);
      const { num_pending: again } = await consumer.info(false);
      const kinds = [consumer.isPullConsumer(), consumer.isPushConsumer()];
      const same = client.consumers.getConsumerFromInfo(await consumer.info());
      const next = await same.next({ expires: 1_000 });
      const ended = await consumer.delete();
      const gone = await told(() => consumer.info());
      return [
        read,
        known,
        again,
        kinds,
        next?.seq,
        ended,
        gone,
        await told(() => consumer.delete()),
      ];
    },
    real: [2, 2, 3, [true, false], 1, true, "consumer not found", "consumer not found"],
  },
  {
    name: "a copy of the server's error has no code",
    async play({ client }) {
      try {
        return await client.consumers.get("ORDERS", "none");
      } catch (error) {
        const { code, status } = error as { readonly code: number; readonly status: number };
        return [code, status, Object.keys(error as Error)];
      }
    },
    real: [10_014, 404, ["name"]],
  },
  {
    name: "pulls with limits of two kinds, or for no time",
    async play({ client }) {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      return [
        await told(() => consumer.fetch({ max_messages: 1, max_bytes: 1 })),
        await told(() => consumer.consume({ max_messages: 1, max_bytes: 1 })),
        await told(() => consumer.next({ expires: 999 })),
        await told(() => consumer.fetch({ expires: 1 })),
        await told(() => consumer.consume({ expires: 999 })),
      ];
    },
    real: [
      "'max_messages','max_bytes' are mutually exclusive",
      "'max_messages','max_bytes' are mutually exclusive",
      "'expires' must be at least 1000ms",
      "'expires' must be at least 1000ms",
      "'expires' must be at least 1000ms",
    ],
  },
  {
    name: "consume() throws at once what it has against its options",
    async play({ client }) {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const thrown: unknown[] = [];
      for (const options of [{ max_messages: 1, max_bytes: 1 }, { expires: 999 }]) {
        try {
          void consumer.consume(options);
        } catch (error) {
          thrown.push((error as Error).message);
        }
      }
      return thrown;
    },
    real: [
      "'max_messages','max_bytes' are mutually exclusive",
      "'expires' must be at least 1000ms",
    ],
  },
  {
    name: "for how long a message is known by its id",
    async play({ client, pass }) {
      const { streams } = await client.jetstreamManager();
      const brief = { name: "brief", description: "for a while", duplicate_window: 300_000_000 };
      const { config } = await streams.add(brief);
      const seen: unknown[] = [[config.description, config.duplicate_window]];
      for (const waitMs of [0, 100, 400, 100]) {
        await pass(waitMs);
        const { seq, duplicate } = await client.publish("brief", "x", { msgID: "one" });
        seen.push([seq, duplicate]);
      }
      seen.push(await told(() => streams.add(brief)).then(() => "alike"));
      const { duplicate_window: _window, ...others } = brief;
      seen.push(await told(() => streams.add(others)));
      seen.push(await told(() => streams.add({ ...brief, description: "for ever" })));
      return seen;
    },
    real: [
      ["for a while", 300_000_000],
      ...[
        [1, false],
        [1, true],
        [2, false],
        [2, true],
      ],
      "alike",
      ...Array.from(
        { length: 2 },
        () => "stream name already in use with a different configuration",
      ),
    ],
  },
  {
    name: "how many bytes messages take, in a file and in memory",
    async play({ client }) {
      const { streams } = await client.jetstreamManager();
      const seen: unknown[] = [];
      for (const storage of ["file", "memory"] as const) {
        await streams.add({ name: `in-${storage}`, storage });
        await client.publish(`in-${storage}`, "x");
        await client.publish(`in-${storage}`, "é", { msgID: "a" });
        const { state } = await streams.info(`in-${storage}`);
        seen.push([state.messages, state.bytes]);
      }
      return seen;
    },
    real: [
      [2, 109],
      [2, 81],
    ],
  },
  {
    name: "limits of deliveries that are none",
    async play({ client }) {
      const { consumers } = await client.jetstreamManager();
      const limits: unknown[] = [];
      for (const max_deliver of [-5, 0, -1, 1]) {
        const { config } = await consumers.add("ORDERS", { ...OWN, max_deliver });
        limits.push(config.max_deliver);
        await consumers.delete("ORDERS", "own");
      }
      return limits;
    },
    real: [-1, -1, -1, 1],
  },
  {
    name: "consumers that a server does not set up, and changes that it refuses",
    async play({ client }) {
      const { consumers } = await client.jetstreamManager();
      const adding = (config: object): Promise<unknown> =>
        told(async () => (await consumers.add("ORDERS", { ...OWN, ...config })).name);
      const changing = (config: object): Promise<unknown> =>
        told(async () => (await consumers.update("ORDERS", "own", config)).name);
      const refused = [
        await adding({ ack_policy: "some" }),
        await adding({ name: "other" }),
        await adding({ ack_wait: -1 }),
        await adding({ max_deliver: 1, backoff: [1_000_000_000, 2_000_000_000] }),
        await adding({ deliver_policy: "last_per_subject" }),
        await adding({ durable_name: "a.b" }),
        await adding({ durable_name: "a b" }),
        await told(() => consumers.add("NONE", OWN)),
        await told(() => consumers.update("ORDERS", "own", {})),
        await told(() => consumers.info("ORDERS", "own")),
        await told(() => consumers.delete("ORDERS", "own")),
      ];
      const done = [
        await adding({ name: "own", metadata: { b: "1", a: "2" }, filter_subjects: ["orders.a"] }),
        await adding({ name: "own", filter_subjects: ["orders.a"], metadata: { a: "2", b: "1" } }),
        await adding({ filter_subjects: ["orders.a", "orders.b"] }),
        await changing({ ack_policy: "none" }),
        await changing({ max_deliver: 3, description: "mine" }),
      ];
      const { config } = await consumers.info("ORDERS", "own");
      return [...refused, done, config.max_deliver, config.description, config.filter_subjects];
    },
    real: [
      'invalid JSON: can not unmarshal "\\"some\\""',
      "consumer name in subject does not match durable name in request",
      "consumer ack wait needs to be positive",
      "max deliver is required to be > length of backoff values",
      "consumer delivery policy is deliver last per subject, but optional filter subject is not set",
      "durable name ('a.b') cannot contain '.'",
      "durable name ('a b') cannot contain ' '",
      "stream not found",
      "consumer not found",
      "consumer not found",
      "consumer not found",
      ["own", "own", "consumer already exists", "ack policy can not be updated", "own"],
      3,
      "mine",
      ["orders.a"],
    ],
  },
  {
    name: "what lists have, also when they are asked again",
    async play({ client }) {
      const manager = await client.jetstreamManager();
      const listed = async (lister: { next(): Promise<readonly unknown[]> }): Promise<unknown> => {
        const pages = [await lister.next(), await lister.next()];
        return pages.map((page) =>
          page.map((one) => (typeof one === "string" ? one : (one as { name: string }).name)),
        );
      };
      await manager.consumers.add("ORDERS", OWN);
      const streams = await manager.streams.list().next();
      return [
        await listed(manager.consumers.list("ORDERS")),
        await listed(manager.consumers.list("DEAD")),
        await listed(manager.streams.names()),
        await listed(manager.streams.names("dead.a")),
        await listed(manager.streams.names("other.a")),
        streams.map(({ config }) => config.name).toSorted(),
        await told(() => manager.streams.find("dead.x")),
        await told(() => manager.streams.find("other.x")),
        await told(() => manager.consumers.list("NONE").next()),
        manager.jetstream().getOptions()["timeout" as never],
      ];
    },
    real: [
      [["own", "triggerer"], []],
      [[], []],
      [["DEAD", "ORDERS"], []],
      [["DEAD"], []],
      [[], []],
      ["DEAD", "ORDERS"],
      "DEAD",
      "no stream matches subject",
      "stream not found",
      5000,
    ],
  },
  {
    name: "streams that a server does not set up",
    async play({ client }) {
      const { streams } = await client.jetstreamManager();
      const adding = (config: object): Promise<unknown> =>
        told(async () => (await streams.add(config as { name: string })).config.subjects);
      return [
        await adding({ name: "own", subjects: ["own..a"] }),
        await adding({ name: "own", subjects: ["orders.a"] }),
        await adding({ name: "own", subjects: ["orders.>"] }),
        await adding({ name: "own", subjects: [">"] }),
        await adding({ name: "own", subjects: ["own", "*.>"] }),
        await adding({ name: "own", subjects: ["$JSC.a"] }),
        await adding({ name: "own", subjects: ["$SYS.>"] }),
        await adding({ name: "own", description: "o".repeat(4_097) }),
        await adding({ name: "own", duplicate_window: -1 }),
        await adding({ name: "own", duplicate_window: 99_999_999 }),
        await adding({ name: "a.b" }),
        await adding({ name: "a b" }),
        await adding({ name: "own" }),
        await adding({ name: "own" }),
        await adding({ name: "own", subjects: ["mine.>"] }),
        await told(() => streams.info("none")),
        await told(() => client.streams.get("none")),
      ];
    },
    real: [
      "invalid subject",
      "subjects overlap with an existing stream",
      "subjects overlap with an existing stream",
      "capturing all subjects requires no-ack to be true",
      "subjects that overlap with jetstream api require no-ack to be true",
      "subjects that overlap with jetstream api require no-ack to be true",
      "subjects that overlap with system api require no-ack to be true",
      "stream description is too long, maximum allowed is 4096",
      "duplicates window can not be negative",
      "duplicates window needs to be >= 100ms",
      "stream name ('a.b') cannot contain '.'",
      "stream name ('a b') cannot contain ' '",
      ["own"],
      ["own"],
      "stream name already in use with a different configuration",
      "stream not found",
      "stream not found",
    ],
  },
  {
    name: "what is sent with headers, and by whom it is not taken",
    async play({ client }) {
      await client.publish("orders.a", "x", { msgID: "one" });
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const message = await consumer.next({ expires: 1_000 });
      const headers = message?.headers;
      headers?.append("a", "1");
      headers?.append("a", "2");
      const kept = [
        ...[headers?.keys(), headers?.values("a"), headers?.get("a"), headers?.has("b")],
        headers?.size(),
      ];
      headers?.delete("Nats-Msg-Id");
      await client.publish("orders.a", "y", { headers });
      const again = await consumer.next({ expires: 1_000 });
      headers?.set("Nats-Rollup", "sub");
      return [
        kept,
        [again?.headers?.keys(), again?.headers?.values("a"), again?.headers?.last("a")],
        again?.string(),
        await told(() => client.publish("orders.a", "z", { headers })),
      ];
    },
    real: [
      [["Nats-Msg-Id", "a"], ["1", "2"], "1", false, 2],
      [["a"], ["1", "2"], "2"],
      "y",
      "rollup not permitted",
    ],
  },
];
