import { bytesFrom } from "../../../sim/brokers/text-bytes.ts";
import type { PubSubClient } from "../../../sim/brokers/pubsub/pubsub-client.ts";
import { type PubSubObservation, type PubSubStage, SETTLED_MS } from "./pubsub-stage.ts";

/** The stand-in takes no subscription without one. */
const DEADLINE = { ackDeadlineSeconds: 10 };

/** What a call came to, or what its error is told by; of a service's error its code, as words differ. */
async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    const { name, code, message, note } = error as Error & Record<string, unknown>;
    return code === undefined ? message : [name, code, note === undefined ? "" : "noted"];
  }
}

/** What was left by a run before, subscriptions first. */
async function cleared(
  { client }: PubSubStage,
  subscriptions: readonly string[],
  topics: readonly string[] = [],
): Promise<PubSubClient> {
  for (const name of subscriptions) await outcome(() => client.subscription(name).delete());
  for (const name of topics) await outcome(() => client.topic(name).delete());
  return client;
}

/** Reads what comes within a while, and acknowledges it. */
async function textsOf(stage: PubSubStage, name: string): Promise<readonly string[]> {
  const subscription = stage.client.subscription(name);
  const texts: string[] = [];
  subscription.on("message", (message) => {
    texts.push(message.data.toString());
    message.ack();
  });
  await stage.pass(2 * SETTLED_MS);
  await subscription.close();
  return texts.toSorted();
}

function published(client: PubSubClient, topic: string, text: string): Promise<string> {
  return client.topic(topic).publishMessage({ data: bytesFrom(text) });
}

function lastOf(path: string | undefined): string {
  return path?.split("/").at(-1) ?? "";
}

