import { setTimeout as pass } from "node:timers/promises";
import { AckPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { NATS_SERVER, startNats } from "../nats-server.ts";
import { bodyOf, type CrashBroker, refOfBody } from "./crash-broker.ts";

const RETRY_MS = 200;
const TRIES = 50;
const ACK_WAIT_NANOS = 6_000_000_000;

export const BROKER: CrashBroker = {
  name: "nats-server",
  commands: [NATS_SERVER],
  correct: "nats",
  naive: "naive-nats",
  silenceMs: 8_000,
  start: startNats,
  async open({ port }) {
    const connection = await connectTo(port);
    const manager = await jetstreamManager(connection);
    for await (const { config } of manager.streams.list()) {
      await manager.streams.delete(config.name);
    }
    await manager.streams.add({ name: "ORDERS", subjects: ["orders.>"] });
    await manager.streams.add({ name: "DEAD", subjects: ["dead.>"] });
    await manager.consumers.add("ORDERS", {
      durable_name: "triggerer",
      ack_policy: AckPolicy.Explicit,
      ack_wait: ACK_WAIT_NANOS,
    });
    const client = jetstream(connection);
    /** The id lets the server ignore a second copy. */
    const published = async (ref: string): Promise<void> => {
      for (let tries = 1; ; tries += 1) {
        try {
          await client.publish("orders.key-1", bodyOf(ref), { msgID: ref });
          return;
        } catch (error) {
          // The connection may not be back yet.
          if (tries === TRIES) throw error;
          await pass(RETRY_MS);
        }
      }
    };
    return {
      async publish(refs) {
        for (const ref of refs) await published(ref);
      },
      async deadLetters() {
        const { state } = await manager.streams.info("DEAD");
        const refs = new Set<string>();
        for (let seq = 1; seq <= state.last_seq; seq += 1) {
          const message = await manager.streams.getMessage("DEAD", { seq });
          if (message !== null) refs.add(refOfBody(message.data));
        }
        return refs;
      },
      async close() {
        await connection.close();
      },
    };
  },
  async connect(port) {
    const connection = await connectTo(port);
    return () => jetstream(connection);
  },
};

/** Reconnects for as long as the server is away. */
function connectTo(port: number): Promise<NatsConnection> {
  const always = { maxReconnectAttempts: -1, reconnectTimeWait: 200, waitOnFirstConnect: true };
  return connect({ servers: `127.0.0.1:${port}`, ...always });
}
