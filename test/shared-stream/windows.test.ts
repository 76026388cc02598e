import { expect, test } from "vitest";
import { DONE, PARKED, Stage } from "./stage.ts";

test("C-040 asking for the next item closes the window, before anything else arrives", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  expect(producer.batches).toEqual([]);
  expect(stage.manager.outstandingCounts().windows).toBe(1);
  expect(await one.pull()).toBe(PARKED);
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([1, 0, 0]);
  expect(stage.manager.outstandingCounts().windows).toBe(0);
});

test("C-041 an event waits for everybody, and is advanced once", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const two = stage.subscribe(2);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await two.take(2);
  expect(producer.begun).toEqual([]);
  await one.pull();
  expect(producer.begun).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([2, 0, 0]);
});

test("C-042 a subscriber that never moves on holds its event up until the ack timeout", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const two = stage.subscribe(2);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await two.take(2);
  await stage.tick(299_999);
  expect(producer.begun).toEqual([]);
  await stage.tick(1);
  expect(producer.out("e0")).toEqual([1, 1, 0]);
});

test("C-043 without another pull the window stays open; a break in for await does not close it", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  for await (const raw of one.stream) {
    expect(raw).toBe("e0");
    break;
  }
  await stage.settle();
  expect(producer.batches).toEqual([]);
  expect(stage.manager.outstandingCounts()).toMatchObject({ outstanding: 2, windows: 1 });
  expect(one.bind()).toBe(0);
  expect(await one.pull()).toBe(DONE);
  await stage.confirm(0);
  expect(producer.batches).toEqual([["e0"]]);
  await one.leave();
  expect(producer.out("e1")).toEqual([0, 1, 0]);
});

test("C-044 a failure opens no window", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0", "e1");
  expect(await one.pull()).toMatchObject({ name: "SubscriberOverflow" });
  expect(stage.manager.outstandingCounts().windows).toBe(0);
  expect(one.bind()).toBeNull();
  one.reject();
  expect(stage.messages("warn")).toContain(
    "Cannot reject a shared stream event outside an ack-mode binding window",
  );
});

test("C-045 closing the window of an event that is resolved already changes nothing", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  one.reject();
  await stage.settle();
  expect(producer.out("e0")).toEqual([0, 0, 1]);
  await one.pull();
  expect(producer.begun).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([0, 0, 1]);
});

test("C-046 a filter that reads ahead closes the first window with its second pull", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  expect(await one.take(2)).toEqual(["e0", "e1"]);
  expect(producer.batches).toEqual([["e0"]]);
});

test("C-047 what is yielded after the next pull is bound to the next event", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await one.take(2);
  const seq = one.bind();
  await one.pull();
  expect(seq).toBe(0);
  expect(producer.batches).toEqual([["e0"]]);
  await stage.confirm(seq);
  expect(producer.batches).toEqual([["e0"], ["e1"]]);
});

test("C-048 an advance begins after the act that resolved its event returned; turns are not counted", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  one.ask();
  expect(producer.begun).toEqual([]);
  await stage.settle();
  expect(producer.begun).toEqual([["e0"]]);
});