/** What is made, changed, listed and deleted. */
export const ADMIN: readonly PubSubObservation[] = [
  {
    name: "a topic is made once, changed and deleted once",
    async play(stage) {
      const client = await cleared(stage, [], ["made"]);
      const made = await client.createTopic({ name: "made", labels: { a: "b" } });
      const seen: unknown[] = [made.length, made[0].metadata === made[1], made[1]];
      seen.push(await outcome(() => client.createTopic("made")));
      seen.push(await outcome(() => client.topic("made").create()));
      const changed = await client.topic("made").setMetadata({ labels: { c: "d" } });
      seen.push(changed.length, changed[0].labels);
      seen.push((await client.topic("made").getMetadata())[0].labels);
      seen.push(await client.topic("made").delete());
      for (const call of ["delete", "getMetadata", "get"] as const) {
        seen.push(await outcome(() => client.topic("made")[call]()));
      }
      seen.push(await outcome(() => client.topic("made").setMetadata({ labels: {} })));
      seen.push(await outcome(() => published(client, "made", "x")));
      return seen;
    },
    real: [
      ...[2, true],
      {
        ...{ messageTransforms: [], labels: { a: "b" }, tags: {} },
        name: "projects/simulated-project/topics/made",
        ...{ messageStoragePolicy: null, kmsKeyName: "", schemaSettings: null },
        ...{ satisfiesPzs: false, messageRetentionDuration: null, state: "STATE_UNSPECIFIED" },
        ingestionDataSourceSettings: null,
      },
      ...[
        ["Error", 6, "noted"],
        ["Error", 6, "noted"],
      ],
      ...[3, { c: "d" }, { c: "d" }, [{}, undefined, undefined]],
      ...Array.from({ length: 5 }, () => ["Error", 5, "noted"]),
    ],
  },
  {
    name: "a subscription is made once, changed and deleted once",
    async play(stage) {
      const client = await cleared(stage, ["made"]);
      const orders = client.topic("orders");
      const [subscription, told] = await orders.createSubscription("made", {
        ...{ ackDeadlineSeconds: 20, enableMessageOrdering: true, labels: { a: "b" } },
        ...{ retainAckedMessages: true, messageRetentionDuration: 700 },
        expirationPolicy: { ttl: { seconds: 86_400 } },
        retryPolicy: { minimumBackoff: { seconds: 1 }, maximumBackoff: { seconds: 60 } },
        deadLetterPolicy: {
          deadLetterTopic: client.topic("dead-orders").name,
          maxDeliveryAttempts: 5,
        },
        flowControl: { maxMessages: 3 },
      });
      const seen: unknown[] = [told, lastOf(subscription.name)];
      const create = (topic: string, name: string): Promise<unknown> =>
        client.createSubscription(topic, name, DEADLINE);
      seen.push(await outcome(() => create("orders", "made")));
      seen.push(await outcome(() => create("nowhere", "more")));
      const changed = await subscription.setMetadata({ ackDeadlineSeconds: 30 });
      seen.push(changed.length, changed[0].ackDeadlineSeconds, await subscription.detached());
      seen.push((await client.subscription("made").get())[1].labels);
      seen.push(await subscription.delete());
      for (const call of ["delete", "getMetadata", "get", "detached"] as const) {
        seen.push(await outcome(() => client.subscription("made")[call]()));
      }
      seen.push(await outcome(() => subscription.setMetadata(DEADLINE)));
      return seen;
    },
    real: [
      {
        ...{ messageTransforms: [], labels: { a: "b" }, tags: {} },
        name: "projects/simulated-project/subscriptions/made",
        topic: "projects/simulated-project/topics/orders",
        pushConfig: { attributes: {}, pushEndpoint: "" },
        ...{ ackDeadlineSeconds: 20, retainAckedMessages: true },
        messageRetentionDuration: { seconds: "700", nanos: 0 },
        enableMessageOrdering: true,
        expirationPolicy: { ttl: { seconds: "86400", nanos: 0 } },
        filter: "",
        deadLetterPolicy: {
          deadLetterTopic: "projects/simulated-project/topics/dead-orders",
          maxDeliveryAttempts: 5,
        },
        retryPolicy: {
          minimumBackoff: { seconds: "1", nanos: 0 },
          maximumBackoff: { seconds: "60", nanos: 0 },
        },
        ...{ detached: false, enableExactlyOnceDelivery: false, bigqueryConfig: null },
        ...{ topicMessageRetentionDuration: null, state: "STATE_UNSPECIFIED" },
        ...{ cloudStorageConfig: null, analyticsHubSubscriptionInfo: null, bigtableConfig: null },
      },
      "made",
      ["Error", 6, "noted"],
      ["Error", 5, "noted"],
      ...[3, 30, [false], { a: "b" }, [{}, undefined, undefined]],
      ...Array.from({ length: 5 }, () => ["Error", 5, "noted"]),
    ],
  },
  {
    name: "get() makes a topic where it may, and no subscription without a topic",
    async play(stage) {
      const client = await cleared(stage, [], ["made"]);
      const topic = client.topic("made");
      const [same] = await topic.get({ autoCreate: true });
      const before = topic.metadata;
      const again = await topic.get({ autoCreate: true });
      const of = topic.subscription("made");
      return [
        ...[same === topic, before, again[0] === topic, again.length],
        await outcome(() => client.subscription("nowhere").get({ autoCreate: true })),
        await outcome(() => client.subscription("nowhere").create()),
        await of.create(DEADLINE).then(([one, { name }]) => [one === of, lastOf(name)]),
        (await of.get({ autoCreate: true }))[0] === of,
        ...[await of.delete(), await topic.delete()].map(({ length }) => length),
      ];
    },
    real: [
      ...[false, undefined, true, 2, ["Error", 5, "noted"]],
      "Subscriptions can only be created when accessed through Topics",
      ...[[true, "made"], true, 3, 3],
    ],
  },
  {
    name: "lists of topics and subscriptions",
    async play(stage) {
      const client = await cleared(stage, ["b-made", "a-made"], ["made"]);
      await client.createTopic("made");
      for (const name of ["b-made", "a-made"]) {
        await client.createSubscription(client.topic("made"), name, DEADLINE);
      }
      const topics = await client.getTopics();
      const all = await client.getSubscriptions();
      const of = [
        await client.topic("made").getSubscriptions(),
        await client.topic("nowhere").getSubscriptions(),
      ];
      const told = await new Promise((resolve) => {
        void client.getTopics((...values) => resolve([values.length, values[0]]));
      });
      const seen = [
        topics.length,
        topics[0].map((one) => [lastOf(one.name), one.metadata?.labels]),
        all.length,
        all[0].map((one) => [lastOf(one.name), lastOf(one.metadata?.topic), one.topic]),
        of.map((listed) => [
          listed[0].map((one) => [lastOf(one.name), lastOf(one.topic?.name)]),
          ...[listed[1], listed.length],
        ]),
        told,
      ];
      await cleared(stage, ["b-made", "a-made"], ["made"]);
      return seen;
    },
    real: [
      3,
      [
        ["dead-orders", {}],
        ["made", {}],
        ["orders", {}],
      ],
      3,
      [
        ["a-made", "made", undefined],
        ["b-made", "made", undefined],
        ["orders", "orders", undefined],
      ],
      [
        [
          [
            ["a-made", "made"],
            ["b-made", "made"],
          ],
          ...[{}, 3],
        ],
        [[], {}, 3],
      ],
      [4, null],
    ],
  },
  {
    name: "each subscription of a topic gets what is published while it is there",
    async play(stage) {
      const client = await cleared(stage, ["one", "two", "dead"]);
      await published(client, "orders", "before");
      await client.topic("orders").createSubscription("one", DEADLINE);
      await published(client, "orders", "between");
      await client.topic("orders").createSubscription("two", DEADLINE);
      await client.topic("dead-orders").createSubscription("dead", DEADLINE);
      await published(client, "orders", "after");
      await published(client, "dead-orders", "elsewhere");
      await stage.publish(1);
      const names = ["orders", "one", "two", "dead"];
      const seen: unknown[] = [];
      for (const name of names) seen.push(await textsOf(stage, name));
      seen.push(await textsOf(stage, "one"));
      await cleared(stage, ["one", "two", "dead"]);
      return seen;
    },
    real: [
      ["after", "before", "between", '{"ref":"ref-000001","key":"key-1"}'],
      ["after", "between", '{"ref":"ref-000001","key":"key-1"}'],
      ["after", '{"ref":"ref-000001","key":"key-1"}'],
      ["elsewhere"],
      [],
    ],
  },
  {
    name: "what a deleted subscription held is gone when it is made again",
    async play(stage) {
      const client = await cleared(stage, ["made"]);
      await client.topic("orders").createSubscription("made", DEADLINE);
      await published(client, "orders", "before");
      const events: string[] = [];
      const subscription = client.subscription("made");
      subscription.on("error", () => void events.push("error"));
      subscription.on("close", () => void events.push("close"));
      subscription.on("message", (message) => void events.push(message.data.toString()));
      await stage.pass(SETTLED_MS);
      await subscription.delete();
      await stage.pass(SETTLED_MS);
      events.push(String(subscription.isOpen));
      await client.topic("orders").createSubscription("made", DEADLINE);
      await published(client, "orders", "after");
      const texts = await textsOf(stage, "made");
      await cleared(stage, ["made"]);
      return [events, texts];
    },
    real: [["before", "close", "false"], ["after"]],
  },
  {
    name: "callbacks of what is made, changed and deleted",
    async play(stage) {
      const client = await cleared(stage, ["made"], ["made"]);
      const seen: unknown[] = [];
      const told = async (
        call: (done: (...values: unknown[]) => void) => unknown,
      ): Promise<void> => {
        const values = await new Promise<unknown[]>((resolve) => {
          seen.push(call((...given) => resolve(given)));
        });
        const [error, ...others] = values as [{ readonly code?: number } | null, ...unknown[]];
        const names = others.map((one) => lastOf((one as { readonly name?: string })?.name));
        seen.push([error === null ? "told" : error.code, names.filter((name) => name !== "")]);
      };
      await told((done) => client.createTopic("made", done));
      await told((done) => client.createTopic("made", {}, done));
      await told((done) => client.topic("made").get(done));
      await told((done) => client.topic("made").exists(done));
      await told((done) => client.topic("made").createSubscription("made", DEADLINE, done));
      await told((done) => client.createSubscription("made", "made", DEADLINE, done));
      await told((done) => client.subscription("made").getMetadata(done));
      await told((done) => client.subscription("made").delete(done));
      await told((done) => client.topic("made").delete(done));
      await told((done) => client.topic("made").delete({}, done));
      return seen;
    },
    real: [
      ...[undefined, ["told", ["made", "made"]], undefined, [6, []]],
      ...[undefined, ["told", ["made", "made"]], undefined, ["told", []]],
      ...[undefined, ["told", ["made", "made"]], undefined, [6, []]],
      ...[undefined, ["told", ["made"]], undefined, ["told", []]],
      ...[undefined, ["told", []], undefined, [5, []]],
    ],
  },
  {
    name: "what has no name or no topic is not sent, nor is anything by a closed client",
    async play({ client }) {
      const nothing = undefined as unknown as string;
      const seen = [
        await outcome(() => client.createTopic("")),
        await outcome(() => client.createTopic({ labels: {} })),
        await outcome(() => client.createTopic(5 as unknown as string)),
        await outcome(() => client.createSubscription(nothing, "made")),
        await outcome(() => client.createSubscription("orders", nothing)),
        await outcome(() => client.createSubscription("orders", "")),
      ];
      try {
        const done = (): void => void seen.push("told");
        void client.createSubscription(nothing, "made", {}, done);
      } catch (error) {
        seen.push(`thrown: ${(error as Error).message}`);
      }
      await client.close();
      for (const call of ["exists", "create", "get", "delete", "getSubscriptions"] as const) {
        seen.push(await outcome(() => client.topic("orders")[call]()));
      }
      seen.push(await outcome(() => client.subscription("orders").delete()));
      seen.push(await outcome(() => client.getTopics()));
      return seen;
    },
    real: [
      ...Array.from({ length: 3 }, () => "A name must be specified for a topic."),
      "A Topic is required for a new subscription.",
      "A subscription name is required.",
      "A name must be specified for a subscription.",
      "thrown: A Topic is required for a new subscription.",
      ...Array.from({ length: 7 }, () => ["Error", 0, ""]),
    ],
  },
  {
    name: "options are set anew, and what the defaults are",
    async play(stage) {
      const { client } = stage;
      const topic = client.topic("orders");
      topic.setPublishOptions({ batching: { maxMessages: 2, maxMilliseconds: 100_000 } });
      let sent = 0;
      const publish = (): Promise<unknown> =>
        topic.publishMessage({ data: bytesFrom("x") }).then(() => (sent += 1));
      const first = publish();
      await stage.pass(SETTLED_MS);
      const seen: unknown[] = [sent];
      await Promise.all([first, publish()]);
      const subscription = client.subscription("orders");
      subscription.setOptions({ flowControl: { maxMessages: 1, allowExcessMessages: false } });
      const got: { ack(): void }[] = [];
      subscription.on("message", (message) => void got.push(message));
      await stage.pass(SETTLED_MS);
      seen.push(sent, got.length);
      got[0]?.ack();
      await stage.pass(SETTLED_MS);
      seen.push(got.length, topic.getPublishOptionDefaults());
      await subscription.close();
      return seen;
    },
    real: [
      ...[0, 2, 1, 2],
      {
        batching: { maxBytes: 1_048_576, maxMessages: 100, maxMilliseconds: 10 },
        messageOrdering: false,
        gaxOpts: { isBundling: false },
        flowControlOptions: { maxOutstandingBytes: undefined, maxOutstandingMessages: undefined },
      },
    ],
  },
];
