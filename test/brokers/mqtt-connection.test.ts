import { expect, test } from "vitest";
import { mqtt } from "../../sim/brokers/mqtt/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const URL_OF = "mqtt://localhost";

test("a client tells its keep-alive, and what the server answered while it is connected", async () => {
  const seen = await new BrokerStage(mqtt()).play(async (module) => {
    const client = module.connect(URL_OF, { keepalive: 7, protocolVersion: 5 });
    const before = client.serverProperties;
    await new Promise((resolve) => client.once("connect", resolve));
    const during = typeof client.serverProperties;
    await client.endAsync();
    return [client.keepalive, before, during, client.serverProperties];
  });
  expect(seen).toEqual([7, undefined, "object", undefined]);
});

test("a client that is told to reconnect while it ends does so when it has ended", async () => {
  const seen = await new BrokerStage(mqtt()).play(async (module, life) => {
    const told: string[] = [];
    const client = await module.connectAsync(URL_OF);
    for (const event of ["connect", "end", "reconnect"]) client.on(event, () => told.push(event));
    client.end();
    client.reconnect();
    told.push("called");
    await pass(life, 1_000);
    const { connected } = client;
    await client.endAsync();
    return [...told, connected];
  });
  expect(seen).toEqual(["called", "end", "reconnect", "connect", "end", true]);
});

test.each([true, false])(
  "after a new session a client subscribes again, if it may: %s",
  async (resubscribe) => {
    const stage = new BrokerStage(mqtt());
    const seen = await stage.play(async (module, life) => {
      const client = await module.connectAsync(URL_OF, { resubscribe, reconnectPeriod: 500 });
      const got: string[] = [];
      client.on("message", (topic: string) => got.push(topic));
      await client.subscribeAsync("mine");
      const other = await module.connectAsync(URL_OF);
      await other.publishAsync("mine", "1", { qos: 1 });
      client.reconnect();
      await pass(life, 2_000);
      await other.publishAsync("mine", "2", { qos: 1 });
      await pass(life, 1_000);
      return [client.connected, got.length];
    });
    expect(seen).toEqual([true, resubscribe ? 2 : 1]);
  },
);

test("a message that is taken out of what waits for an answer calls back with an error", async () => {
  const seen = await new BrokerStage(mqtt()).play(async (module, life) => {
    const told: string[] = [];
    const client = await module.connectAsync(URL_OF);
    client.publish("mine", "1", { qos: 1 }, (error?: Error | null) => told.push(String(error)));
    const id = client.getLastMessageId();
    expect(client.removeOutgoingMessage(id)).toBe(client);
    client.removeOutgoingMessage(id);
    client.removeOutgoingMessage(id + 1);
    await pass(life, 1_000);
    return told;
  });
  expect(seen).toEqual(["Error: Message removed"]);
});

test("who subscribes while the client ends is told, by the callback or as an error", async () => {
  const seen = await new BrokerStage(mqtt()).play(async (module, life) => {
    const told: string[] = [];
    const client = await module.connectAsync(URL_OF);
    client.on("error", (error: Error) => told.push(`error ${error.message}`));
    client.end();
    client.subscribe("mine");
    client.subscribe("mine", (error: Error | null) => told.push(`called ${error?.message}`));
    await pass(life, 100);
    return told;
  });
  expect(seen).toEqual(["error client disconnecting", "called client disconnecting"]);
});

test("what a listener throws is thrown on its host, which it crashes", async () => {
  const stage = new BrokerStage(mqtt());
  const playing = stage.play(async (module, life) => {
    const client = await module.connectAsync(URL_OF);
    client.on("message", () => {
      throw new Error("bad message");
    });
    await client.subscribeAsync("mine");
    client.publish("mine", "1");
    await pass(life, 1_000);
    return "went on";
  }, 10_000);
  await expect(playing).rejects.toThrow("The script did not come to its end");
  expect(stage.network.host("client-1")?.life?.alive ?? false).toBe(false);
});

test("an option that is given as undefined is the preset one", async () => {
  const seen = await new BrokerStage(mqtt()).play(async (module) => {
    const client = await module.connectAsync(URL_OF, { keepalive: undefined });
    await client.endAsync();
    return client.keepalive;
  });
  expect(seen).toBe(60);
});

test("what is published while stored messages are sent again follows them in its order", async () => {
  const seen = await new BrokerStage(mqtt()).play(async (module, life) => {
    const got: string[] = [];
    const other = await module.connectAsync(URL_OF);
    other.on("message", (_topic: string, payload: Buffer) => got.push(String(payload)));
    await other.subscribeAsync("mine");
    const client = await module.connectAsync(URL_OF, { reconnectPeriod: 500 });
    client.publish("mine", "stored", { qos: 1 });
    client.stream.destroy();
    await pass(life, 100);
    got.length = 0;
    client.on("packetreceive", ({ cmd }: { readonly cmd: string }) => {
      if (cmd !== "connack") return;
      void Promise.resolve().then(() => {
        for (const text of ["first", "second", "third"]) client.publish("mine", text);
      });
    });
    await pass(life, 2_000);
    return got;
  });
  expect(seen).toEqual(["stored", "first", "second", "third"]);
});

test("records wait until somebody subscribes to them, not to another topic", async () => {
  const stage = new BrokerStage(mqtt());
  stage.publish(2);
  const seen = await stage.play(async (module, life) => {
    const got: string[] = [];
    const client = await module.connectAsync(URL_OF);
    client.on("message", (topic: string) => got.push(topic));
    await client.subscribeAsync("elsewhere/#");
    await pass(life, 1_000);
    const before = got.length;
    await client.subscribeAsync("orders/#");
    await pass(life, 1_000);
    return [before, ...got];
  });
  expect(seen).toEqual([0, "orders/key-1", "orders/key-1"]);
});
