import { describe, expect, test } from "vitest";
import { nodeRedis } from "../../sim/brokers/redis/model.ts";
import type { NodeRedisClient } from "../../sim/brokers/redis/node-redis-client.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const ORDERS = { key: "orders", id: ">" };

function events(client: NodeRedisClient): string[] {
  const seen: string[] = [];
  client.on("error", (error: Error) => seen.push(error.message));
  for (const event of ["connect", "ready", "reconnecting", "end"]) {
    client.on(event, () => seen.push(event));
  }
  return seen;
}

function messageOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "no error",
    (error: unknown) => (error as Error).message,
  );
}

describe("node-redis", () => {
  test("a command whose reply is lost rejects, and is not sent again", async () => {
    const stage = new BrokerStage(nodeRedis());
    stage.publish(1);
    stage.strike("broker.settle", { kind: "fail", when: "after" });
    const seen = await stage.play(async (client, life) => {
      const told = events(client);
      await client.connect();
      const [read] = (await client.xReadGroup("triggerer", "a", ORDERS)) ?? [];
      const id = read?.messages[0]?.id ?? "";
      const lost = await messageOf(client.xAck("orders", "triggerer", id));
      await pass(life, 10);
      return [lost, await client.xAck("orders", "triggerer", id), told];
    });
    const lost = ["connect", "ready", "Socket closed unexpectedly", "reconnecting"];
    expect(seen).toEqual(["Socket closed unexpectedly", 0, [...lost, "connect", "ready"]]);
  });

  test("a command that the model does not have is refused under the library's name", async () => {
    const seen = await new BrokerStage(nodeRedis()).play(async (client) => {
      await client.connect();
      return [
        await client.sendCommand(["PING"]),
        await messageOf(client.sendCommand(["APPEND", "a"])),
      ];
    });
    expect(seen).toEqual(["PONG", expect.stringContaining('sendCommand(["APPEND"])')]);
    expect(seen[1]).toContain("brokers.nodeRedis");
  });

  test("what is sent while there is no server waits until there is one", async () => {
    const stage = new BrokerStage(nodeRedis());
    const server = stage.network.host("broker");
    const seen = await stage.play(async (client, life) => {
      const told = events(client);
      await client.connect();
      server?.crash();
      life.after(1_000, () => server?.start());
      const length = await client.xLen("orders");
      return [length, life.world.now >= 1_000, told.includes("reconnecting")];
    });
    expect(seen).toEqual([0, true, true]);
  });

  test.each([
    ["a read that waits rejects, and a new one gets what came", true],
    ["a client that sends nothing is told", false],
  ])("when the server crashes %s", async (_what, isReading) => {
    const stage = new BrokerStage(nodeRedis());
    const server = stage.network.host("broker");
    const seen = await stage.play(async (client, life) => {
      const told = events(client);
      await client.connect();
      const read = () => client.xReadGroup("triggerer", "a", ORDERS, { BLOCK: 0 });
      const waiting = isReading ? messageOf(read()) : undefined;
      await pass(life, 50);
      server?.crash();
      await pass(life, 50);
      server?.start();
      stage.publish(1);
      const [stream] = (await read()) ?? [];
      return [await waiting, stream?.messages.length, told];
    });
    const told = ["Socket closed unexpectedly", "reconnecting", "connect", "ready"];
    const rejection = isReading ? "Socket closed unexpectedly" : undefined;
    expect(seen).toEqual([rejection, 1, ["connect", "ready", ...told]]);
  });

  test("a crash that nobody tells of leaves a read waiting", async () => {
    const stage = new BrokerStage(nodeRedis());
    const server = stage.network.host("broker");
    const seen = await stage.play(async (client, life) => {
      const told = events(client);
      await client.connect();
      const waiting = client.xReadGroup("triggerer", "a", ORDERS, { BLOCK: 60_000 });
      await pass(life, 50);
      server?.vanish();
      await pass(life, 5_000);
      client.destroy();
      return [await messageOf(waiting), told];
    });
    expect(seen).toEqual(["Disconnects client", ["connect", "ready", "end"]]);
  });

  test("an error that nobody listens to is thrown", async () => {
    const stage = new BrokerStage(nodeRedis());
    stage.strike("broker.session", { kind: "fail", when: "before" });
    const playing = stage.play(async (client, life) => {
      await client.connect();
      await messageOf(client.xLen("orders"));
      await pass(life, 10);
    });
    await expect(playing).rejects.toThrow("The script did not come to its end");
    expect(stage.told("uncaught", ({ error }) => error)).toEqual([
      "Error: Socket closed unexpectedly",
    ]);
  });
});

// On a server each of them ended the connection, or left it without a reply for ever.
test("a command without words is refused by name, also in a transaction", async () => {
  const seen = await new BrokerStage(nodeRedis()).play(async (client) => {
    await client.connect();
    const told: unknown[] = [];
    for (const words of [[], 5, {}]) {
      const given = words as string[];
      for (const call of [
        () => client.sendCommand(given),
        () => client.multi().addCommand(given).exec(),
      ]) {
        told.push(await call().catch((error: Error) => error.name));
      }
    }
    return told;
  });
  expect(seen).toEqual(Array.from({ length: 6 }, () => "NotModelled"));
});
