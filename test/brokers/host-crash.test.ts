import { describe, expect, test } from "vitest";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { httpFeed } from "../../sim/brokers/http-feed/model.ts";
import { mqtt } from "../../sim/brokers/mqtt/model.ts";
import { rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const DOWN_MS = 1_000;

function crash<Client>(
  stage: BrokerStage<Client>,
  kind: "crash" | "vanish",
): { readonly downAt: number } {
  stage.network.host("broker")?.[kind](DOWN_MS);
  return { downAt: stage.world.now };
}

function stageOf<Client>(model: BrokerModel<Client>): BrokerStage<Client> {
  const stage = new BrokerStage(model);
  stage.publish(1);
  return stage;
}

// The host is up again before the client asks anything of it.
describe("a crash of the broker's host ends the connections of idle clients", () => {
  test.each(["crash", "vanish"] as const)("of RabbitMQ: %s", async (kind) => {
    const stage = stageOf(rabbitmq());
    const seen = await stage.play(async (client, life) => {
      const connection = await client.connect("amqp://localhost");
      const told: string[] = [];
      connection.on("error", (error: Error) => told.push(error.message));
      connection.on("close", () => told.push("close"));
      const channel = await connection.createChannel();
      await channel.consume("orders", () => undefined);
      await pass(life, 100);
      const { downAt } = crash(stage, kind);
      await new Promise<void>((resolve) => void connection.once("close", () => resolve()));
      const afterMs = stage.world.now - downAt;
      await pass(life, DOWN_MS);
      const again = await client.connect("amqp://localhost");
      const got = await (await again.createChannel()).get("orders");
      return { told, isAtOnce: afterMs < DOWN_MS, got: got && got.fields.redelivered };
    });
    expect(seen).toEqual({
      told: [kind === "crash" ? "read ECONNRESET" : "Unexpected close", "close"],
      isAtOnce: kind === "crash",
      got: true,
    });
  });

  test.each(["crash", "vanish"] as const)("of MQTT: %s", async (kind) => {
    const stage = stageOf(mqtt());
    const seen = await stage.play(async (module, life) => {
      const client = await module.connectAsync("mqtt://localhost", {
        clientId: "reader",
        clean: false,
        reconnectPeriod: 500,
        will: { topic: "wills", payload: Buffer.from("gone"), qos: 1, retain: true },
      });
      const told: string[] = [];
      client.on("error", (error: Error) => told.push(error.message));
      await client.subscribeAsync("mine", { qos: 1 });
      await pass(life, 100);
      const { downAt } = crash(stage, kind);
      await new Promise<void>((resolve) => void client.once("close", () => resolve()));
      const afterMs = stage.world.now - downAt;
      const { sessionPresent } = await new Promise<{ sessionPresent: boolean }>(
        (resolve) => void client.once("connect", resolve),
      );
      client.on("message", (topic: string) => told.push(topic));
      await client.subscribeAsync("wills", { qos: 1 });
      await pass(life, 1_000);
      return { told, isAtOnce: afterMs < DOWN_MS, sessionPresent };
    });
    expect(seen.isAtOnce).toBe(kind === "crash");
    expect(seen.sessionPresent).toBe(true);
    // A process that ends closes its side; a host that is back knows nothing of the connection.
    expect(seen.told.includes("read ECONNRESET")).toBe(kind === "vanish");
    expect(seen.told.filter((one) => one === "wills")).toEqual([]);
  });
});

test.each([
  [0, undefined],
  [10, 10_000],
])(
  "who only listens to MQTT learns of a half-open connection by its pings: every %i s",
  async (keepalive, toldWithinMs) => {
    const stage = stageOf(mqtt());
    const afterMs = await stage.play(async (module, life) => {
      const client = await module.connectAsync("mqtt://localhost", { keepalive });
      let toldAt: number | undefined;
      client.on("error", () => undefined);
      client.once("close", () => (toldAt = stage.world.now));
      await pass(life, 100);
      const { downAt } = crash(stage, "vanish");
      await pass(life, 120_000);
      client.end(true);
      return toldAt === undefined ? undefined : toldAt - downAt;
    });
    if (toldWithinMs === undefined) expect(afterMs).toBeUndefined();
    else expect(afterMs).toBeLessThanOrEqual(toldWithinMs);
  },
);

test("a connection that is half-open while a message is on its way brings nothing more", async () => {
  const stage = new BrokerStage(mqtt());
  const told = await stage.play(async (module, life) => {
    const options = { keepalive: 0, clientId: "reader", clean: false } as const;
    const client = await module.connectAsync("mqtt://localhost", options);
    const seen: string[] = [];
    client.on("message", (topic: string) => seen.push(topic));
    client.on("close", () => seen.push("close"));
    await client.subscribeAsync("orders/#", { qos: 1 });
    stage.publish(1);
    crash(stage, "vanish");
    await pass(life, 60_000);
    const before = [...seen];
    client.publish("other", "x", { qos: 0 });
    await pass(life, 10_000);
    client.end(true);
    return [before, seen.slice(before.length, before.length + 2)];
  });
  expect(told[0]).toEqual([]);
  expect(told[1]?.[0]).toBe("close");
});

test("what a client sends on a half-open connection has no effect: the restarted node resets it", async () => {
  const stage = stageOf(rabbitmq());
  const seen = await stage.play(async (client, life) => {
    const connection = await client.connect("amqp://localhost");
    const told: string[] = [];
    connection.on("error", (error: Error) => told.push(error.message));
    const channel = await connection.createChannel();
    await channel.consume("orders", (message) => {
      if (message === null) return;
      crash(stage, "vanish");
      life.after(2 * DOWN_MS, () => channel.ack(message));
    });
    await pass(life, 5 * DOWN_MS);
    return told;
  });
  expect(seen).toEqual(["read ECONNRESET"]);
  expect(stage.broker.owed()).toEqual(["ref-000001"]);
});

describe("a request that waits when the node of a feed crashes", () => {
  const WAITING = "https://feed.example/events?cursor=oldest&wait=20";

  /** Tells on whose host the code goes on behind the request. */
  function goingOn(crashes: readonly string[]): Promise<readonly (string | undefined)[]> {
    const stage = new BrokerStage(httpFeed());
    const hosts: (string | undefined)[] = [];
    stage.world.schedule(100, { lane: "test" }, () => {
      for (const name of crashes) stage.network.host(name)?.crash(DOWN_MS);
    });
    return stage.play(async ({ fetch }, life) => {
      if (life.incarnation === 1) {
        const error: unknown = await fetch(WAITING).catch((thrown: unknown) => thrown);
        hosts.push(String(error), stage.world.owner?.name);
      }
      await pass(life, 5 * DOWN_MS);
      return hosts;
    });
  }

  test("fails on the host of its client", async () => {
    expect(await goingOn(["broker"])).toEqual(["TypeError: fetch failed", "client-1"]);
  });

  test("is nobody's if its client has crashed before", async () => {
    expect(await goingOn(["client-1", "broker"])).toEqual([]);
  });
});
