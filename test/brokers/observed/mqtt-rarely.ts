import type { MqttModelClient, MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { connected } from "./mqtt-connected.ts";
import { errorFacts, type Observation, outcomeOf } from "./observation.ts";

/** Longer than a server on the same machine needs for anything, and than a client waits. */
const SOON_MS = 100;
const AGAIN_MS = 400;
const BRIEF = { reconnectPeriod: 100, clientId: "reader" };
const OTHER = { ...BRIEF, clientId: "other" };
/** More than the server keeps for one client that is away. */
const TOO_MANY = 1_010;
const ID_MAX = 65_535;

interface Packet {
  readonly qos?: number;
  readonly retain?: boolean;
}

function reading(client: MqttModelClient): string[] {
  const read: string[] = [];
  client.on("message", (topic: string, payload: Buffer, { qos, retain }: Packet) => {
    read.push(`${topic} ${payload.toString()} ${qos}${retain === true ? " retained" : ""}`);
  });
  return read;
}

function eventsOf(client: MqttModelClient): string[] {
  const told: string[] = [];
  for (const name of ["connect", "close", "end", "disconnect", "error"] as const) {
    client.on(name, (fact?: unknown) => {
      const { reasonCode, message } = (fact ?? {}) as { reasonCode?: number; message?: string };
      told.push([name, reasonCode, message].filter((one) => one !== undefined).join(" "));
    });
  }
  return told;
}

/** What clients and servers seldom do. */
export const MQTT_RARELY: readonly Observation<MqttModule>[] = [
  {
    name: "which filters match which topics",
    async play(stage) {
      const writer = await connected(stage, OTHER);
      const filters = [
        "#",
        "+/a",
        "a/+",
        "a/#",
        "a",
        "$own/#",
        "$own/a",
        "+/+/a",
        "/a",
        "+/",
        "/#",
      ];
      const topics = ["a", "a/", "a/b", "a/b/a", "b/a", "/a", "a//a", "$own/a", "$own", "/"];
      const told: unknown[] = [];
      for (const filter of filters) {
        const reader = await connected(stage, BRIEF);
        const read = reading(reader);
        await reader.subscribeAsync(filter);
        for (const topic of topics) await writer.publishAsync(topic, "x", { qos: 1 });
        await stage.pass(SOON_MS);
        // What others have left on the server is no answer to these.
        const sent = read.filter((one) => !one.endsWith(" retained"));
        told.push([filter, sent.map((one) => one.split(" ")[0])]);
        await reader.endAsync();
      }
      return told;
    },
    real: [
      ["#", ["a", "a/", "a/b", "a/b/a", "b/a", "/a", "a//a", "/"]],
      ["+/a", ["b/a", "/a"]],
      ["a/+", ["a/", "a/b"]],
      ["a/#", ["a", "a/", "a/b", "a/b/a", "a//a"]],
      ["a", ["a"]],
      ["$own/#", ["$own/a", "$own"]],
      ["$own/a", ["$own/a"]],
      ["+/+/a", ["a/b/a", "a//a"]],
      ["/a", ["/a"]],
      ["+/", ["a/", "/"]],
      ["/#", ["/a", "/"]],
    ],
  },
  {
    name: "who does not subscribe again gets nothing on the next connection",
    async play(stage) {
      const writer = await connected(stage, OTHER);
      const told: unknown[] = [];
      for (const resubscribe of [true, false]) {
        const reader = await connected(stage, { ...BRIEF, resubscribe });
        const read = reading(reader);
        await reader.subscribeAsync({ "a/b": { qos: 1 }, "a/c": { qos: 0 } });
        await reader.unsubscribeAsync("a/c");
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        for (const topic of ["a/b", "a/c"]) await writer.publishAsync(topic, "x", { qos: 1 });
        await stage.pass(SOON_MS);
        told.push([...read]);
        await reader.endAsync();
      }
      return told;
    },
    real: [["a/b x 1"], []],
  },
  {
    name: "the server keeps so much for a client that is away, and no more",
    async play(stage) {
      const kept = { ...BRIEF, clean: false };
      const reader = await connected(stage, kept);
      await reader.subscribeAsync("a/b", { qos: 1 });
      await reader.endAsync();
      const writer = await connected(stage, OTHER);
      const sending: Promise<unknown>[] = [];
      for (let at = 1; at <= TOO_MANY; at += 1) {
        sending.push(writer.publishAsync("a/b", String(at), { qos: 1 }));
      }
      await Promise.all(sending);
      const again = stage.client.connect("mqtt://localhost", kept);
      const read = reading(again);
      await stage.pass(5 * AGAIN_MS);
      return [read.length, read[0], read.at(-1)];
    },
    real: [1000, "a/b 1 1", "a/b 1000 1"],
  },
  {
    name: "a will, by how its client goes",
    async play(stage) {
      const watcher = await connected(stage, OTHER);
      const read = reading(watcher);
      await watcher.subscribeAsync("gone/#", { qos: 1 });
      const told: unknown[] = [];
      const goings: readonly ((client: MqttModelClient, again: object) => unknown)[] = [
        (client) => client.stream.destroy(),
        (client) => client.endAsync(),
        (client) => client.endAsync(true),
        (client) => client.endAsync(false, { reasonCode: 4 }),
        (client) => client.endAsync(false, { reasonCode: 0 }),
        (_client, again) => connected(stage, again),
      ];
      for (const protocolVersion of [4, 5]) {
        for (const clean of [true, false]) {
          for (const [at, go] of goings.entries()) {
            const will = { topic: `gone/${at}`, payload: "x", qos: 1, retain: false };
            const given = { protocolVersion, clean, clientId: `will-${at}`, reconnectPeriod: 0 };
            const client = await connected(stage, { ...given, will });
            client.on("error", () => undefined);
            await go(client, given);
            await stage.pass(SOON_MS);
          }
          told.push(read.splice(0));
        }
      }
      return told;
    },
    real: [
      ["gone/0 x 1", "gone/2 x 1", "gone/5 x 1"],
      ["gone/0 x 1", "gone/2 x 1"],
      ["gone/0 x 1", "gone/2 x 1", "gone/3 x 1", "gone/5 x 1"],
      ["gone/0 x 1", "gone/2 x 1", "gone/3 x 1", "gone/5 x 1"],
    ],
  },
  {
    name: "a client that leaves says how long its session is kept",
    async play(stage) {
      const told: unknown[] = [];
      for (const left of [undefined, 0, 100]) {
        const kept = { ...BRIEF, protocolVersion: 5, clean: false };
        const reader = await connected(stage, {
          ...kept,
          properties: { sessionExpiryInterval: 100 },
        });
        await reader.subscribeAsync("a/b", { qos: 1 });
        const properties = { sessionExpiryInterval: left };
        await reader.endAsync(false, left === undefined ? {} : { properties });
        const again = stage.client.connect("mqtt://localhost", kept);
        again.on("connect", ({ sessionPresent }: { readonly sessionPresent: boolean }) => {
          told.push([left ?? "as it was", sessionPresent]);
        });
        await stage.pass(SOON_MS);
        await again.endAsync();
      }
      return told;
    },
    real: [
      ["as it was", true],
      [0, false],
      [100, true],
    ],
  },
  {
    name: "what was sent and not acknowledged expires while its reader is away",
    async play(stage) {
      const kept = {
        ...BRIEF,
        ...{ protocolVersion: 5, clean: false, properties: { sessionExpiryInterval: 100 } },
      };
      const reader = await connected(stage, kept);
      const held: string[] = [];
      reader.handleMessage = ({ payload }) => void held.push(String(payload));
      await reader.subscribeAsync("a/b", { qos: 1 });
      const writer = await connected(stage, { ...OTHER, protocolVersion: 5 });
      const brief = { properties: { messageExpiryInterval: 1 } };
      await writer.publishAsync("a/b", "brief", { qos: 1, ...brief });
      await writer.publishAsync("a/b", "kept", { qos: 1 });
      await stage.pass(SOON_MS);
      await reader.endAsync(true);
      await stage.pass(3_000);
      const again = stage.client.connect("mqtt://localhost", kept);
      const read = reading(again);
      await stage.pass(AGAIN_MS);
      return { held, read };
    },
    real: { held: ["brief"], read: ["a/b kept 1"] },
  },
  {
    name: "payloads of the kinds that a program may get wrong",
    async play(stage) {
      const writer = await connected(stage, { ...BRIEF, reconnectPeriod: 0 });
      const read = reading(writer);
      await writer.subscribeAsync("a/b");
      const told: unknown[] = [];
      const named = { sum: () => 1 }.sum;
      for (const payload of [named, new Uint8Array([97]), false, 0]) {
        const sent = writer.publishAsync("a/b", payload as unknown as string, { qos: 1 });
        told.push(await sent.then(() => "published", errorFacts));
      }
      await stage.pass(SOON_MS);
      return { told, read };
    },
    real: {
      told: [
        {
          name: "TypeError",
          message:
            'The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received function sum',
          code: "ERR_INVALID_ARG_TYPE",
        },
        "published",
        "published",
        "published",
      ],
      read: ["a/b a 0", "a/b  0", "a/b  0"],
    },
  },
  {
    name: "what is taken out, refused or left over when there is no connection",
    async play(stage) {
      const writer = await connected(stage, { ...BRIEF, queueQoSZero: false });
      const told: unknown[] = [];
      const tell = (what: string) => (error?: unknown) =>
        void told.push([what, (error as Error | null | undefined)?.message ?? "done"]);
      const from = writer.getLastMessageId();
      writer.stream.destroy();
      await stage.pass(20);
      writer.publish("a/b", "0", { qos: 0 }, tell("of quality 0"));
      writer.publish("a/b", "1", { qos: 1 }, tell("taken out"));
      const removed = writer.removeOutgoingMessage(writer.getLastMessageId()) === writer;
      writer.removeOutgoingMessage(77);
      writer.publish("a/b", "2", { qos: 1 }, tell("sent later"));
      writer.subscribe("a/c", { qos: 1 }, tell("subscribed"));
      await stage.pass(AGAIN_MS);
      await writer.endAsync();
      writer.publish("a/b", "3", { qos: 1 }, tell("after the end"));
      writer.subscribe("a/d", { qos: 1 }, tell("after the end"));
      writer.unsubscribe("a/d", tell("after the end"));
      const taken = (writer.getLastMessageId() - from + ID_MAX) % ID_MAX;
      return { removed, taken, told, queues: writer.queueQoSZero };
    },
    real: {
      removed: true,
      taken: 4,
      told: [
        ["of quality 0", "No connection to broker"],
        ["taken out", "Message removed"],
        ["sent later", "done"],
        ["subscribed", "done"],
        ["after the end", "client disconnecting"],
        ["after the end", "client disconnecting"],
        ["after the end", "client disconnecting"],
      ],
      queues: false,
    },
  },
  {
    name: "what a client without reconnections publishes behind its end",
    async play(stage) {
      const writer = await connected(stage, { reconnectPeriod: 0 });
      await writer.endAsync();
      const told: unknown[] = [];
      for (const qos of [0, 1, 2] as const) {
        const publish = writer.publishAsync("a/b", "1", { qos });
        const waits = stage.pass(AGAIN_MS).then(() => "waits");
        told.push(await Promise.race([publish, waits]).catch((error: Error) => error.name));
      }
      writer.reconnect();
      await stage.pass(AGAIN_MS);
      await writer.publishAsync("a/b", "2", { qos: 1 });
      return [...told, writer.connected];
    },
    real: ["waits", "TypeError", "TypeError", true],
  },
  {
    name: "acknowledgements that a client decides on itself",
    async play(stage) {
      const told: unknown[] = [];
      for (const qos of [1, 2] as const) {
        for (const answer of [0, 135, 199, new Error("mine"), "code"] as const) {
          const reader = await connected(stage, {
            ...{ ...BRIEF, protocolVersion: 5 },
            customHandleAcks: (
              _topic: string,
              _payload: Buffer,
              _packet: object,
              done: (error: Error | number | null, code?: number) => void,
            ) => (answer === "code" ? done(null, 128) : done(answer)),
          });
          const events = eventsOf(reader);
          const read = reading(reader);
          await reader.subscribeAsync("a/b", { qos });
          const writer = await connected(stage, { ...OTHER, protocolVersion: 5 });
          await writer.publishAsync("a/b", "x", { qos });
          await stage.pass(SOON_MS);
          told.push([qos, String(answer), [...events], read]);
          await reader.endAsync(true);
          await writer.endAsync();
        }
      }
      return told;
    },
    real: [
      [1, "0", [], ["a/b x 1"]],
      [1, "135", [], []],
      [1, "199", ["error Wrong reason code for puback"], []],
      [1, "Error: mine", ["error mine"], []],
      [1, "code", [], []],
      [2, "0", [], ["a/b x 2"]],
      [2, "135", [], []],
      [2, "199", ["error Wrong reason code for pubrec"], []],
      [2, "Error: mine", ["error mine"], []],
      [2, "code", [], []],
    ],
  },
  {
    name: "two clients of one name, and clients without a name",
    async play(stage) {
      const told: unknown[] = [];
      for (const protocolVersion of [4, 5]) {
        const given = { ...BRIEF, protocolVersion, reconnectPeriod: 0 };
        const first = await connected(stage, given);
        const events = eventsOf(first);
        const second = await connected(stage, given);
        await stage.pass(SOON_MS);
        told.push([...events], second.connected);
        const nameless = await connected(stage, { ...given, clientId: "" });
        const other = await connected(stage, { ...given, clientId: "" });
        await stage.pass(SOON_MS);
        told.push([nameless.connected, other.connected, second.connected]);
        told.push(await outcomeOf(() => second.endAsync()));
      }
      return told;
    },
    real: [
      ["close"],
      true,
      [true, true, true],
      "nothing",
      ["close"],
      true,
      [true, true, true],
      "nothing",
    ],
  },
  {
    name: "what the library has set of a client's options, and what an end calls back with",
    async play(stage) {
      const client = await connected(stage, BRIEF);
      const { protocolId, writeCache, timerVariant } = client.options as unknown as Record<
        string,
        unknown
      >;
      const given = await new Promise<unknown[]>((resolve) => {
        client.end((...all: unknown[]) => resolve(all));
      });
      return [protocolId, writeCache, timerVariant, given.length];
    },
    real: ["MQTT", true, "auto", 1],
  },
];
