import { expect, test } from "vitest";
import { DONE, PARKED, Stage } from "./stage.ts";

test("C-171 after stopAll no group is left", async () => {
  const stage = new Stage();
  stage.subscribe(1, "k1");
  stage.subscribe(1, "k2");
  await stage.settle();
  await stage.manager.stopAll();
  expect(stage.keys()).toEqual([]);
  expect(stage.producers.map(({ aclosed }) => aclosed)).toEqual([1, 1]);
});

test("C-172 stopAll wakes no subscriber: a waiting pull is ended by its own unsubscribe", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  one.ask();
  await stage.manager.stopAll();
  await stage.settle();
  expect(one.seen).toEqual([]);
  expect(producer.signal?.aborted).toBe(true);
  await one.leave();
  expect(one.seen).toEqual([DONE]);
});

test("C-173 E-15 the map is empty at once, idle groups stop at once, busy ones one after the other", async () => {
  const stage = new Stage();
  const keys = ["busy 1", "idle", "busy 2", "busy 3"];
  const subscribers = keys.map((key) => stage.subscribe(1, key));
  await stage.settle();
  const [busy1, idle, busy2, busy3] = stage.producers;
  for (const producer of [busy1, busy2, busy3]) {
    producer?.block();
    producer?.emit("e0");
  }
  await stage.settle();
  for (const [at, one] of subscribers.entries()) if (at !== 1) await one.take(2);
  const stopped = stage.manager.stopAll();
  expect(stage.keys()).toEqual([]);
  await stage.settle();
  const aborted = (): unknown[] => stage.producers.map(({ signal }) => signal?.aborted);
  expect(idle?.aclosed).toBe(1);
  expect(aborted()).toEqual([true, true, false, false]);
  busy1?.unblock();
  await stage.settle();
  expect(aborted()).toEqual([true, true, true, false]);
  await stage.tick(59_999);
  expect(aborted()).toEqual([true, true, true, false]);
  await stage.tick(1);
  expect(aborted()).toEqual([true, true, true, true]);
  busy3?.unblock();
  busy2?.unblock();
  await stopped;
  expect(stage.producers.map(({ batches }) => batches.length)).toEqual([1, 0, 1, 1]);
  expect(stage.producers.map(({ aclosed }) => aclosed)).toEqual([1, 1, 1, 1]);
});

test("C-174 a manager that was stopped can be used again; its numbers go on", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0");
  expect(await one.pullAndBind()).toBe(0);
  await stage.manager.stopAll();
  const again = stage.subscribe(1);
  await stage.opened();
  await stage.emit("f0");
  expect(await again.pullAndBind()).toBe(1);
  expect(stage.producers).toHaveLength(2);
});

test("C-175 while stopAll waits for one busy group, the next continues to fan out and advance", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1, "k1"), stage.subscribe(1, "k2")];
  await stage.settle();
  const [first, second] = stage.producers;
  first?.block();
  for (const producer of [first, second]) producer?.emit("e0");
  await one.take(2);
  expect(await two.pull()).toBe("e0");
  const stopped = stage.manager.stopAll();
  await stage.settle();
  second?.emit("e1");
  expect(await two.take(2)).toEqual(["e1", PARKED]);
  expect(second?.batches).toEqual([["e0"], ["e1"]]);
  first?.unblock();
  await stopped;
  expect(second?.aclosed).toBe(1);
});

test("an event of a group that waits for its turn to stop is advanced once, whoever has left", async () => {
  const stage = new Stage({ ackTimeout: { milliseconds: 100 } });
  const [one, two] = [stage.subscribe(1, "k1"), stage.subscribe(1, "k2")];
  await stage.settle();
  const [first, second] = stage.producers;
  first?.block();
  for (const producer of [first, second]) producer?.emit("e0");
  await one.take(2);
  expect(await two.pull()).toBe("e0");
  const stopped = stage.manager.stopAll();
  await two.leave();
  await stage.settle();
  second?.emit("e1", "e2");
  await stage.settle();
  await stage.tick(200);
  expect(second?.batches).toEqual([["e0", "e1", "e2"]]);
  expect(second?.out("e0")).toEqual([0, 1, 0]);
  expect(second?.out("e1")).toEqual([0, 0, 0]);
  first?.unblock();
  await stopped;
  expect(second?.batches).toEqual([["e0", "e1", "e2"]]);
});

test("stopAll waits for a group that fails before its turn, until its advance is over", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1, "k1"), stage.subscribe(1, "k2")];
  await stage.settle();
  const [first, second] = stage.producers;
  for (const producer of [first, second]) {
    producer?.block();
    producer?.emit("e0");
  }
  await stage.settle();
  for (const subscriber of [one, two]) await subscriber.take(2);
  const progress = { isStopped: false };
  const stopped = stage.manager.stopAll().then(() => (progress.isStopped = true));
  await stage.settle();
  second?.fail(new Error("The source failed"));
  await stage.settle();
  first?.unblock();
  await stage.settle();
  expect(first?.aclosed).toBe(1);
  expect(second?.aclosed).toBe(0);
  expect(progress.isStopped).toBe(false);
  second?.unblock();
  await stopped;
  expect(second?.aclosed).toBe(1);
});

test("C-176 stopAll settles nothing that is unresolved", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1", "e2");
  await one.pullAndBind();
  await one.pull();
  await stage.manager.stopAll();
  expect(producer.begun).toEqual([]);
  expect(producer.aclosed).toBe(1);
});
