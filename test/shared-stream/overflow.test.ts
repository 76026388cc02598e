import { expect, test } from "vitest";
import { DONE, PARKED, Stage } from "./stage.ts";

test("C-096 an overflow resolves all that the dead one owes, without waiting for the timeout", async () => {
  const stage = new Stage({ maxSubscriberQueue: 2 });
  const [dead, live] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await live.take(3);
  expect(producer.batches).toEqual([]);
  await stage.emit("e2");
  expect(producer.batches.flat()).toEqual(["e0", "e1"]);
  expect(producer.out("e0")).toEqual([1, 1, 0]);
  await live.pull();
  expect(producer.out("e2")).toEqual([1, 1, 0]);
  expect(stage.clock.now()).toBe(0);
  expect(await dead.pull()).toMatchObject({ name: "SubscriberOverflow" });
});

test("C-097 the open event of an overflowing subscriber is failed, too", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await stage.emit("e1", "e2");
  expect(one.bind()).toBeNull();
  expect(producer.batches).toEqual([["e0", "e1", "e2"]]);
  for (const name of ["e0", "e1", "e2"]) expect(producer.out(name)).toEqual([0, 1, 0]);
  expect(await one.pull()).toMatchObject({ name: "SubscriberOverflow" });
  expect(stage.log).toEqual([
    {
      level: "warn",
      message: "A shared stream subscriber was force-failed",
      fields: { key: "k", triggerId: 1, reason: "overflow", eventId: 2 },
    },
  ]);
});

test("C-098 a confirmation that an overflow abandoned is ignored", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  await stage.emit("e1", "e2");
  expect(producer.out("e0")).toEqual([0, 1, 0]);
  await stage.confirm(seq);
  expect(producer.begun).toEqual([["e0", "e1", "e2"]]);
  expect(stage.manager.outstandingCounts().unconfirmed).toBe(0);
});

test("C-099 when all overflow on one event it is resolved at once", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const all = [1, 2, 3].map((id) => stage.subscribe(id));
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  expect(producer.out("e1")).toEqual([0, 3, 0]);
  for (const one of all) expect(await one.pull()).toMatchObject({ name: "SubscriberOverflow" });
});

test("C-100 an overflow during a fan-out skips no subscriber and serves none twice", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const subscribers = [1, 2, 3, 4, 5, 6].map((id) => stage.subscribe(id));
  const producer = await stage.opened();
  const even = subscribers.filter((_, at) => at % 2 === 1);
  await stage.emit("e0");
  for (const one of even) await one.take(2);
  await stage.emit("e1");
  for (const one of even) {
    expect(one.seen).toEqual(["e0", "e1"]);
    expect(await one.pull()).toBe(PARKED);
  }
  expect(producer.out("e1")).toEqual([3, 3, 0]);
  for (const one of subscribers.filter((_, at) => at % 2 === 0)) {
    expect(await one.take(2)).toMatchObject([{ name: "SubscriberOverflow" }, DONE]);
  }
});
