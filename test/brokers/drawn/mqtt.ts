import * as fc from "fast-check";
import type { MqttModelClient, MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import type { DrawnSequences } from "./drawn.ts";

type Name = "reader" | "other";
type Call =
  | readonly ["connect", Name, clean: boolean]
  | readonly ["cut" | "end", Name]
  | readonly ["subscribe", Name, filter: string, qos: 0 | 1 | 2]
  | readonly ["unsubscribe", Name, filter: string]
  | readonly ["publish", topic: string, qos: 0 | 1 | 2, retain: boolean]
  | readonly ["done" | "not done", Name];

/** As long as a server on the same machine needs at most for what a call sets off. */
const SOON_MS = 20;

const VERSION = { reader: 4, other: 5 };
const SETTINGS = {
  reconnectPeriod: 0,
  properties: { sessionExpiryInterval: 100, receiveMaximum: 3 },
};

const name = fc.constantFrom<Name>("reader", "other");
const filter = fc.constantFrom("a/b", "a/+", "a/#", "#", "+/c");
const topic = fc.constantFrom("a/b", "a/c", "a");
const qos = fc.constantFrom<0 | 1 | 2>(0, 1, 2);
const kind = <Kind extends string>(text: Kind): fc.Arbitrary<Kind> => fc.constant(text);

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(kind("connect"), name, fc.boolean()) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom("cut" as const, "end" as const), name) },
  { weight: 3, arbitrary: fc.tuple(kind("subscribe"), name, filter, qos) },
  { weight: 1, arbitrary: fc.tuple(kind("unsubscribe"), name, filter) },
  { weight: 5, arbitrary: fc.tuple(kind("publish"), topic, qos, fc.constant(false)) },
  { weight: 1, arbitrary: fc.tuple(kind("publish"), fc.constant("a/b"), qos, fc.constant(true)) },
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constantFrom("done" as const, "done" as const, "not done" as const),
      name,
    ),
  },
);

/**
 * Two clients, of both versions, that come and go and keep each message in hand until they are told
 * what to say, and a third that publishes.
 */
export const MQTT_CALLS: DrawnSequences<MqttModule, Call> = {
  operation: call,
  operationsMax: 14,
  async play(stage, calls) {
    const open = new Map<Name, MqttModelClient>();
    const inHand = new Map<Name, (error?: Error) => void>();
    let told: unknown[] = [];
    const writer = await connecting(stage.client, { reconnectPeriod: 0, clientId: "writer" });
    const connect = async (who: Name, clean: boolean): Promise<unknown> => {
      if (open.has(who)) return "is connected";
      const version = VERSION[who];
      const client = stage.client.connect("mqtt://localhost", {
        ...SETTINGS,
        ...{ clientId: who, protocolVersion: version, clean },
      });
      client.handleMessage = (packet, done) => {
        const { topic: to, payload, qos: quality, retain, dup, messageId } = packet;
        told.push([who, to, String(payload), quality, retain, dup, messageId ?? 0]);
        inHand.set(who, done);
      };
      client.on("connect", ({ sessionPresent }: { sessionPresent: boolean }) => {
        told.push([who, "session", sessionPresent]);
      });
      open.set(who, client);
      await stage.pass(SOON_MS);
      return undefined;
    };
    let published = 0;
    const perform = async (one: Call): Promise<unknown> => {
      if (one[0] === "connect") return connect(one[1], one[2]);
      if (one[0] === "publish") {
        published += 1;
        const options = { qos: one[2], retain: one[3] };
        await writer.publishAsync(one[1], `message ${published}`, options);
        return undefined;
      }
      const client = open.get(one[1]);
      if (client === undefined) return "is not connected";
      if (one[0] === "subscribe") {
        const asked = { [one[2]]: { qos: one[3] }, resubscribe: true };
        // Its answer and what is retained come with one packet of the network, or with two: then the
        // answer is first. So only errors are told.
        client.subscribe(asked, (error: Error | null) => {
          if (error !== null) told.push(error.message);
        });
      } else if (one[0] === "unsubscribe") client.unsubscribe(one[2]);
      else if (one[0] === "done" || one[0] === "not done") {
        const done = inHand.get(one[1]);
        inHand.delete(one[1]);
        done?.(one[0] === "done" ? undefined : new Error("not done"));
      } else {
        open.delete(one[1]);
        inHand.delete(one[1]);
        client.handleMessage = () => undefined;
        if (one[0] === "cut") client.stream.destroy();
        client.end(true);
      }
      return undefined;
    };
    const seen: unknown[] = [];
    for (const one of calls) {
      const outcome = await perform(one);
      await stage.pass(SOON_MS);
      // The messages of two clients come in any order.
      seen.push([
        one,
        outcome ?? "",
        told.filter(isOf("reader")),
        told.filter((each) => !isOf("reader")(each)),
      ]);
      told = [];
    }
    for (const client of [writer, ...open.values()]) client.end(true);
    return seen;
  },
};

function isOf(who: Name): (told: unknown) => boolean {
  return (told) => Array.isArray(told) && told[0] === who;
}

async function connecting(client: MqttModule, options: object): Promise<MqttModelClient> {
  const connection = client.connect("mqtt://localhost", options);
  await new Promise<void>((resolve) => void connection.once("connect", () => resolve()));
  return connection;
}
