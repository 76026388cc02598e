import { AckPolicy, jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { NatsClient } from "../../sim/brokers/nats/client.ts";
import { nats } from "../../sim/brokers/nats/model.ts";
import { NATS_CALLS } from "../brokers/drawn/nats.ts";
import { NATS_SLIPS } from "../brokers/drawn/nats-slips.ts";
import { NATS } from "../brokers/observed/nats.ts";
import { BROKER_CRASHES } from "../brokers/observed/observation.ts";
import { NATS_SERVER, natsLane, startNats } from "./nats-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { type RealBroker, testReal } from "./test-real.ts";
import { testSlips } from "./test-slips.ts";

const NANOS_PER_MS = 1_000_000;

const brokerWith = (storage: StorageType): RealBroker<NatsClient> => ({
  name: "nats-server",
  commands: [NATS_SERVER],
  start: startNats,
  async stage(server, lane = 0) {
    const { port } = server;
    const connection = await connect(natsLane(lane, port));
    const manager = await jetstreamManager(connection);
    for await (const { config } of manager.streams.list())
      await manager.streams.delete(config.name);
    await manager.streams.add({ name: "ORDERS", subjects: ["orders.>"], storage });
    await manager.streams.add({ name: "DEAD", subjects: ["dead.>"], storage });
    await manager.consumers.add("ORDERS", {
      durable_name: "triggerer",
      ack_policy: AckPolicy.Explicit,
      ack_wait: 5_000 * NANOS_PER_MS,
    });
    const client = jetstream(connection);
    return {
      // The model's client is typed as the part of the library that it has.
      client: client as unknown as NatsClient,
      async publish(ref) {
        await client.publish("orders.key-1", JSON.stringify({ ref, key: "key-1" }), { msgID: ref });
      },
      operations: { [BROKER_CRASHES]: () => server.crash() },
      async close() {
        await connection.close();
      },
    };
  },
});

/** Streams on disk can be made anew only so fast. */
const QUICK = brokerWith(StorageType.Memory);

const ON_DISK = brokerWith(StorageType.File);
const drawn = testDrawn(NATS_CALLS, QUICK, () => nats(), { numRuns: 60, lanes: 4 });
const slips = testSlips(NATS_SLIPS, ON_DISK, () => nats(), { numRuns: 40, lanes: 8 });

testReal(NATS, ON_DISK, (running) => {
  drawn(running);
  slips(running);
});
