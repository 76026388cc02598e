import { mqtt, type MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { type Actor, testTurns } from "./turns.ts";

type Client = ReturnType<MqttModule["connect"]>;
type MqttActor = Actor<MqttModule>;

const PAUSES_MS = [0, 0, 1, 20, 300, 1_100, 5_000, 14_000];
const TOPICS = ["orders", "a/1", "a/2/3", "b", "kept/a", "wills/one", "jobs", "a/#"];
const FILTERS = [
  "orders/#",
  "a/+",
  "a/#",
  "#",
  "+/+",
  "kept/a",
  "wills/+",
  "$share/g/jobs",
  "b/#/x",
];
const EVENTS = [
  ...(["connect", "reconnect", "close", "offline", "error", "end", "disconnect"] as const),
];

function connect({ client, dice, life, note, pass }: MqttActor, who: string): Client {
  const host = life.host.name;
  const protocolVersion = dice.from([4, 5] as const);
  const isNamed = !dice.oneIn(4);
  const properties = {
    ...(dice.oneIn(3) ? {} : { sessionExpiryInterval: dice.from([0, 5, 600]) }),
    ...(dice.oneIn(2) ? {} : { receiveMaximum: 1 + dice.below(4) }),
  };
  const will = {
    ...{ topic: "wills/one", payload: Buffer.from(who), qos: dice.from([0, 1, 2] as const) },
    retain: dice.oneIn(3),
    ...(protocolVersion === 5 && dice.oneIn(2)
      ? { properties: { willDelayInterval: dice.below(8) } }
      : {}),
  };
  const made = client.connect("mqtt://localhost", {
    ...{ protocolVersion, clean: !isNamed || dice.oneIn(3) },
    ...(isNamed ? { clientId: dice.from([...[host, host, host, host], "one", "two", who]) } : {}),
    ...{ keepalive: dice.from([0, 3, 10, 60]), reconnectPeriod: dice.from([0, 500, 1_500]) },
    ...{ connectTimeout: dice.from([1_000, 30_000]), queueQoSZero: !dice.oneIn(4) },
    ...(dice.oneIn(3) ? { resubscribe: false } : {}),
    ...(dice.oneIn(2) ? { will } : {}),
    ...(protocolVersion === 5 ? { properties } : {}),
    ...(dice.oneIn(4)
      ? {
          customHandleAcks: (
            _topic: string,
            _payload: unknown,
            _packet: unknown,
            done: (answer: Error | number) => void,
          ) => {
            done(dice.from([0, 0, 135, new Error("refused")]));
          },
        }
      : {}),
  });
  for (const event of EVENTS) {
    made.on(event, (packet: unknown) => {
      note(`${who} ${event}`, packet instanceof Error ? String(packet) : packet);
    });
  }
  made.on("message", (topic: string, payload: Uint8Array, { qos, dup, retain }) => {
    note(`${who} is given`, [topic, new TextDecoder().decode(payload), qos, dup, retain]);
  });
  if (dice.oneIn(3)) {
    made.handleMessage = (packet, done): void => {
      note(`${who} handles`, packet.topic);
      const end = (): void => done(dice.oneIn(8) ? new Error("not now") : undefined);
      if (dice.oneIn(2)) end();
      else void pass(dice.from(PAUSES_MS.slice(0, 7))).then(end);
    };
  }
  return made;
}

async function work(actor: MqttActor): Promise<void> {
  const { dice, call, note, publish, pass } = actor;
  for (let round = 1; ; round += 1) {
    const who = `client ${round}`;
    const made = connect(actor, who);
    for (let left = 6 + dice.below(30); left > 0; left -= 1) {
      await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(4) ? 8 : 6)));
      const qos = dice.from([0, 1, 2] as const);
      const topic = dice.from(TOPICS);
      const send = (): Promise<unknown> =>
        call(`${who} sends ${topic} ${qos}`, () =>
          made.publishAsync(topic, dice.from(["x", "", "long"]), { qos, retain: dice.oneIn(4) }),
        );
      const filters = [dice.from(FILTERS), dice.from(FILTERS)];
      switch (dice.below(12)) {
        case 0:
        case 1:
          await call(`${who} subscribes ${filters.join()}`, () =>
            made.subscribeAsync(filters, { qos }),
          );
          break;
        case 2:
          await call(`${who} unsubscribes`, () => made.unsubscribeAsync(filters));
          break;
        case 3:
          publish(dice.below(4), dice.from(["key-1", "key-2"]));
          break;
        case 4:
        case 5:
        case 6:
          void send();
          break;
        case 7:
          if (dice.oneIn(3)) await call(`${who} reconnects`, () => void made.reconnect());
          break;
        case 8:
          note(`${who} is`, [made.connected, made.reconnecting, made.disconnecting]);
          break;
        default:
          await Promise.race([send(), pass(4_000)]);
      }
    }
    if (dice.oneIn(4)) void call(`${who} ends by itself`, () => made.endAsync(dice.oneIn(2)));
    else await Promise.race([call(`${who} ends`, () => made.endAsync(dice.oneIn(3))), pass(9_000)]);
    await pass(dice.from(PAUSES_MS));
  }
}

testTurns({
  name: "mqtt",
  createWorld: () => ({ model: mqtt(), actors: { one: work, two: work } }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 30,
  untilMs: 80_000,
});
