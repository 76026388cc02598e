import { bytesFrom } from "../../../sim/brokers/text-bytes.ts";
import type { PubSubOutgoing } from "../../../sim/brokers/pubsub/pubsub-topic.ts";
import { errorFacts, outcomeOf } from "./observation.ts";
import type { PubSubObservation } from "./pubsub-stage.ts";

const DEAD = "dead-orders";

const NOTHING = {
  name: "TypeError",
  message: "If data is undefined, at least one attribute must be present.",
};
const NO_BYTES = {
  name: "TypeError",
  message: "Data must be in the form of a Buffer or Uint8Array.",
};

const QUOTAS = "Refer to https://cloud.google.com/pubsub/quotas for more information.";

/** What the service says to a message that it does not take. */
function invalid(details: string): object {
  return { name: "Error", message: `3 INVALID_ARGUMENT: ${details}`, code: 3 };
}

function tooLong(what: string, length: number, most: number): object {
  const size = `The length is ${length} characters, but the maximum allowed is ${most}.`;
  return invalid(`${what} that is too long. ${size} ${QUOTAS}`);
}

const EMPTY = invalid(
  "One or more messages in the publish request is empty. Each message must contain either non-empty data, or at least one attribute.",
);

/** As many attributes of a letter. */
function attributesOf(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, "x"]));
}

function noText(type: string): object {
  const rule = "All attributes must be in the form of a string.";
  const message = `${rule}\n\nInvalid value of type "${type}" provided for "a".`;
  return { name: "TypeError", message };
}

/** Returns what the call returns, resolves with, rejects with or throws at once. */
async function endOf(call: () => unknown): Promise<unknown> {
  let pending: unknown;
  try {
    pending = call();
  } catch (error) {
    return ["throws", errorFacts(error)];
  }
  return await outcomeOf(() => pending);
}

/** What comes of messages behind the first two. */
const MAY_BE = [
  ...["id", "id", "id", NOTHING, NOTHING, NOTHING, "id", "id", "id"],
  ...[NOTHING, NO_BYTES, NOTHING, NO_BYTES, NO_BYTES, NOTHING],
  ...[noText("number"), noText("object"), NOTHING, NO_BYTES],
];

