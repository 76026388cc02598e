import { expect, test } from "vitest";
import type { Connection } from "../../sim/brokers/mqtt/session.ts";
import { MqttServer } from "../../sim/brokers/mqtt/server.ts";
import { NO_EFFECT, SettlementLog } from "../../sim/brokers/settlement-log.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";

const SETTINGS = { topic: "orders", deadLetterTopic: "dead/#", inflightMax: 20 };

interface Stage {
  readonly server: MqttServer;
  readonly connect: () => Connection;
  readonly settled: () => readonly string[];
}

function stage(): Stage {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const settlements = new SettlementLog(world, "broker");
  const server = new MqttServer(world, settlements, SETTINGS);
  settlements.published({ ref: "ref-000001", key: "key-1" });
  const connect = (): Connection => {
    const named = { clientId: "one", protocolVersion: 5, clean: false, keepalive: 0 } as const;
    const kept = { properties: { sessionExpiryInterval: 3_600 } };
    return server.connect({ cmd: "connect", ...named, ...kept }, "triggerer");
  };
  const settled = (): readonly string[] =>
    world.trace.events().flatMap((event) => {
      if (event.kind === "settle") return [`${event.act} ${event.ref} ${event.refused}`.trim()];
      return event.kind === "settled" ? [`settled ${event.ref}`] : [];
    });
  return { server, connect, settled };
}

function publishTo(server: MqttServer, connection: Connection, qos: 1 | 2): number {
  const subscriptions = [{ topic: "orders/#", qos }];
  server.receive(connection, { cmd: "subscribe", messageId: 1, subscriptions });
  server.publish("orders/key-1", Buffer.from("{}"), "ref-000001", qos);
  const sent = connection.take().find(({ cmd }) => cmd === "publish");
  return sent?.cmd === "publish" ? (sent.messageId ?? 0) : 0;
}

test.each([1, 2] as const)(
  "a second acknowledgement of a message of quality %i is accepted and has no effect",
  (qos) => {
    const { server, connect, settled } = stage();
    const connection = connect();
    const messageId = publishTo(server, connection, qos);
    const cmd = qos === 1 ? ("puback" as const) : ("pubrec" as const);
    server.receive(connection, { cmd, messageId });
    server.receive(connection, { cmd, messageId });
    expect(settled()).toEqual([
      "ack ref-000001",
      "settled ref-000001",
      `ack ref-000001 ${NO_EFFECT}`,
    ]);
  },
);

test("who acknowledges what was refused before settles nothing a second time", () => {
  const { server, connect, settled } = stage();
  const connection = connect();
  const messageId = publishTo(server, connection, 2);
  server.receive(connection, { cmd: "pubrec", messageId, reasonCode: 131 });
  server.receive(connection, { cmd: "pubrec", messageId });
  expect(settled()).toEqual([
    "terminate ref-000001",
    "settled ref-000001",
    `ack ref-000001 ${NO_EFFECT}`,
  ]);
});

test("what has quality 1 is not settled by the answer for quality 2", () => {
  const { server, connect, settled } = stage();
  const connection = connect();
  const messageId = publishTo(server, connection, 1);
  server.receive(connection, { cmd: "pubrec", messageId });
  expect(settled()).toEqual([`ack ref-000001 ${NO_EFFECT}`]);
});
