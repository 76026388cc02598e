import type { Step } from "../drawn/slips-steps.ts";

const TOPIC = { $: "topic" };
const GROUP = { $: "group" };
const NONE = { $: "no topic" };
const NULL = { $: "null" };

const SENT: readonly Step[] = [
  ["call", ["producer", "connect", []]],
  [
    "call",
    [
      "producer",
      "send",
      [{ topic: TOPIC, messages: [1, 2, 3].map(() => ({ partition: 0, value: "v" })) }],
    ],
  ],
  ["call", ["consumer", "connect", []]],
  ["call", ["consumer", "subscribe", [{ topic: TOPIC, fromBeginning: 1 }]]],
];

function reading(config: object, ...then: readonly Step[]): readonly Step[] {
  return [...SENT, ["call", ["consumer", "run", [config as never]]], ["look", 1000], ...then];
}

function handler(...acts: readonly (readonly [number, readonly (number | string)[]])[]): object {
  return { $: "handler", acts };
}

function calls(part: "admin" | "consumer" | "producer", ...made: readonly unknown[]): Step[] {
  return made.map((one) => {
    const [method, ...given] = one as readonly [string, ...never[]];
    return ["call", [part, method, given]];
  });
}

/** Programs of the kind that is drawn, by what they are about. */
export const ODD_PROGRAMS: Readonly<Record<string, readonly Step[]>> = {
  "commits by hand are told as they were given, and commit again what was handled": reading({
    eachMessage: handler([1, ["commit", 2]]),
  }),
  "a batch commits what it is given, or what it has if that is empty": reading({
    eachBatch: handler(
      [0, ["commitIfNecessary", 2]],
      [0, ["resolve", 0]],
      [0, ["commitIfNecessary", "empty"]],
    ),
  }),
  "who runs without a handler reads the same batch again and again": reading({}),
  "a null as autoCommit and as a handler": reading({
    ...{ autoCommit: null, eachBatchAutoResolve: null, eachMessage: null },
    eachBatch: handler([0, ["resolve", 2]]),
  }),
  "what a handler throws that is nothing has no cause": reading({
    eachMessage: handler([0, ["throw", "null"]]),
  }),
  "a topic is paused as a whole, and a partition of it resumed": reading(
    { eachMessage: handler() },
    ...calls(
      "consumer",
      ["pause", [{ topic: TOPIC }]],
      ["paused"],
      ["resume", [{ topic: TOPIC, partitions: [0] }]],
      ["paused"],
      ["pause", [NULL]],
      ["resume", [{ topic: TOPIC, partitions: NULL }]],
    ),
  ),
  "a fetch brings the whole of the first batch": [
    [
      "make",
      "consumer",
      { groupId: GROUP, maxBytesPerPartition: 1, maxWaitTimeInMs: 50, retry: { retries: 1 } },
    ],
    ...reading({ eachMessage: handler() }),
  ],
  "messages that go nowhere are neither written nor refused": [
    ...calls(
      "producer",
      ["send"],
      ["connect"],
      ["send", { topic: TOPIC, messages: [], acks: 2, compression: 4 }],
      ["send", { topic: TOPIC, messages: [{ partition: 7, value: 1 }] }],
      ["send", { topic: TOPIC, messages: [{ partition: 0, value: 1 }], acks: 0 }],
      ["send", { topic: TOPIC, messages: 0 }],
    ),
  ],
  "an admin looks at one argument after the other": [
    ...calls(
      "admin",
      ["createTopics", { topics: [], validateOnly: true }],
      ["fetchOffsets", { groupId: GROUP, topics: [TOPIC, TOPIC] }],
      ["fetchOffsets", { groupId: GROUP, topics: 0 }],
      ["fetchTopicMetadata", { topics: [TOPIC, TOPIC] }],
      ["resetOffsets", { groupId: GROUP, topic: NONE }],
      ["setOffsets", { groupId: GROUP, topic: [], partitions: [] }],
      ["setOffsets", { groupId: GROUP, topic: NONE, partitions: [{ partition: "x" }] }],
      ["setOffsets", { groupId: GROUP, topic: TOPIC, partitions: [{ partition: 7, offset: "1" }] }],
    ),
  ],
  "what a consumer is told to commit is looked at place by place": reading(
    { eachMessage: handler() },
    ...calls(
      "consumer",
      ["commitOffsets", [{ topic: TOPIC, partition: 0, offset: -1 }, {}]],
      ["commitOffsets", [{ topic: TOPIC, partition: 0, offset: true }]],
      ["seek", { topic: TOPIC, partition: 0, offset: [] }],
      ["seek", { topic: TOPIC, partition: 0, offset: "" }],
    ),
  ),
};
