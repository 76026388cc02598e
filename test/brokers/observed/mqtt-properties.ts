import type { MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { connected } from "./mqtt-connected.ts";
import type { Observation } from "./observation.ts";

const SOON_MS = 100;
/** The server counts whole seconds, and takes a message for expired when more have passed. */
const EXPIRED_MS = 2_300;
const READER = { clientId: "reader", protocolVersion: 5 };
const KEPT = { ...READER, clean: false, properties: { sessionExpiryInterval: 100 } };

interface Got {
  readonly properties?: { readonly [name: string]: unknown };
}

/** What a message carries in version 5 that the server looks at. */
export const PROPERTIES: readonly Observation<MqttModule>[] = [
  {
    name: "messages that expire while their reader is away, and what is left of others",
    async play(stage) {
      const away = await connected(stage, KEPT);
      await away.subscribeAsync("x/#", { qos: 1 });
      await away.endAsync();
      const writer = await connected(stage, { ...READER, clientId: "writer" });
      const publish = (topic: string, qos: 0 | 1 | 2, seconds: number, retain = false) =>
        writer.publishAsync(topic, topic, {
          ...{ qos, retain, properties: { messageExpiryInterval: seconds } },
        });
      await publish("x/short", 1, 1);
      await publish("x/short-2", 2, 1);
      await publish("x/long", 1, 100);
      await publish("y/short", 1, 1, true);
      await publish("y/long", 1, 100, true);
      await writer.publishAsync("x/plain", "plain", { qos: 1 });
      await writer.endAsync();
      await stage.pass(EXPIRED_MS);
      const seen: unknown[] = [];
      const back = stage.client.connect("mqtt://localhost", KEPT);
      back.on("message", (topic: string, _payload: unknown, { properties }: Got) => {
        const left = properties?.["messageExpiryInterval"];
        seen.push([topic, typeof left === "number" ? left < 100 && left > 90 : null]);
      });
      await stage.pass(SOON_MS);
      await back.subscribeAsync("y/#", { qos: 1 });
      await stage.pass(SOON_MS);
      await back.endAsync();
      return seen;
    },
    real: [
      ["x/long", true],
      ["x/plain", null],
      ["y/long", true],
    ],
  },
  {
    name: "a message comes with the number of the subscription that it is for",
    async play(stage) {
      const reader = await connected(stage, READER);
      const seen: unknown[] = [];
      reader.on("message", (topic: string, _payload: unknown, { properties = {} }: Got) => {
        seen.push([topic, Object.keys(properties).toSorted(), properties]);
      });
      const numbered = (subscriptionIdentifier: number) => ({ subscriptionIdentifier });
      const granted = await reader.subscribeAsync("x/+", { qos: 1, properties: numbered(7) });
      await reader.subscribeAsync("x/#", { qos: 1, properties: numbered(8) });
      await reader.subscribeAsync("y", { qos: 0 });
      const carried = { contentType: "text/plain" };
      await reader.publishAsync("x/1", "1", { qos: 1, properties: carried });
      await reader.publishAsync("x/1/2", "1", { qos: 0 });
      await reader.publishAsync("y", "1", { qos: 1 });
      await stage.pass(SOON_MS);
      await reader.endAsync();
      return [granted, seen];
    },
    real: [
      [
        {
          topic: "x/+",
          qos: 1,
          nl: false,
          rap: false,
          rh: 0,
          properties: { subscriptionIdentifier: 7 },
        },
      ],
      [
        [
          "x/1",
          ["contentType", "subscriptionIdentifier"],
          { subscriptionIdentifier: 7, contentType: "text/plain" },
        ],
        [
          "x/1",
          ["contentType", "subscriptionIdentifier"],
          { subscriptionIdentifier: 8, contentType: "text/plain" },
        ],
        ["x/1/2", ["subscriptionIdentifier"], { subscriptionIdentifier: 8 }],
        ["y", [], {}],
      ],
    ],
  },
  {
    name: "what a message's properties arrive as, and an expiry of 0",
    async play(stage) {
      const away = await connected(stage, KEPT);
      await away.subscribeAsync("x/#", { qos: 1 });
      await away.endAsync();
      const writer = await connected(stage, { ...READER, clientId: "writer" });
      const carried: readonly Readonly<Record<string, unknown>>[] = [
        { messageExpiryInterval: 0, contentType: "text/plain" },
        { userProperties: { number: 5, truth: true, list: [1, "two"], text: "one" } },
        { correlationData: "text" },
        { correlationData: Buffer.from("bytes"), userProperties: { a: "b" } },
      ];
      for (const properties of carried) {
        await writer.publishAsync("x/1", "1", { qos: 1, properties });
      }
      await writer.endAsync();
      await stage.pass(EXPIRED_MS);
      const seen: unknown[] = [];
      const back = stage.client.connect("mqtt://localhost", KEPT);
      back.on("message", (_topic: string, _payload: unknown, { properties = {} }: Got) => {
        const { correlationData: data, ...others } = properties;
        seen.push(Buffer.isBuffer(data) ? { ...others, data: data.toString() } : others);
      });
      await stage.pass(SOON_MS);
      await back.endAsync();
      return JSON.parse(JSON.stringify(seen)) as unknown;
    },
    real: [
      { contentType: "text/plain" },
      { userProperties: { number: "5", truth: "true", list: ["1", "two"], text: "one" } },
      { data: "text" },
      { userProperties: { a: "b" }, data: "bytes" },
    ],
  },
];
