import type { MqttModelClient, MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { connected } from "./mqtt-connected.ts";
import { errorFacts, type Observation, outcomeOf } from "./observation.ts";

/** Longer than a server on the same machine needs for anything. */
const SOON_MS = 60;
const ONCE = { clientId: "reader", reconnectPeriod: 0 };
const CLOSED = { name: "ErrorWithSubackPacket", message: "Connection closed" };

/** What a client is told whose connection the server ends, in each version. */
const closedFor = (reasonCode: number): readonly unknown[] => [
  ["close"],
  [`disconnect ${reasonCode}`, "close"],
];

function invalidType(received: string): object {
  const wanted = "of type string or an instance of Buffer or ArrayBuffer";
  const message = `The "string" argument must be ${wanted}. Received ${received}`;
  return { name: "TypeError", message, code: "ERR_INVALID_ARG_TYPE" };
}

const NO_LIST = { name: "Error", message: "Invalid topic empty_topic_list" };
const UNREADABLE = (value: string): object => ({
  name: "TypeError",
  message: `Cannot read properties of ${value} (reading 'toString')`,
});
/** What its message is, is said by the engine, not by the library. */
const OF_ENGINE = { name: "TypeError" };

/** Returns what comes of a call, within a moment, and whether the client is still connected. */
async function attempted(
  stage: Parameters<typeof connected>[0],
  call: (client: MqttModelClient) => Promise<unknown>,
): Promise<readonly [told: unknown, isConnected: boolean]> {
  const client = await connected(stage, ONCE);
  let told: unknown = "pending";
  const telling = outcomeOf(async () => {
    await call(client);
    return "done";
  });
  void telling.then((outcome) => (told = outcome));
  await stage.pass(SOON_MS);
  const seen = [told, client.connected] as const;
  await client.endAsync(true);
  return seen;
}

/** Of an error of the engine its name alone. */
function nameOnly([told, isConnected]: Awaited<ReturnType<typeof attempted>>): unknown {
  const { name } = told as { readonly name?: string };
  return [name === OF_ENGINE.name ? { name } : told, isConnected];
}

/** What a producer's author gets wrong, and what comes of it. */
export const MISTAKES: readonly Observation<MqttModule>[] = [
  {
    name: "topics and filters that are none cost the connection",
    async play(stage) {
      const told: unknown[] = [];
      const attempts = [
        ...["a/+/b", "a/#", "a\0b"].map((topic) => ({ verb: "publish", topic }) as const),
        ...["", "a\0b", "/".repeat(201)].map((topic) => ({ verb: "subscribe", topic }) as const),
        { verb: "unsubscribe", topic: "" } as const,
      ];
      for (const { verb, topic } of attempts) {
        for (const protocolVersion of [4, 5]) {
          const reader = await connected(stage, { ...ONCE, protocolVersion });
          const events: string[] = [];
          reader.on("close", () => events.push("close"));
          reader.on("disconnect", (packet: { readonly reasonCode: number }) => {
            events.push(`disconnect ${packet.reasonCode}`);
          });
          if (verb === "publish") reader.publish(topic, "x", { qos: 1 });
          else reader[verb](topic, () => undefined);
          await stage.pass(SOON_MS);
          told.push(events);
          await reader.endAsync(true);
        }
      }
      return told;
    },
    real: [
      ...[...closedFor(130), ...closedFor(130), ...closedFor(129)],
      ...[...closedFor(129), ...closedFor(129), ...closedFor(129), ...closedFor(129)],
    ],
  },
  {
    name: "a client with a will that is none has its connection closed without an answer",
    async play(stage) {
      const topics = ["a/#", "+/b", "a\0b", "/".repeat(201), "$SYS/a", "a/b"];
      const wills = topics.map((topic) => ({ topic, payload: "x", qos: 0 }));
      const told: unknown[] = [];
      for (const will of [...wills, { topic: "a/b", payload: "x", qos: 3 }]) {
        for (const protocolVersion of [4, 5]) {
          const client = stage.client.connect("mqtt://localhost", {
            ...{ ...ONCE, protocolVersion, will },
          });
          const events: string[] = [];
          for (const name of ["connect", "disconnect", "error", "close"]) {
            client.on(name, () => events.push(name));
          }
          await stage.pass(SOON_MS);
          told.push([...events]);
          await client.endAsync(true);
        }
      }
      return told;
    },
    real: [
      ...Array.from({ length: 8 }, () => ["close"]),
      ...Array.from({ length: 4 }, () => ["connect"]),
      ...Array.from({ length: 2 }, () => ["close"]),
    ],
  },
  {
    name: "filters that are neither a text nor a list",
    async play(stage) {
      const told: unknown[] = [];
      for (const filters of [5, undefined, true, [5]] as unknown[] as string[]) {
        told.push(nameOnly(await attempted(stage, (client) => client.subscribeAsync(filters))));
      }
      for (const filters of [5, null, undefined, [5], { "a/b": 1 }, []] as unknown[] as string[]) {
        told.push(nameOnly(await attempted(stage, (client) => client.unsubscribeAsync(filters))));
      }
      return told;
    },
    real: [
      ...[
        [NO_LIST, true],
        [NO_LIST, true],
        [NO_LIST, true],
        [OF_ENGINE, true],
      ],
      [{ name: "Error", message: "Connection closed" }, false],
      ...[
        [OF_ENGINE, true],
        [OF_ENGINE, true],
        [OF_ENGINE, true],
      ],
      ...[
        [{ name: "Error", message: "Connection closed" }, false],
        [NO_LIST, true],
      ],
    ],
  },
  {
    name: "a topic that is no text cannot be written",
    async play(stage) {
      const told: unknown[] = [];
      for (const topic of [5, null, undefined] as unknown[] as string[]) {
        for (const qos of [0, 1] as const) {
          told.push(await attempted(stage, (client) => client.publishAsync(topic, "x", { qos })));
        }
      }
      return told;
    },
    real: [
      ...[
        ["pending", false],
        ["pending", false],
        ["pending", false],
      ],
      [UNREADABLE("null"), true],
      ["pending", false],
      [UNREADABLE("undefined"), true],
    ],
  },
  {
    name: "payloads that are neither text nor bytes, and none",
    async play(stage) {
      const reader = await connected(stage, ONCE);
      const lengths: number[] = [];
      reader.on("message", (_topic: string, payload: Buffer) => lengths.push(payload.length));
      await reader.subscribeAsync("a/b", { qos: 1 });
      const told: unknown[] = [];
      for (const payload of [42, true, {}, [], null, undefined, ""] as unknown[]) {
        const publish = reader.publishAsync("a/b", payload as string, { qos: 1 });
        told.push(await publish.then(() => "published", errorFacts));
      }
      await stage.pass(SOON_MS);
      return { told, lengths };
    },
    real: {
      told: [
        ...[invalidType("type number (42)"), invalidType("type boolean (true)")],
        ...[invalidType("an instance of Object"), invalidType("an instance of Array")],
        ...["published", "published", "published"],
      ],
      lengths: [0, 0, 0],
    },
  },
  {
    name: "a subscription needs a quality of service, and one that there is not is 0",
    async play(stage) {
      const told: unknown[] = [];
      const undefinedQos = { qos: undefined };
      const subscriptions = [{ "a/b": {} }, { "a/b": undefinedQos }, { "a/b": { qos: 3 as 2 } }];
      for (const subscription of subscriptions) {
        const reader = await connected(stage, ONCE);
        told.push(await outcomeOf(() => reader.subscribeAsync(subscription)));
        await reader.endAsync(true);
      }
      const reader = await connected(stage, ONCE);
      told.push(await outcomeOf(() => reader.subscribeAsync("a/b", undefinedQos)));
      await reader.endAsync(true);
      const other = await connected(stage, ONCE);
      told.push(await outcomeOf(() => other.subscribeAsync(["a/b", "a/b"])));
      told.push(await outcomeOf(() => other.publishAsync("a/b", "x", { qos: 3 as 2 })));
      return told;
    },
    real: [
      ...[CLOSED, CLOSED, [{ topic: "a/b", qos: 0 }], CLOSED],
      ...[
        [
          { topic: "a/b", qos: 0 },
          { topic: "a/b", qos: 0 },
        ],
        { name: "TypeError", message: "Cannot read properties of undefined (reading '0')" },
      ],
    ],
  },
  {
    name: "properties reach clients of version 5 only, and none are none",
    async play(stage) {
      const reader = await connected(stage, { clientId: "reader", protocolVersion: 5 });
      const other = await connected(stage, { clientId: "other" });
      const told: unknown[] = [];
      for (const one of [reader, other]) {
        await one.subscribeAsync("a/b");
        one.on("message", (_topic: string, _payload: Buffer, packet: { properties?: object }) => {
          told.push({ ...packet.properties });
        });
      }
      await reader.publishAsync("a/b", "1", { properties: {} });
      await stage.pass(SOON_MS);
      await other.unsubscribeAsync("a/b");
      await reader.publishAsync("a/b", "2", { properties: { userProperties: { a: ["1", "2"] } } });
      await stage.pass(SOON_MS);
      await reader.unsubscribeAsync("a/b");
      await other.subscribeAsync("a/b");
      await reader.publishAsync("a/b", "3", { properties: { responseTopic: "answers" } });
      await stage.pass(SOON_MS);
      return told;
    },
    real: [{}, {}, { userProperties: { a: ["1", "2"] } }, {}],
  },
  {
    name: "properties of another type end the connection, and no user properties keep the packet",
    async play(stage) {
      const told: unknown[] = [];
      const all: readonly Readonly<Record<string, unknown>>[] = [
        ...[-1, 4_294_967_296, 4_294_967_295, 0, "1"].map((messageExpiryInterval) => ({
          messageExpiryInterval,
        })),
        ...[1, true, false].map((payloadFormatIndicator) => ({ payloadFormatIndicator })),
        ...[null, undefined, "", "a"].map((contentType) => ({ contentType })),
        ...[5, "answers"].map((responseTopic) => ({ responseTopic })),
        ...[{}, "a", { a: [] }, { a: 5 }, { a: ["1", undefined] }].map((userProperties) => ({
          userProperties,
        })),
        { userProperties: {}, contentType: null },
        { contentType: null, userProperties: {} },
      ];
      for (const properties of all) {
        const writer = await connected(stage, { ...ONCE, protocolVersion: 5 });
        const events: string[] = [];
        for (const name of ["close", "error"]) writer.on(name, () => events.push(name));
        let came: unknown = "nothing";
        void outcomeOf(() => writer.publishAsync("a/b", "x", { qos: 1, properties })).then(
          (outcome) => {
            const { name = "published" } = outcome as { readonly name?: string };
            came = name;
          },
        );
        await stage.pass(SOON_MS);
        told.push([came, writer.connected, ...events].join(" "));
        await writer.endAsync(true);
      }
      return told;
    },
    real: [
      ...["nothing false close", "nothing false close", "published true", "published true"],
      ...["nothing false close", "nothing false close", "published true", "published true"],
      ...["nothing false close", "published true", "published true", "published true"],
      ...["nothing false close", "published true"],
      ...["nothing true", "nothing false close", "nothing true", "published true"],
      ...["TypeError true", "nothing true", "nothing false close"],
    ],
  },
  {
    name: "whether messages of quality 0 are queued is decided when a client is made",
    async play(stage) {
      const writer = await connected(stage, { clientId: "writer", reconnectPeriod: 100 });
      const options = writer.options as { queueQoSZero: boolean | undefined };
      const given = options.queueQoSZero ?? "not given";
      options.queueQoSZero = false;
      writer.stream.destroy();
      while (writer.connected) await stage.pass(1);
      const outcome = await outcomeOf(() => writer.publishAsync("a/b", "x", { qos: 0 }));
      return [given, writer.queueQoSZero, outcome];
    },
    real: ["not given", true, "nothing"],
  },
];
