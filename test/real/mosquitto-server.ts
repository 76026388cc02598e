import { readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import * as mqtt from "mqtt";
import type { MqttModule } from "../../sim/brokers/mqtt/model.ts";
import { type RunningServer, startServer } from "./loopback-server.ts";
import type { RealBroker } from "./test-real.ts";

export const MOSQUITTO = "mosquitto";

/** Starts it with its sessions on disk after each change, or with nothing on disk. */
export function startMosquitto(disk: "each change" | "none"): Promise<RunningServer> {
  return startServer({
    command: MOSQUITTO,
    arguments({ port, folder }) {
      const saves = ["autosave_on_changes true", "autosave_interval 1"];
      const settings = [
        `listener ${port} 127.0.0.1`,
        ...[ANYBODY, "user root", "set_tcp_nodelay true"],
        `persistence ${disk !== "none"}`,
        ...(disk === "none" ? [] : [`persistence_location ${folder}/`, ...saves]),
      ];
      const file = settingsOf({ folder });
      writeFileSync(file, `${settings.join("\n")}\n`);
      return ["-c", file];
    },
  });
}

const ANYBODY = "allow_anonymous true";

function settingsOf({ folder }: { readonly folder: string }): string {
  return join(folder, "mosquitto.conf");
}

/** Lets everybody connect, or nobody: who may not any more is disconnected. */
function admit(server: RunningServer, whom: "everybody" | "nobody"): void {
  const file = settingsOf(server);
  const settings = readFileSync(file, "utf8");
  const line = `allow_anonymous ${whom === "everybody"}`;
  writeFileSync(file, settings.replace(/allow_anonymous \w+/, line));
  server.reload();
}

/** Who may have a session that was kept, and what may be retained. */
const CLIENTS = ["reader", "other", "writer"];
const RETAINED = ["kept/a", "a/b"];

export function urlOf({ port }: { readonly port: number }): string {
  return `mqtt://127.0.0.1:${port}`;
}

export const MOSQUITTO_SERVER: RealBroker<MqttModule> = {
  name: "mosquitto",
  commands: [MOSQUITTO],
  start: () => startMosquitto("each change"),
  async stage(server) {
    const url = urlOf(server);
    for (const clientId of CLIENTS) await (await mqtt.connectAsync(url, { clientId })).endAsync();
    const lasting = { reconnectPeriod: 50, reconnectOnConnackError: true };
    const operator = await mqtt.connectAsync(url, lasting);
    for (const topic of RETAINED) await operator.publishAsync(topic, "", { qos: 1, retain: true });
    const clients: mqtt.MqttClient[] = [];
    let isClosed = false;
    const connect = (_url: string, options: mqtt.IClientOptions): mqtt.MqttClient => {
      const client = mqtt.connect(url, options);
      // A message of quality 0 would otherwise wait for the delayed TCP ack of the one before.
      client.on("connect", () => void (client.stream as Socket).setNoDelay(true));
      clients.push(client);
      return client;
    };
    return {
      // The model's module is typed as the part of the library that it has.
      client: { ...mqtt, connect } as unknown as MqttModule,
      async publish(ref) {
        await operator.publishAsync("orders/key-1", JSON.stringify({ ref, key: "key-1" }), {
          qos: 2,
        });
      },
      operations: {
        async "the server closes all connections"() {
          await server.crash();
          while (!operator.connected) await pass(20);
        },
        async "nobody may connect for a while"() {
          isClosed = true;
          admit(server, "nobody");
          while (operator.connected) await pass(20);
        },
      },
      async close() {
        if (isClosed) {
          admit(server, "everybody");
          while (!operator.connected) await pass(20);
        }
        await Promise.all([operator, ...clients].map((client) => client.endAsync(true)));
      },
    };
  },
};

/**
 * Servers with nothing on disk, one for each lane: clients of two lanes have the same names, and
 * with a mount point each of its own mosquitto shows the mount point in messages of quality 0.
 */
export function mosquittoInLanes(lanes: number): RealBroker<MqttModule> {
  const others: RunningServer[] = [];
  return {
    ...MOSQUITTO_SERVER,
    name: "mosquitto, drawn",
    async start() {
      const first = await startMosquitto("none");
      while (others.length < lanes - 1) others.push(await startMosquitto("none"));
      return {
        ...first,
        async [Symbol.asyncDispose]() {
          for (const server of [...others, first]) await server[Symbol.asyncDispose]();
        },
      };
    },
    stage: (server, lane = 0) => MOSQUITTO_SERVER.stage(others[lane - 1] ?? server),
  };
}
