import type { MqttModelClient, MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { connected } from "./mqtt-connected.ts";
import { type Observation, outcomeOf } from "./observation.ts";

const SOON_MS = 200;
const ONCE = { clientId: "reader", reconnectPeriod: 0 };

/** What a connection cannot begin with: the library closes it without a word. */
const UNWRITABLE: readonly object[] = [
  { will: { topic: "", payload: "x", qos: 1 } },
  { will: { topic: 5, payload: "x", qos: 1 } },
  { will: { topic: "wills/a", payload: 5, qos: 1 } },
  { will: { topic: "wills/a", payload: "", qos: 1 } },
  { keepalive: 65_536 },
  { keepalive: -1 },
];

/** Connections that cannot begin or have never begun, and what is written on one that is cut. */
export const BEGUN: readonly Observation<MqttModule>[] = [
  {
    name: "wills and intervals that cannot be written",
    async play({ client, pass }) {
      const told: unknown[] = [];
      for (const options of UNWRITABLE) {
        const reader = client.connect("mqtt://localhost", { ...ONCE, ...options });
        const events: string[] = [];
        for (const event of ["connect", "close", "error"]) {
          reader.on(event, () => events.push(event));
        }
        await pass(SOON_MS);
        told.push(events.join());
        await reader.endAsync(true);
      }
      return told;
    },
    real: ["close", "close", "close", "connect", "close", "close"],
  },
  {
    name: "a server that refuses connections ends a client, unless that goes on for all that",
    async play(stage) {
      const told: Record<string, unknown[]> = {};
      const clients: MqttModelClient[] = [];
      for (const [clientId, options] of [
        ["reader", { protocolVersion: 4 }],
        ["other", { protocolVersion: 5 }],
        ["writer", { protocolVersion: 5, reconnectOnConnackError: true }],
      ] as const) {
        const client = await connected(stage, { clientId, reconnectPeriod: 300, ...options });
        clients.push(client);
        const events: unknown[] = [];
        told[clientId] = events;
        for (const event of ["close", "offline", "reconnect", "connect"]) {
          client.on(event, () => events.push(event));
        }
        client.on("error", ({ name, message, code }: Error & { readonly code?: number }) => {
          events.push([name, message, code]);
        });
      }
      await stage.operate("nobody may connect for a while");
      await stage.pass(450);
      const after = clients.map(({ connected: is, reconnecting }) => [is, reconnecting]);
      await stage.pass(1_000);
      const once = Object.values(told).map((events) => events.slice(0, 5));
      const counts = Object.values(told).map(
        (events) => events.filter((event) => event === "reconnect").length > 1,
      );
      for (const client of clients) await client.endAsync(true);
      return { after, once, counts };
    },
    real: {
      after: [
        [false, true],
        [false, true],
        [false, true],
      ],
      once: [
        [
          ...["offline", "close", "reconnect"],
          ["ErrorWithReasonCode", "Connection refused: Not authorized", 5],
          "close",
        ],
        [
          ...["offline", "close", "reconnect"],
          ["ErrorWithReasonCode", "Connection refused: Not authorized", 135],
          "close",
        ],
        [
          ...["offline", "close", "reconnect"],
          ["ErrorWithReasonCode", "Connection refused: Not authorized", 135],
          "close",
        ],
      ],
      counts: [false, false, true],
    },
  },
  {
    name: "a client that ends and has never begun to connect",
    async play({ client }) {
      const told: unknown[] = [];
      for (const isForced of [false, true]) {
        const reader = client.connect("mqtt://localhost", { ...ONCE, manualConnect: true });
        const { name } = (await outcomeOf(() => reader.endAsync(isForced))) as Error;
        told.push([name, reader.disconnecting]);
      }
      return told;
    },
    real: [
      ["TypeError", true],
      ["TypeError", true],
    ],
  },
  {
    name: "what is published on a stream that was destroyed just before",
    async play(stage) {
      const reader = await connected(stage, { ...ONCE, reconnectPeriod: 50, clean: false });
      const told: string[] = [];
      reader.stream.destroy();
      for (const qos of [0, 1] as const) {
        reader.publish("orders/x", String(qos), { qos }, (error?: Error | null) => {
          told.push(`${qos} ${error?.message ?? "done"}`);
        });
      }
      await stage.pass(4 * SOON_MS);
      await reader.endAsync();
      return told;
    },
    real: ["1 done"],
  },
];
