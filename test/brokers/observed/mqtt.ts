import type { MqttModelClient, MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { connected } from "./mqtt-connected.ts";
import { BEGUN } from "./mqtt-begun.ts";
import { MISTAKES } from "./mqtt-mistakes.ts";
import { MQTT_ENDINGS } from "./mqtt-endings.ts";
import { MQTT_PACKETS } from "./mqtt-packets.ts";
import { MQTT_RARELY } from "./mqtt-rarely.ts";
import { MQTT_UNWRITABLE } from "./mqtt-unwritable.ts";
import { PROPERTIES } from "./mqtt-properties.ts";
import { type Observed, outcomeOf } from "./observation.ts";

type Done = (error?: Error) => void;

/** What a packet shows that does not depend on chance or on its length on the wire. */
interface Seen {
  readonly messageId?: number;
  readonly dup?: boolean;
  readonly qos?: number;
  readonly retain?: boolean;
  readonly payload?: unknown;
}

/** Longer than a server on the same machine needs for anything. */
const SOON_MS = 100;
/** Longer than a client waits before it connects again. */
const AGAIN_MS = 500;
const BRIEF = { reconnectPeriod: 100 };
const KEPT = { ...BRIEF, clientId: "reader", clean: false };
const KEPT_5 = { ...KEPT, protocolVersion: 5, properties: { sessionExpiryInterval: 100 } };

const EVENTS = ["connect", "reconnect", "close", "offline", "end", "error"] as const;

const words = ({ messageId, dup, payload }: Seen): string =>
  `${messageId} ${refOf(payload)}${dup === true ? " again" : ""}`;

/** Of a record its number, of another message its text. */
function refOf(payload: unknown): string {
  const text = String(payload);
  return /ref-0*(?<number>\d+)/.exec(text)?.groups?.["number"] ?? text;
}

/** Keeps every message in hand; returns those, newest last, with what acknowledges them. */
function holding(connection: MqttModelClient): { readonly words: string; readonly done: Done }[] {
  const held: { words: string; done: Done }[] = [];
  connection.handleMessage = (packet, done) => void held.push({ words: words(packet), done });
  return held;
}

/** Says yes to each message, and tells of it. */
function reading(connection: MqttModelClient, tell: (packet: Seen) => string = words): string[] {
  const read: string[] = [];
  connection.on("message", (_topic: string, _payload: unknown, packet: Seen) => {
    read.push(tell(packet));
  });
  return read;
}

function eventsOf(connection: MqttModelClient): string[] {
  const told: string[] = [];
  for (const name of EVENTS) {
    connection.on(name, (fact: unknown) => {
      told.push(fact instanceof Error ? `${name}: ${fact.message}` : name);
    });
  }
  return told;
}

const flags = ({ qos, retain, dup, payload }: Seen): string =>
  `${String(payload)} qos ${qos}${retain === true ? " retained" : ""}${dup === true ? " again" : ""}`;

/** A packet without what depends on chance or on its length. */
function plain(packet: unknown): unknown {
  if (packet === undefined || packet === null) return "nothing";
  const facts = packet as Record<string, unknown>;
  const { length: _length, messageId: _id, ...rest } = facts;
  const known = Object.entries(rest).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const AS_READ = { dup: false, payload: null, qos: 0, retain: false, topic: null };
const UNSUBACK = { cmd: "unsuback", ...AS_READ };
const CONNACK = { cmd: "connack", ...AS_READ, sessionPresent: false };
const DISCONNECTING = "client disconnecting";

/** What MQTT.js showed on a mosquitto. */
export const MQTT: Observed<MqttModule> = {
  server: "mosquitto 2.0.11 with mqtt 5.16.0",
  observations: [
    {
      name: "a message in hand holds up all behind it, and all come again on the next connection",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        const held = holding(reader);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await stage.publish(3);
        await stage.pass(SOON_MS);
        const first = held.splice(0).map((one) => one.words);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        for (let count = 1; count <= 3; count += 1) {
          held[count - 1]?.done();
          await stage.pass(SOON_MS);
        }
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        return { first, again: held.map((one) => one.words) };
      },
      real: { first: ["1 1"], again: ["1 1 again", "2 2 again", "3 3 again"] },
    },
    {
      name: "a callback with an error acknowledges nothing, and the next message comes",
      async play(stage) {
        const reader = await connected(stage, KEPT_5);
        const held = holding(reader);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await stage.publish(2);
        await stage.pass(SOON_MS);
        held[0]?.done(new Error("not done with"));
        await stage.pass(SOON_MS);
        held[1]?.done();
        await stage.pass(SOON_MS);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        return held.map((one) => one.words);
      },
      real: ["1 1", "2 2", "1 1 again"],
    },
    {
      name: "an acknowledgement of an earlier connection goes out on the next one",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        const held = holding(reader);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await stage.publish(1);
        await stage.pass(SOON_MS);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        held[0]?.done();
        await stage.pass(SOON_MS);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        return held.map((one) => one.words);
      },
      real: ["1 1", "1 1 again"],
    },
    {
      name: "20 messages are sent ahead, the rest is sent for the first time later",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        const held = holding(reader);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await stage.publish(22);
        await stage.pass(SOON_MS);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        for (let at = 1; at < 24; at += 1) held.at(-1)?.done();
        await stage.pass(SOON_MS);
        for (let at = 1; at < 40; at += 1) {
          held.at(-1)?.done();
          await stage.pass(10);
        }
        return held.map((one) => one.words).filter((_words, at) => at < 3 || at > 18);
      },
      real: ["1 1", "1 1 again", "2 2 again", "19 19 again", "20 20 again", "21 21", "22 22"],
    },
    {
      name: "a receive maximum is how many are sent ahead",
      async play(stage) {
        const properties = { sessionExpiryInterval: 100, receiveMaximum: 2 };
        const reader = await connected(stage, { ...KEPT_5, properties });
        const held = holding(reader);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await stage.publish(4);
        await stage.pass(SOON_MS);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        for (let at = 1; at < 5; at += 1) {
          held.at(-1)?.done();
          await stage.pass(SOON_MS);
        }
        return held.map((one) => one.words);
      },
      real: ["1 1", "1 1 again", "2 2 again", "3 3", "4 4"],
    },
    {
      name: "a session that is kept gets what came meanwhile, but nothing of quality 0",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await reader.endAsync();
        const writer = await connected(stage, { ...BRIEF, clientId: "writer" });
        await writer.publishAsync("orders/key-1", "zero", { qos: 0 });
        await writer.publishAsync("orders/key-1", "one", { qos: 1 });
        await stage.publish(1);
        const again = stage.client.connect("mqtt://localhost", KEPT);
        const read = reading(again);
        await stage.pass(AGAIN_MS);
        return read;
      },
      real: ["1 one", "2 1"],
    },
    {
      name: "in version 5 a session ends with its connection, unless it has an expiry",
      async play(stage) {
        const told: unknown[] = [];
        for (const seconds of [undefined, 0, 1, 100]) {
          const properties = seconds === undefined ? {} : { sessionExpiryInterval: seconds };
          const options = { ...KEPT_5, properties };
          const reader = await connected(stage, options);
          await reader.subscribeAsync("orders/#", { qos: 1 });
          await reader.endAsync();
          await stage.pass(seconds === 1 ? 3_000 : SOON_MS);
          const next = stage.client.connect("mqtt://localhost", options);
          next.on("connect", ({ sessionPresent }: { sessionPresent: boolean }) => {
            told.push([seconds ?? "none", sessionPresent]);
          });
          await stage.pass(AGAIN_MS);
          await next.endAsync();
        }
        return told;
      },
      real: [
        ["none", false],
        [0, false],
        [1, false],
        [100, true],
      ],
    },
    {
      name: "a clean start ends the session that was kept",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await reader.endAsync();
        await (await connected(stage, { ...BRIEF, clientId: "reader" })).endAsync();
        await stage.publish(1);
        const again = stage.client.connect("mqtt://localhost", KEPT);
        const read = reading(again);
        await stage.pass(AGAIN_MS);
        return read;
      },
      real: [],
    },
    {
      name: "what is retained comes with a subscription, as its options have it",
      async play(stage) {
        const writer = await connected(stage, { ...BRIEF, clientId: "writer" });
        await writer.publishAsync("kept/a", "old", { qos: 1, retain: true });
        const reader = await connected(stage, { ...BRIEF, protocolVersion: 5, clientId: "reader" });
        const read = reading(reader, flags);
        const subscribe = async (options: object): Promise<void> => {
          await reader.subscribeAsync({ "kept/+": options, resubscribe: true });
          await stage.pass(SOON_MS);
          read.push("-");
        };
        await subscribe({ qos: 2, rh: 2 });
        await subscribe({ qos: 2, rh: 1 });
        await subscribe({ qos: 2, rh: 0 });
        await subscribe({ qos: 0, rap: true });
        await reader.subscribeAsync("kept/#", { qos: 1, rap: true, rh: 2 } as never);
        await writer.publishAsync("kept/a", "new", { qos: 1, retain: true });
        await writer.publishAsync("kept/a", "", { qos: 1, retain: true });
        await stage.pass(SOON_MS);
        await subscribe({ qos: 1 });
        return read;
      },
      real: [
        ...["-", "-", "old qos 1 retained", "-", "old qos 0 retained", "-"],
        ...["new qos 0", "new qos 1 retained", " qos 0", " qos 1 retained", "-"],
      ],
    },
    {
      name: "subscriptions that overlap: one copy in version 3.1.1, one for each in version 5",
      async play(stage) {
        const told: string[][] = [];
        for (const protocolVersion of [4, 5]) {
          const reader = await connected(stage, { ...BRIEF, protocolVersion, clientId: "reader" });
          const read = reading(reader, flags);
          await reader.subscribeAsync({ "a/#": { qos: 0 }, "a/+": { qos: 1 }, "a/b": { qos: 2 } });
          const writer = await connected(stage, { ...BRIEF, clientId: "writer" });
          await writer.publishAsync("a/b", "x", { qos: 2 });
          await writer.publishAsync("a/c", "y", { qos: 2 });
          await writer.publishAsync("a", "z", { qos: 2 });
          await stage.pass(SOON_MS);
          told.push(read);
          await Promise.all([reader.endAsync(), writer.endAsync()]);
        }
        return told.map((read) => read.toSorted());
      },
      real: [
        ["x qos 2", "y qos 1", "z qos 0"],
        ["x qos 0", "x qos 1", "x qos 2", "y qos 0", "y qos 1", "z qos 0"],
      ],
    },
    {
      name: "a copy that version 3.1.1 leaves out takes an id, and the first may not be kept",
      async play(stage) {
        const settings = { ...BRIEF, clientId: "reader", clean: false };
        const reader = await connected(stage, settings);
        const ids: unknown[] = [];
        const noting = (one: typeof reader): void => {
          one.on("message", (_topic, payload, { qos, messageId }) => {
            ids.push([String(payload), qos, messageId ?? 0]);
          });
        };
        noting(reader);
        await reader.subscribeAsync({ "a/#": { qos: 2 }, "a/b": { qos: 1 } });
        const writer = await connected(stage, { ...BRIEF, clientId: "writer" });
        for (const text of ["x", "y"]) await writer.publishAsync("a/b", text, { qos: 1 });
        await stage.pass(SOON_MS);
        await reader.subscribeAsync({ "a/b": { qos: 0 } });
        await reader.endAsync();
        await writer.publishAsync("a/b", "z", { qos: 1 });
        noting(stage.client.connect("mqtt://localhost", settings));
        await stage.pass(SOON_MS);
        return ids;
      },
      real: [
        ["x", 1, 1],
        ["y", 1, 3],
        ["z", 1, 5],
      ],
    },
    {
      name: "no local: a client does not get what it has published",
      async play(stage) {
        const reader = await connected(stage, { ...BRIEF, protocolVersion: 5, clientId: "reader" });
        const read = reading(reader, flags);
        await reader.subscribeAsync({ "a/b": { qos: 1, nl: true }, "a/c": { qos: 1 } });
        await reader.publishAsync("a/b", "mine", { qos: 1 });
        await reader.publishAsync("a/c", "mine, too", { qos: 1 });
        await stage.pass(SOON_MS);
        return read;
      },
      real: ["mine, too qos 1"],
    },
    {
      name: "a shared subscription takes turns",
      async play(stage) {
        const read: string[][] = [];
        for (const clientId of ["reader", "other"]) {
          const one = await connected(stage, { ...BRIEF, protocolVersion: 5, clientId });
          read.push(reading(one, ({ payload }) => refOf(payload)));
          await one.subscribeAsync("$share/group/orders/#", { qos: 1 });
        }
        await stage.publish(4);
        await stage.pass(SOON_MS);
        return read;
      },
      real: [
        ["1", "3"],
        ["2", "4"],
      ],
    },
    {
      name: "another client with the same id takes the session over",
      async play(stage) {
        const told: unknown[] = [];
        for (const protocolVersion of [4, 5]) {
          const options = { ...KEPT, protocolVersion, reconnectPeriod: 0 };
          const properties = protocolVersion === 5 ? { sessionExpiryInterval: 100 } : {};
          const first = await connected(stage, { ...options, properties });
          const events = eventsOf(first);
          const second = await connected(stage, { ...options, properties });
          await stage.pass(SOON_MS);
          told.push([events, first.connected, second.connected]);
          await second.endAsync();
        }
        return told;
      },
      real: [
        [["close"], false, true],
        [["close"], false, true],
      ],
    },
    {
      name: "a will is published for a client that is gone, not for one that says goodbye",
      async play(stage) {
        const watcher = await connected(stage, { ...BRIEF, clientId: "other" });
        const read = reading(watcher, flags);
        await watcher.subscribeAsync("wills/#", { qos: 2 });
        const will = { topic: "wills/a", payload: "gone", qos: 1, retain: false };
        const options = { reconnectPeriod: 0, clientId: "reader", will };
        (await connected(stage, options)).stream.destroy();
        await stage.pass(SOON_MS);
        await (await connected(stage, options)).endAsync();
        await stage.pass(SOON_MS);
        const five = { ...options, protocolVersion: 5 };
        await (await connected(stage, five)).endAsync(false, { reasonCode: 4 });
        await stage.pass(SOON_MS);
        return read;
      },
      real: ["gone qos 1", "gone qos 1"],
    },
    {
      name: "quality 2: what was received is released again on the next connection",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        const told: string[] = [];
        const note = (way: string) => (packet: { readonly cmd: string } & Seen) => {
          if (!packet.cmd.startsWith("pub")) return;
          told.push(
            `${way} ${packet.cmd} ${packet.messageId}${packet.dup === true ? " again" : ""}`,
          );
        };
        const held = holding(reader);
        await reader.subscribeAsync("orders/#", { qos: 2 });
        reader.on("packetreceive", note("got")).on("packetsend", note("sent"));
        await stage.publish(1);
        await stage.pass(SOON_MS);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        held.at(-1)?.done();
        await stage.pass(SOON_MS);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        return { told, held: held.length };
      },
      real: {
        told: [
          ...["got publish 1", "sent pubrec 1", "got pubrel 1"],
          ...["got pubrel 1", "sent pubcomp 1"],
        ],
        held: 2,
      },
    },
    {
      name: "an acknowledgement with a reason settles as well, and hands nothing out",
      async play(stage) {
        const codes = [128, 7, 0];
        const told: string[] = [];
        const customHandleAcks = (
          _topic: string,
          _message: unknown,
          packet: Seen,
          done: (error: Error | number | null, code?: number) => void,
        ): void => {
          told.push(`asked for ${words(packet)}`);
          done(codes.shift() ?? 0);
        };
        const reader = await connected(stage, { ...KEPT_5, customHandleAcks });
        reader.on("message", (_topic: string, _payload: unknown, packet: Seen) => {
          told.push(`read ${words(packet)}`);
        });
        reader.on("error", (error: Error) => told.push(error.message));
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await stage.publish(3);
        await stage.pass(SOON_MS);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        return told;
      },
      real: [
        ...["asked for 1 1", "asked for 2 2", "Wrong reason code for puback"],
        ...["asked for 3 3", "read 3 3", "asked for 2 2 again", "read 2 2 again"],
      ],
    },
    {
      name: "while a message is in hand no answer is handled, not even to a publish",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        const held = holding(reader);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await stage.publish(1);
        await stage.pass(SOON_MS);
        const told: string[] = [];
        void reader.publishAsync("dead/orders", "x", { qos: 1 }).then(() => told.push("confirmed"));
        await stage.pass(AGAIN_MS);
        told.push("half a second later");
        held[0]?.done();
        await stage.pass(SOON_MS);
        return told;
      },
      real: ["half a second later", "confirmed"],
    },
    {
      name: "a message in hand for too long costs the connection, as its ping is not answered",
      async play(stage) {
        const reader = await connected(stage, { ...KEPT, keepalive: 1 });
        const told = eventsOf(reader);
        const held = holding(reader);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        await stage.publish(1);
        await stage.pass(1_800);
        return { told, held: held.map((one) => one.words) };
      },
      real: {
        told: ["offline", "error: Keepalive timeout", "close", "reconnect", "connect"],
        held: ["1 1", "1 1 again"],
      },
    },
    {
      name: "what publishing, subscribing and unsubscribing resolve with",
      async play(stage) {
        const told: unknown[] = [];
        for (const protocolVersion of [4, 5]) {
          const reader = await connected(stage, { ...BRIEF, protocolVersion, clientId: "reader" });
          for (const qos of [0, 1, 2] as const) {
            told.push(plain(await reader.publishAsync("a/b", "x", { qos })));
          }
          told.push(await reader.subscribeAsync(["a/b", "a/c"], { qos: 1 }));
          told.push(await reader.subscribeAsync("a/b", { qos: 1 }));
          told.push(plain(await reader.unsubscribeAsync("a/b")));
          told.push(plain(await reader.unsubscribeAsync("a/z")));
          await reader.endAsync();
        }
        return told;
      },
      real: [
        "nothing",
        { cmd: "publish", dup: false, payload: "x", qos: 1, retain: false, topic: "a/b" },
        { cmd: "pubrel", qos: 2 },
        [
          { topic: "a/b", qos: 1 },
          { topic: "a/c", qos: 1 },
        ],
        [],
        UNSUBACK,
        UNSUBACK,
        "nothing",
        { cmd: "publish", dup: false, payload: "x", qos: 1, retain: false, topic: "a/b" },
        { cmd: "pubrel", qos: 2 },
        [
          { topic: "a/b", qos: 1, nl: false, rap: false, rh: 0 },
          { topic: "a/c", qos: 1, nl: false, rap: false, rh: 0 },
        ],
        [],
        { ...UNSUBACK, granted: [0] },
        { ...UNSUBACK, granted: [17] },
      ],
    },
    {
      name: "what the server answers to a connection",
      async play(stage) {
        const told: unknown[] = [];
        for (const protocolVersion of [4, 5]) {
          const reader = stage.client.connect("mqtt://localhost", {
            ...BRIEF,
            protocolVersion,
            clientId: "reader",
          });
          reader.on("connect", (packet: unknown) => told.push(plain(packet)));
          await stage.pass(AGAIN_MS);
          told.push([reader.connected, reader.reconnecting, reader.disconnected ?? null]);
          await reader.endAsync();
          told.push([reader.connected, reader.disconnecting, reader.disconnected]);
        }
        return told;
      },
      real: [
        { ...CONNACK, returnCode: 0 },
        [true, false, null],
        [false, true, true],
        { ...CONNACK, reasonCode: 0, properties: { topicAliasMaximum: 10, receiveMaximum: 20 } },
        [true, false, null],
        [false, true, true],
      ],
    },
    {
      name: "what is wrong with a call",
      async play(stage) {
        const reader = await connected(stage, { ...BRIEF, clientId: "reader" });
        const told = [
          await outcomeOf(() => reader.subscribeAsync("a/#/b")),
          await outcomeOf(() => reader.subscribeAsync([])),
          await outcomeOf(() => reader.unsubscribeAsync("a+b")),
          await outcomeOf(() => stage.client.connect("mqtt://localhost", { clean: false })),
        ];
        await reader.endAsync();
        told.push(await outcomeOf(() => reader.publishAsync("a/b", "x")));
        told.push(await outcomeOf(() => reader.subscribeAsync("a/b")));
        return told;
      },
      real: [
        { name: "Error", message: "Invalid topic a/#/b" },
        { name: "Error", message: "Invalid topic empty_topic_list" },
        { name: "Error", message: "Invalid topic a+b" },
        { name: "Error", message: "Missing clientId for unclean clients" },
        { name: "Error", message: DISCONNECTING },
        { name: "Error", message: DISCONNECTING },
      ],
    },
    {
      name: "the events of a lost connection, of reconnect() and of an end",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        const told = eventsOf(reader);
        reader.stream.destroy();
        await stage.pass(AGAIN_MS);
        told.push("-");
        reader.reconnect();
        await stage.pass(AGAIN_MS);
        told.push("-");
        await reader.endAsync();
        await stage.pass(AGAIN_MS);
        told.push("-");
        await reader.endAsync();
        reader.reconnect();
        await stage.pass(AGAIN_MS);
        await reader.endAsync(true);
        return told;
      },
      real: [
        ...["offline", "close", "reconnect", "connect", "-"],
        ...["reconnect", "close", "end", "connect", "-", "close", "end", "-"],
        ...["reconnect", "connect", "close", "end"],
      ],
    },
    {
      name: "what is published without a connection goes out with the next one",
      async play(stage) {
        const watcher = await connected(stage, { ...BRIEF, clientId: "other" });
        const read = reading(watcher, flags);
        await watcher.subscribeAsync("a/#", { qos: 2 });
        const writer = await connected(stage, { ...KEPT, clientId: "writer" });
        writer.stream.destroy();
        await stage.pass(20);
        const told: string[] = [];
        for (const qos of [2, 0, 1] as const) {
          void writer.publishAsync("a/b", "x", { qos }).then(() => {
            if (qos > 0) told.push(`confirmed ${qos}`);
          });
        }
        writer.on("connect", () => told.push("connected"));
        await stage.pass(2 * AGAIN_MS);
        return { read: read.toSorted(), told };
      },
      real: {
        read: ["x qos 0", "x qos 1", "x qos 2"],
        told: ["confirmed 2", "connected", "confirmed 1"],
      },
    },
    {
      name: "the server closes all connections, and the clients come back",
      async play(stage) {
        const reader = await connected(stage, KEPT);
        const told = eventsOf(reader);
        await reader.subscribeAsync("orders/#", { qos: 1 });
        const read = reading(reader);
        // The server has to have the subscription on disk.
        await stage.pass(AGAIN_MS);
        await stage.operate("the server closes all connections");
        await stage.pass(2 * AGAIN_MS);
        await stage.publish(1);
        await stage.pass(SOON_MS);
        return { told: told.filter((one) => !one.startsWith("error")), read };
      },
      real: { told: ["offline", "close", "reconnect", "connect"], read: ["1 1"] },
    },
    ...BEGUN,
    ...MISTAKES,
    ...PROPERTIES,
    ...MQTT_RARELY,
    ...MQTT_PACKETS,
    ...MQTT_ENDINGS,
    ...MQTT_UNWRITABLE,
  ],
};
