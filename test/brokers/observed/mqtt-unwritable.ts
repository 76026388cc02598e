import type { MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { connected } from "./mqtt-connected.ts";
import { type Observation, outcomeOf } from "./observation.ts";

/** Longer than a server on the same machine needs for anything. */
const SOON_MS = 100;
const ONCE = { clientId: "reader", protocolVersion: 5, reconnectPeriod: 0 };
const CLOSED = { name: "ErrorWithSubackPacket", message: "Connection closed" };
const CONNECTIONS = {
  "a session that expires before it begins": { properties: { sessionExpiryInterval: -1 } },
  "an expiry that is a text": { properties: { sessionExpiryInterval: "60" } },
  "the same in version 3.1.1": {
    protocolVersion: 4,
    properties: { sessionExpiryInterval: "60" },
  },
  "user properties": { properties: { userProperties: { app: "orders", tags: ["a", "b"] } } },
  "user properties without an entry": { properties: { userProperties: {} } },
  "a wish for information": { properties: { requestResponseInformation: true } },
  "a wish that is a number": { properties: { requestProblemInformation: 1 } },
  "a password without a name": { password: "secret" },
  "a name that is a number": { username: 5, password: "secret" },
  "a password that is a number": { username: "orders", password: 5 },
  "a name without letters": { username: "", password: "secret" },
  "a will with a delay that is a text": {
    will: { topic: "a/b", payload: "x", properties: { willDelayInterval: "5" } },
  },
};
const RESERVED = ["$SYS/a", "$SYSTEM", "$share/group/a", "$shared", "$other/a"];
const NOT_AUTHORIZED = { name: "ErrorWithReasonCode", message: "Publish error: Not authorized" };

/** What a client cannot write, and what a server does not take. */
export const MQTT_UNWRITABLE: readonly Observation<MqttModule>[] = [
  {
    name: "a connection begins with what can be written, or closes without a word",
    async play({ client: mqtt, pass }) {
      const seen: Record<string, unknown> = {};
      for (const [name, options] of Object.entries(CONNECTIONS)) {
        const client = mqtt.connect("mqtt://localhost", { ...ONCE, ...options });
        const told: string[] = [];
        for (const event of ["connect", "error", "close"]) client.on(event, () => told.push(event));
        await pass(SOON_MS);
        seen[name] = told.join(", ");
        await client.endAsync(true);
        await pass(SOON_MS);
      }
      return seen;
    },
    real: {
      "a session that expires before it begins": "close",
      "an expiry that is a text": "close",
      "the same in version 3.1.1": "connect",
      "user properties": "connect",
      "user properties without an entry": "",
      "a wish for information": "connect",
      "a wish that is a number": "close",
      "a password without a name": "close",
      "a name that is a number": "close",
      "a password that is a number": "close",
      "a name without letters": "connect",
      "a will with a delay that is a text": "close",
    },
  },
  {
    name: "identifiers and user properties of a subscription that are none",
    async play(stage) {
      const seen: unknown[] = [];
      const given = [0, 1, 268_435_455, 268_435_456, "5"];
      const identifiers = given.map((subscriptionIdentifier) => ({ subscriptionIdentifier }));
      for (const properties of [...identifiers, { userProperties: {} }, { userProperties: "x" }]) {
        const reader = await connected(stage, ONCE);
        let told: unknown = "pending";
        const asking = reader.subscribeAsync("a/b", { qos: 1, properties });
        void outcomeOf(() => asking.then((granted) => granted.length)).then((one) => (told = one));
        await stage.pass(SOON_MS);
        seen.push([told, reader.connected]);
        await reader.endAsync(true);
      }
      return seen;
    },
    real: [
      [CLOSED, false],
      [1, true],
      [1, true],
      [CLOSED, false],
      [CLOSED, false],
      ["pending", true],
      [CLOSED, false],
    ],
  },
  {
    name: "nobody publishes to the server's own topics, nor to a shared subscription",
    async play(stage) {
      const seen: Record<string, unknown> = {};
      for (const protocolVersion of [4, 5]) {
        const writer = await connected(stage, { ...ONCE, protocolVersion });
        for (const topic of RESERVED) {
          const outcomes: unknown[] = [];
          for (const qos of [0, 1, 2] as const) {
            const publishing = (): Promise<unknown> => writer.publishAsync(topic, "x", { qos });
            outcomes.push(await outcomeOf(() => publishing().then(() => "published")));
          }
          seen[`${topic}, version ${protocolVersion}`] = outcomes;
        }
        await writer.endAsync();
      }
      return seen;
    },
    real: Object.fromEntries(
      [4, 5].flatMap((version) =>
        RESERVED.map((topic) => {
          const isRefused = version === 5 && topic !== "$other/a";
          const outcome = isRefused ? { ...NOT_AUTHORIZED, code: 135 } : "published";
          return [`${topic}, version ${version}`, ["published", outcome, outcome]];
        }),
      ),
    ),
  },
  {
    name: "a client without a keepalive is told the longest that there is",
    async play({ client: mqtt }) {
      const client = mqtt.connect("mqtt://localhost", { ...ONCE, keepalive: 0 });
      const connack = await new Promise((resolve) => void client.once("connect", resolve));
      await client.endAsync();
      const { length, properties } = connack as { readonly length: number; properties: object };
      return [length, Object.entries(properties)];
    },
    real: [
      12,
      [
        ["topicAliasMaximum", 10],
        ["serverKeepAlive", 65_535],
        ["receiveMaximum", 20],
      ],
    ],
  },
  {
    name: "a client that is ended by force as it connects has ended before its connection closes",
    async play({ client: mqtt, pass }) {
      const client = mqtt.connect("mqtt://localhost", ONCE);
      const told: string[] = [];
      for (const event of ["connect", "close", "end"]) client.on(event, () => told.push(event));
      client.end(true, () => told.push("called back"));
      await pass(SOON_MS);
      return told;
    },
    real: ["end", "called back", "close"],
  },
];
