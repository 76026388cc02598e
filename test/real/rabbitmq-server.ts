import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { connect } from "amqplib";
import type { AmqpClient } from "../../sim/brokers/rabbitmq/model.ts";
import { BROKER_CRASHES } from "../brokers/observed/observation.ts";
import { environmentFor, freePort, type Place, placeOf, startServer } from "./loopback-server.ts";
import type { RealBroker, RealStage } from "./test-real.ts";

const NODE = "faultlane@localhost";
const GUEST = `Basic ${Buffer.from("guest:guest").toString("base64")}`;

/** What operators use: the command line, and the management plugin. */
interface Operator {
  control(...words: readonly string[]): Promise<unknown>;
  request(method: string, path: string): Promise<unknown>;
}

let operator: Operator;

/** Deletes all queues and exchanges of a virtual host but the server's own. */
async function clear({ request }: Operator, vhost: string): Promise<void> {
  for (const kind of ["queues", "exchanges"]) {
    const all = (await request("GET", `${kind}/${vhost}`)) as readonly { readonly name: string }[];
    const names = all.map(({ name }) => name);
    const deletable = names.filter((name) => name !== "" && !/^amq\.(?!gen)/.test(name));
    for (const name of deletable) {
      await request("DELETE", `${kind}/${vhost}/${encodeURIComponent(name)}`);
    }
  }
}

/** Returns the virtual host of a lane, as a part of a URL; the first is the server's own. */
async function vhostOf(lane: number, { request }: Operator): Promise<string> {
  if (lane === 0) return "%2F";
  const vhost = `lane-${lane}`;
  await request("PUT", `vhosts/${vhost}`);
  return vhost;
}

export const RABBITMQ_SERVER: RealBroker<AmqpClient> = {
  name: "rabbitmq-server",
  commands: ["rabbitmq-server", "rabbitmqctl", "epmd"],
  async start() {
    // Erlang's nodes find each other by this one; what the node started itself would outlive it.
    const names = await startServer({
      command: "epmd",
      arguments: ({ port }) => ["-address", "127.0.0.1", "-port", String(port)],
    });
    const [distribution, management] = [await freePort(), await freePort()];
    const environment = ({ port, folder }: Place): Record<string, string> => ({
      ERL_EPMD_PORT: String(names.port),
      RABBITMQ_NODENAME: NODE,
      RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_MNESIA_BASE: folder,
      RABBITMQ_LOG_BASE: folder,
      RABBITMQ_PID_FILE: `${folder}/pid`,
      RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/plugins`,
      RABBITMQ_CONFIG_FILE: `${folder}/rabbitmq.conf`,
    });
    const listens = { "tcp.ip": "127.0.0.1", "tcp.port": String(management) };
    const settings = Object.entries(listens).map(
      ([name, value]) => `management.${name} = ${value}\n`,
    );
    const server = await startServer({
      command: "rabbitmq-server",
      arguments: ({ folder }) => {
        writeFileSync(`${folder}/plugins`, "[rabbitmq_management].");
        writeFileSync(`${folder}/rabbitmq.conf`, settings.join(""));
        return [];
      },
      environment,
      servingPid: ({ folder }) => Number(readFileSync(`${folder}/pid`, "utf8")),
    });
    const env = { ...environmentFor(server.folder), ...environment(server) };
    operator = {
      control: (...words) =>
        promisify(execFile)(placeOf("rabbitmqctl") ?? "", ["-n", NODE, ...words], { env }),
      async request(method, path) {
        const url = `http://127.0.0.1:${management}/api/${path}`;
        const reply = await fetch(url, { method, headers: { authorization: GUEST } });
        if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status}`);
        return reply.status === 200 ? ((await reply.json()) as unknown) : undefined;
      },
    };
    await operator.control("await_startup");
    return {
      ...server,
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await names[Symbol.asyncDispose]();
      },
    };
  },
  async stage(server, lane = 0) {
    const { port } = server;
    const vhost = await vhostOf(lane, operator);
    await clear(operator, vhost);
    const url = `amqp://guest:guest@127.0.0.1:${port}/${vhost}`;
    const connection = await connect(url);
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue("orders.dead");
    await channel.assertExchange("orders.dead", "fanout");
    await channel.bindQueue("orders.dead", "orders.dead", "");
    await channel.assertQueue("orders");
    const client: unknown = {
      connect: (_: string, options: Parameters<typeof connect>[1]) => connect(url, options),
    };
    return {
      // The model's client is typed as the part of amqplib that it has.
      client: client as AmqpClient,
      async publish(ref) {
        const content = Buffer.from(JSON.stringify({ ref, key: "key-1" }));
        channel.sendToQueue("orders", content, { messageId: ref });
        await channel.waitForConfirms();
      },
      operations: {
        async "the node closes all connections"() {
          await operator.control("close_all_connections", "CONNECTION_FORCED");
        },
        async [BROKER_CRASHES]() {
          connection.on("error", () => undefined);
          await server.crash();
          await operator.control("await_startup");
        },
      },
      async close() {
        await connection.close().catch(() => undefined);
      },
    };
  },
};

/** The same, faster: what a drawn sequence leaves behind is a queue, on its lane's one connection. */
export function quickRabbitmq(): RealBroker<AmqpClient> {
  const lanes = new Map<number, Promise<RealStage<AmqpClient>>>();
  return {
    ...RABBITMQ_SERVER,
    async stage(server, lane = 0) {
      const first = lanes.get(lane) ?? RABBITMQ_SERVER.stage(server, lane);
      lanes.set(lane, first);
      const { client, ...parts } = await first;
      const connection = await client.connect("");
      const channel = await connection.createChannel();
      await channel.deleteQueue("orders");
      await channel.assertQueue("orders");
      return { ...parts, client, close: () => connection.close() };
    },
  };
}
