import { expect, test } from "vitest";
import { SharedStreamManager, type StreamKey } from "../../src/shared-stream/mod.ts";
import { PARKED, Stage } from "./stage.ts";

type Options = ConstructorParameters<typeof SharedStreamManager>[0];

test.for([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  "a queue bound of %d is refused",
  (maxSubscriberQueue) => {
    expect(() => new SharedStreamManager({ maxSubscriberQueue })).toThrow(RangeError);
    expect(() => new SharedStreamManager({ maxSubscriberQueue })).toThrow(
      `Cannot use ${maxSubscriberQueue} as maxSubscriberQueue`,
    );
  },
);

test.for([
  ["300", TypeError],
  [300, TypeError],
  [null, TypeError],
  [{}, TypeError],
  [{ second: 1 }, TypeError],
  [{ months: 1 }, TypeError],
  [{ seconds: "1" }, TypeError],
  [{ seconds: -1 }, RangeError],
  [{ seconds: Number.NaN }, RangeError],
  [{ milliseconds: 0.5 }, RangeError],
  [{ days: Number.POSITIVE_INFINITY }, RangeError],
] as const)("%o is refused as ackTimeout and as cohortGracePeriod", ([duration, expected]) => {
  for (const name of ["ackTimeout", "cohortGracePeriod"]) {
    const options = { [name]: duration } as Options;
    expect(() => new SharedStreamManager(options)).toThrow(expected);
    expect(() => new SharedStreamManager(options)).toThrow(name);
  }
});

test.for([
  ["NaN", Number.NaN],
  ["NaN in an array", ["orders", Number.NaN]],
  ["undefined in an array", ["orders", undefined]],
  ["an array in an array", ["orders", ["a"]]],
  ["an object", { topic: "orders" }],
  ["a date", new Date(0)],
  ["a function", () => "orders"],
  ["a symbol", Symbol("orders")],
  ["null", null],
] as const)("%s as key is a TypeError everywhere, and leaves nothing behind", async ([, given]) => {
  const stage = new Stage();
  const key = given as unknown as StreamKey;
  expect(() => stage.subscribe(1, key)).toThrow(TypeError);
  expect(() => stage.manager.bindPendingEvent({ triggerId: 1, key })).toThrow(TypeError);
  await expect(stage.manager.unsubscribe({ triggerId: 1, key })).rejects.toThrow(TypeError);
  expect(stage.keys()).toEqual([]);
  await stage.settle();
  expect(stage.producers).toEqual([]);
  expect(stage.subscribe(1).stream).toBeDefined();
});

test("keys are equal by value and by type", () => {
  const stage = new Stage();
  const keys: StreamKey[] = [1, "1", 1n, true, "true", [1], ["1"], [1, null], ["1,null"], [], ""];
  for (const key of keys) stage.subscribe(1, key);
  expect(stage.keys()).toEqual(keys);
  for (const key of keys) {
    const same = structuredClone(key);
    expect(() => stage.subscribe(1, same)).toThrow(/already subscribed/);
  }
  stage.subscribe(1, 0);
  expect(() => stage.subscribe(1, -0)).toThrow(/already subscribed/);
});

test("a key that is changed after the call is the key of the call", async () => {
  const stage = new Stage();
  const key = ["orders", 3];
  stage.subscribe(1, key);
  key[1] = 4;
  expect(stage.keys()).toEqual([["orders", 3]]);
  expect(() => stage.subscribe(1, ["orders", 3])).toThrow(/already subscribed/);
  await stage.manager.unsubscribe({ triggerId: 1, key: ["orders", 3] });
  expect(stage.keys()).toEqual([]);
});

test("a trigger id and a key cannot be taken for another pair", async () => {
  const stage = new Stage();
  stage.subscribe(1, "1 2");
  stage.subscribe(11, "2");
  stage.subscribe(1, "2");
  await stage.manager.unsubscribe({ triggerId: 1, key: "2" });
  expect(stage.keys()).toEqual(["1 2", "2"]);
});

test("a second subscribe that is refused leaves the queue and the window of the first alone", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await one.pull();
  expect(() => stage.subscribe(1)).toThrow(Error);
  expect(one.bind()).toBe(0);
  await one.take(2);
  await stage.confirm(0);
  expect(producer.batches.flat()).toEqual(["e0", "e1"]);
  await one.leave();
  expect(stage.keys()).toEqual([]);
});

test("an ack timeout of 0 gives everything its first scan, no more", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 0 } });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await stage.tick(9);
  expect(producer.begun).toEqual([]);
  await stage.tick(1);
  expect(producer.out("e0")).toEqual([0, 1, 0]);
  expect(await one.pull()).toMatchObject({ name: "AckTimeout" });
});

test.for([
  ["a lane hook", "lane"],
  ["an advance", "advance"],
] as const)("%s that throws a falsy value fails the group all the same", async ([, where]) => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  const nothing: unknown = undefined;
  const throws = (): never => {
    throw nothing;
  };
  if (where === "lane") producer.laneBy = throws;
  else producer.advanceBy = throws;
  await stage.emit("e0");
  await one.take(2);
  expect(stage.keys()).toEqual([]);
  expect(one.seen).toContain(undefined);
  expect(producer.aclosed).toBe(1);
});

test("confirmPersisted takes no numbers for numbers that they are not", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  expect(await one.pullAndBind()).toBe(0);
  expect(await one.pull()).toBe(PARKED);
  stage.manager.confirmPersisted(["0", null, undefined, false] as unknown as number[]);
  await stage.settle();
  expect(producer.batches).toEqual([]);
  expect(() => stage.manager.confirmPersisted(0 as unknown as number[])).toThrow(TypeError);
  await stage.confirm(0);
  expect(producer.batches).toEqual([["e0"]]);
});

test("a refused key is described: its type, or which part of it is not one", () => {
  const stage = new Stage();
  for (const [key, words] of [
    [["topic", Symbol("part")], "an array whose part 1 is Symbol(part)"],
    [["topic", null, ["nested"]], "an array whose part 2 is an array, which cannot be nested,"],
    [[{}], "an array whose part 0 is an object"],
    [[undefined], "an array whose part 0 is undefined"],
    [{}, "an object"],
    [NaN, "NaN"],
    [Symbol("key"), "Symbol(key)"],
  ] as const) {
    expect(() => stage.subscribe(1, key as never)).toThrow(words);
  }
});
