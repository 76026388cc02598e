import type { MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { mqtt } from "../../../sim/brokers/mqtt/model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<MqttModule>;
type Client = ReturnType<MqttModule["connect"]>;
type Version = 4 | 5;

const EVENTS = [
  ...(["connect", "reconnect", "close", "offline", "error", "end", "disconnect"] as const),
];

function connect({ client, note }: Stage, who: string, version: Version): Client {
  const options = { clientId: who, clean: false, keepalive: 10, reconnectPeriod: 1_500 } as const;
  const will = { topic: "wills/one", payload: Buffer.from(who), qos: 1, retain: false } as const;
  const properties = { sessionExpiryInterval: 600, receiveMaximum: 2 };
  const made = client.connect("mqtt://localhost", {
    ...options,
    protocolVersion: version,
    will,
    ...(version === 5 ? { properties } : {}),
  });
  for (const event of EVENTS) {
    made.on(event, (packet: unknown) => {
      note(`${who} ${event}`, packet instanceof Error ? String(packet) : packet);
    });
  }
  made.on("message", (topic: string, payload: Uint8Array, { qos, dup, retain }) => {
    note(`${who} is given`, [topic, new TextDecoder().decode(payload), qos, dup, retain]);
  });
  return made;
}

/** Acknowledges with an error, with a reason, with one that is none, or well, by the topic. */
function acknowledge(
  topic: string,
  _payload: unknown,
  _packet: unknown,
  done: (answer: Error | number) => void,
): void {
  if (topic === "a/refused") done(new Error("refused"));
  else if (topic === "a/coded") done(135);
  else if (topic === "a/odd") done(7);
  else done(0);
}

/** A client without a name, a session and much else, which does things amiss. */
async function workAmiss(stage: Stage, version: Version): Promise<void> {
  const { client, pass, call, note } = stage;
  const odd = client.connect("mqtt://localhost", {
    ...{ protocolVersion: version, reconnectPeriod: 0, connectTimeout: 3_000, queueQoSZero: false },
    ...(version === 5 ? { properties: { receiveMaximum: 1 } } : {}),
    customHandleAcks: acknowledge,
  });
  for (const event of EVENTS) {
    odd.on(event, (about: unknown) => {
      note(`odd ${event}`, about instanceof Error ? String(about) : "");
    });
  }
  odd.on("message", (topic: string, payload: Uint8Array) => {
    note("odd is given", [topic, new TextDecoder().decode(payload)]);
  });
  note("odd is called", [odd.options.clientId, odd.options.keepalive, odd.connected]);
  odd.publish("early", "qos 0", { qos: 0 }, (error?: Error) => note("early 0", String(error)));
  odd.publish("early", Buffer.from("qos 1"), { qos: 1 }, (error?: Error) =>
    note("early 1", String(error)),
  );
  const topics = ["a/+", "b/#", "early", "wills/#"];
  await call("odd subscribes", () => odd.subscribeAsync(topics, { qos: 2 }));
  await call("odd subscribes again", () => odd.subscribeAsync(topics, { qos: 2 }));
  for (const topic of ["a/1", "a/2/3", "b", "b/1/2", "$SYS/x", "nobody"]) {
    await call(`odd sends ${topic}`, () => odd.publishAsync(topic, "x", { qos: 2 }));
  }
  for (const topic of ["a/refused", "a/coded", "a/odd", "a/well"]) {
    for (const qos of [1, 2] as const) {
      await call(`odd sends ${topic} ${qos}`, () => odd.publishAsync(topic, "y", { qos }));
    }
    await pass(200);
  }
  odd.handleMessage = (packet, done): void => {
    note("odd handles", packet.topic);
    done(packet.topic === "b/not" ? new Error("not now") : undefined);
  };
  for (const topic of ["b/not", "b/well"]) {
    for (const qos of [0, 1, 2] as const) {
      await call(`odd sends ${topic} ${qos}`, () => odd.publishAsync(topic, "z", { qos }));
    }
    await pass(200);
  }
  note("odd's ids", [odd.getLastMessageId(), odd.queueQoSZero]);
  void call("odd sends at last", () => odd.publishAsync("a/1", "late", { qos: 1 }));
  await call("odd ends", () => odd.endAsync());
  odd.publish("a/1", "too late");
  odd.publish("a/1", "too late", (error?: Error) => note("too late", String(error)));
  await call("connects once", async () => {
    const made = await client.connectAsync("mqtt://localhost", { connectTimeout: 2_000 }, false);
    made.on("error", (error: Error) => note("once error", String(error)));
    await call("sends to a filter", () => made.publishAsync("a/#", "x"));
    await pass(3_000);
    note("connected", made.connected);
    await made.endAsync(true);
  });
  await pass(1_000);
}

async function work(stage: Stage, version: Version): Promise<void> {
  const { publish, pass, call, note } = stage;
  publish(3);
  const one = connect(stage, "one", version);
  await call("one subscribes", () => one.subscribeAsync({ "orders/#": { qos: 1 } }));
  await pass(3_000);
  const two = connect(stage, "two", version);
  await call("two subscribes", () =>
    two.subscribeAsync(["kept/+", "wills/#", "$share/g/jobs"], { qos: 2 }),
  );
  publish(2, "key-2");
  const send = (topic: string, qos: 0 | 1 | 2, retain = false): Promise<unknown> =>
    call(`sends ${topic} ${qos}`, () => one.publishAsync(topic, `about ${topic}`, { qos, retain }));
  for (const qos of [0, 1, 2] as const) await send("kept/a", qos, qos === 1);
  await pass(8_000);
  void send("jobs", 2);
  void send("jobs", 1);
  void send("kept/b", 0);
  await send("dead/orders", 1);
  await pass(5_000);
  await call("two unsubscribes", () => two.unsubscribeAsync("kept/+"));
  await call("two ends", () => two.endAsync());
  publish(2);
  await send("wills/x", 1);
  await pass(15_000);
  const again = connect(stage, "two", version);
  await pass(4_000);
  await call("one reconnects", () => void one.reconnect());
  await pass(4_000);
  await send("wills/y", 2);
  note("connected", [one.connected, again.connected]);
  await call("one subscribes badly", () => one.subscribeAsync("a/#/b"));
  await call("ends by force", () => again.endAsync(true));
  await pass(20_000);
  await call("one ends", () => one.endAsync());
  await send("late", 1);
  await workAmiss(stage, version);
}

for (const version of [4, 5] as const) {
  testTroubles({
    name: `mqtt-${version}`,
    createModel: () => mqtt(),
    sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
    work: (stage) => work(stage, version),
  });
}