/** What is published of late, and what the library says to it. */
export const PUBLISHING: readonly PubSubObservation[] = [
  {
    name: "what a topic is called",
    async play({ client }) {
      const names = [DEAD, "projects/other/topics/orders"].map((name) => client.topic(name).name);
      const nameless = await endOf(() => client.topic(""));
      return [names, nameless, await endOf(() => client.subscription(""))];
    },
    real: [
      ["projects/simulated-project/topics/dead-orders", "projects/other/topics/orders"],
      ["throws", { name: "Error", message: "A name must be specified for a topic." }],
      ["throws", { name: "Error", message: "A name must be specified for a subscription." }],
    ],
  },
  {
    name: "ids of what is published, one by one and at once",
    async play({ client }) {
      const topic = client.topic(DEAD);
      const data = bytesFrom("x");
      const first = await topic.publishMessage({ data });
      const more = await Promise.all([1, 2, 3].map(() => topic.publishMessage({ data })));
      return [typeof first, new Set([first, ...more]).size];
    },
    real: ["string", 4],
  },
  {
    name: "what may be published",
    async play({ client }) {
      const topic = client.topic(DEAD);
      const data = bytesFrom("x");
      const messages: readonly unknown[] = [
        ...[{ data }, { data: new Uint8Array(0) }, { attributes: { a: "1" } }],
        ...[{ json: { a: 1 } }, { json: [1] }, { json: 1 }, { json: null }, { json: "text" }],
        ...[
          { data, json: { a: 1 } },
          { data, attributes: {} },
          { data, attributes: { a: "" } },
        ],
        ...[{}, { data: "x" }, { data: null }, { data: 1 }, { data: [1] }, { data: "" }],
        ...[{ data, attributes: { a: 1 } }, { data, attributes: { a: null } }, { attributes: {} }],
        { data: new ArrayBuffer(1) },
      ];
      const ends: unknown[] = [];
      for (const message of messages) {
        const end = await endOf(() => topic.publishMessage(message as PubSubOutgoing));
        ends.push(typeof end === "string" ? "id" : end);
      }
      return ends;
    },
    real: ["id", EMPTY, ...MAY_BE],
    standIn: {
      shows: ["id", "id", ...MAY_BE],
      documented: "the reference of PubsubMessage wants data that are not empty, or an attribute",
    },
  },
  {
    name: "a message with long attributes, many of them or a long ordering key",
    async play({ client }) {
      const topic = client.topic(DEAD);
      const data = bytesFrom("x");
      const messages: readonly PubSubOutgoing[] = [
        { data, attributes: { error: "x".repeat(1_024) } },
        { data, attributes: { error: "x".repeat(1_025) } },
        { data, attributes: { error: "\u00fc".repeat(513) } },
        { data, attributes: { ["k".repeat(256)]: "x" } },
        { data, attributes: { ["k".repeat(257)]: "x" } },
        { data, attributes: attributesOf(100) },
        { data, attributes: attributesOf(101) },
        { data, orderingKey: "k".repeat(1_024) },
        { data, orderingKey: "k".repeat(1_025) },
      ];
      const ends: unknown[] = [];
      for (const message of messages) {
        const end = await endOf(() => topic.publishMessage(message));
        ends.push(typeof end === "string" ? "id" : end);
      }
      return ends;
    },
    real: [
      "id",
      tooLong('The attribute "error" in the request has a value', 1_025, 1_024),
      tooLong('The attribute "error" in the request has a value', 1_026, 1_024),
      "id",
      tooLong('The attribute "" in the request has a key', 257, 256),
      "id",
      invalid(`A message has 101 attributes, but the maximum allowed is 100. ${QUOTAS}`),
      "id",
      tooLong("A message has an ordering key", 1_025, 1_024),
    ],
    standIn: {
      shows: ["id", "id", "id", "id", "id", "id", "id", "id", "id"],
      documented: "the limits of a message are on the page of quotas and limits",
    },
  },
  {
    name: "publish(), publishJSON() and callbacks",
    async play({ client }) {
      const topic = client.topic(DEAD);
      const data = bytesFrom("x");
      const told = (call: (done: (...values: unknown[]) => void) => unknown): Promise<unknown> =>
        new Promise((resolve) => {
          const end = endOf(() =>
            call((...values) =>
              resolve(values.map((value) => (typeof value === "string" ? "id" : value))),
            ),
          );
          void end.then((seen) => void (Array.isArray(seen) && resolve(seen)));
        });
      return [
        typeof (await topic.publish(data)),
        typeof (await topic.publish(data, { a: "1" })),
        typeof (await topic.publishJSON({ a: 1 })),
        typeof (await topic.publishJSON({ a: 1 }, { a: "1" })),
        await told((done) => topic.publishMessage({ data }, done)),
        await told((done) => topic.publish(data, done)),
        await told((done) => topic.publish(data, { a: "1" }, done)),
        await told((done) => topic.publishJSON({ a: 1 }, done)),
        await told((done) => topic.publishMessage({ data: "x" }, done)),
        await endOf(() => topic.publishJSON(1 as never)),
        await endOf(() => topic.publishJSON(null as never)),
      ];
    },
    real: [
      ...["string", "string", "string", "string"],
      ...[
        [null, "id"],
        [null, "id"],
        [null, "id"],
        [null, "id"],
      ],
      ["throws", NO_BYTES],
      ["throws", { name: "Error", message: "First parameter should be an object." }],
      ["throws", { name: "Error", message: "First parameter should be an object." }],
    ],
  },
  {
    name: "flush() resolves when all that was published has its id",
    async play({ client }) {
      const topic = client.topic(DEAD);
      const ids: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        void topic.publishMessage({ data: bytesFrom("x") }).then((id) => void ids.push(id));
      }
      await topic.flush();
      return ids.length;
    },
    real: 3,
  },
  {
    name: "a topic that one may not publish to",
    async play(stage) {
      const topic = stage.client.topic(DEAD);
      await stage.operate("other topics refuse what is sent");
      const failure = await topic
        .publishMessage({ data: bytesFrom("x") })
        .catch((error: unknown) => error);
      const { code, details } = failure as { readonly code: number; readonly details: string };
      return [errorFacts(failure), code, details, (failure as object).constructor.name];
    },
    real: [
      {
        name: "Error",
        message: "7 PERMISSION_DENIED: User not authorized to perform this action.",
        code: 7,
      },
      ...[7, "User not authorized to perform this action.", "Error"],
    ],
  },
  {
    name: "a closed client publishes no more",
    async play({ client }) {
      const topic = client.topic(DEAD);
      await client.close();
      await client.close();
      return await endOf(() => topic.publishMessage({ data: bytesFrom("x") }));
    },
    real: { name: "Error", message: "Cannot use a closed PubSub object.", code: 0 },
  },
  {
    name: "what is published is nothing, or has null for attributes; names of classes",
    async play({ client }) {
      const topic = client.topic(DEAD);
      const subscription = client.subscription("orders");
      const kinds = [client, topic, subscription].map((one) => one.constructor.name);
      const ends: unknown[] = [];
      for (const given of [null, undefined, {}]) {
        ends.push(await endOf(() => topic.publishMessage(given as PubSubOutgoing)));
      }
      const data = bytesFrom("x");
      // Given as the message, as an older method took it, it is an object without `data`.
      for (const given of [data, "x", ["x"], { ref: "ref-000001" }] as unknown[]) {
        ends.push(await endOf(() => topic.publishMessage(given as PubSubOutgoing)));
      }
      // The engine words this one.
      const { name } = (await endOf(() =>
        topic.publishMessage({ data, attributes: null }),
      )) as Error;
      return [kinds, ends, name];
    },
    real: [
      ["PubSub", "Topic", "Subscription"],
      Array.from({ length: 7 }, () => NOTHING),
      "TypeError",
    ],
  },
];
