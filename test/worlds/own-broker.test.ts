import { describe, expect, test } from "vitest";
import { brokerModel } from "../../sim/brokers/broker-shell.ts";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import { LeasedQueue } from "../../sim/brokers/leased-queue.ts";
import { parseScenario } from "../../sim/mod.ts";
import { ownBrokerFrom } from "../../sim/worlds/producer/own-broker.ts";
import type { ProducerScenario } from "../../sim/worlds/producer/producer-scenario.ts";
import { producerSubject } from "../../sim/worlds/producer/producer-subject.ts";

const model: BrokerModel<object> = brokerModel({ name: "mine" }, (world, host) => ({
  records: new LeasedQueue(world, host, { order: "none", deliveriesMax: undefined }),
  disturbances: [],
  connect: () => ({ client: {}, open: () => [] }),
}));

class Mine implements BrokerModel<object> {
  readonly name = "mine";
  readonly leaseMs = 5_000;

  start(...parts: Parameters<BrokerModel<object>["start"]>): ReturnType<typeof model.start> {
    return model.start(...parts);
  }
}

describe("ownBrokerFrom()", () => {
  test.each([
    ["a model", { broker: model }],
    ["a function", { broker: () => model }],
    ["a class", { broker: Mine }],
    ["a member of the default export", { default: { broker: model } }],
  ])("takes %s", (_what, module) => {
    expect(ownBrokerFrom(module)?.name).toBe("mine");
  });

  test("takes a model of the kit with its options", () => {
    const { spec } = ownBrokerFrom({ broker: () => brokers.kafka({ partitions: 7 }) }) ?? {};
    expect(spec).toEqual({ kafka: { partitions: 7 } });
  });

  test("finds none where the module exports none", () => {
    expect(ownBrokerFrom({ createProducer: () => ({}) })).toBeUndefined();
    expect(ownBrokerFrom({ default: () => ({}) })).toBeUndefined();
  });

  const part = { connect: () => 0, publish: () => 0, owed: () => 0, calmDown: () => 0 };
  test.each([
    ["a number", 7, "its broker is no object but number; export const broker = brokerModel("],
    ["a promise", Promise.resolve(model), "its broker is a promise; make it at once"],
    ["one without a name", { start: () => part }, "its broker needs name: a text; export"],
    ["one that cannot start", { name: "mine" }, "its broker needs start: a function; export"],
    [
      "leases of no length",
      { name: "mine", start: () => part, leaseMs: 0 },
      "its broker needs leaseMs: 1 or more",
    ],
    [
      "a factory that throws",
      () => {
        throw new Error("No settings");
      },
      "its broker threw: No settings",
    ],
    [
      "one that starts without disturbances",
      { name: "mine", start: () => part },
      "what start(world, host) of its broker returned needs disturbances: a list",
    ],
    [
      "one that starts without owed()",
      { name: "mine", start: () => ({ ...part, disturbances: [], owed: undefined }) },
      "returned needs owed: a function",
    ],
  ])("refuses %s", (_what, broker, words) => {
    expect(() => ownBrokerFrom({ broker })).toThrow(TypeError);
    expect(() => ownBrokerFrom({ broker })).toThrow(words);
  });
});

describe("a scenario on a broker of one's own", () => {
  const text =
    "{ story: Mine, world: producer, broker: { own: { name: mine } }, subscribers: [{ subscriber: 1 }] }";
  const scenario = parseScenario(text, "mine") as ProducerScenario;
  const createProducer = (): object => ({});

  test("takes the broker from the module of its producer", () => {
    const parts = producerSubject.partsFrom({ createProducer, broker: Mine }, scenario);
    expect(parts.producer?.broker?.leaseMs).toBe(5_000);
  });

  test("takes no broker where it names one of the kit", () => {
    const kafka = { ...scenario, broker: { kafka: {} } };
    const parts = producerSubject.partsFrom({ createProducer, broker: Mine }, kafka);
    expect(parts.producer?.broker).toBeUndefined();
  });

  test("refuses a module without it, or with another", () => {
    expect(() => producerSubject.partsFrom({ createProducer }, scenario)).toThrow(
      'it exports no broker, and its scenario runs on a model "mine" of yours',
    );
    const other = { ...scenario, broker: { own: { name: "other" } } };
    expect(() => producerSubject.partsFrom({ createProducer, broker: Mine }, other)).toThrow(
      'its broker is "mine", and its scenario runs on "other"',
    );
  });
});
