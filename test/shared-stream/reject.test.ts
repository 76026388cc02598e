import { expect, test } from "vitest";
import { rejectSharedStreamEvent } from "../../src/shared-stream/mod.ts";
import { PARKED, Stage } from "./stage.ts";

const OUTSIDE = "Cannot reject a shared stream event outside an ack-mode binding window";

test("C-066 a rejected event is advanced at once, with nothing yielded and no confirmation", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  one.reject();
  await stage.settle();
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([0, 0, 1]);
  expect(stage.clock.now()).toBe(0);
});

test("C-067 rejecting one event does not touch the next", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await one.pull();
  one.reject();
  const seq = await one.pullAndBind();
  await one.pull();
  await stage.confirm(seq);
  expect(producer.batches.flat()).toEqual(["e0", "e1"]);
  expect([producer.out("e0"), producer.out("e1")]).toEqual([
    [0, 0, 1],
    [1, 0, 0],
  ]);
});

test("C-068 one acks, one rejects, one times out: (1, 1, 1), after the timeout only", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const [one, two, three] = [stage.subscribe(1), stage.subscribe(2), stage.subscribe(3)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.take(2);
  await two.pull();
  two.reject();
  await three.pull();
  await stage.tick(999);
  expect(producer.batches).toEqual([]);
  await stage.tick(1);
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([1, 1, 1]);
});

test("C-069 a reject does not speak for the others", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  one.reject();
  await two.pull();
  expect(producer.batches).toEqual([]);
  await two.pull();
  expect(producer.out("e0")).toEqual([1, 0, 1]);
});

test("C-070 a second reject in one window counts and logs nothing", async () => {
  const stage = new Stage();
  const [one] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  one.reject();
  one.reject();
  expect(stage.messages("info")).toEqual(["A subscriber rejected a shared stream event"]);
  expect(stage.log[0]?.fields).toEqual({ key: "k", triggerId: 1, eventId: 0 });
  expect(stage.messages("warn")).toEqual([]);
  await stage.tick(300_000);
  expect(producer.out("e0")).toEqual([0, 1, 1]);
});

test("C-071 what is yielded after a reject is not gated", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await one.pull();
  one.reject();
  expect(one.bind()).toBeNull();
  expect(await one.pullAndBind()).toBe(0);
  expect(producer.out("e0")).toEqual([0, 0, 1]);
});

test("C-072 a reject after a yield wins at once", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  one.reject();
  await stage.confirm(seq);
  await one.pull();
  expect(producer.begun).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([0, 0, 1]);
});

test("C-073 a reject where there is no window warns, and nothing changes", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  one.reject();
  expect(stage.messages("warn")).toEqual([OUTSIDE]);
  await stage.emit("e0");
  expect(await one.take(2)).toEqual(["e0", PARKED]);
  expect(producer.out("e0")).toEqual([1, 0, 0]);
});

test("C-074 between two events a reject warns, and the next event is not touched", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.take(2);
  one.reject();
  expect(stage.messages("warn")).toEqual([OUTSIDE]);
  await stage.emit("e1");
  await one.pull();
  expect([producer.out("e0"), producer.out("e1")]).toEqual([
    [1, 0, 0],
    [1, 0, 0],
  ]);
});

test("C-075 the ambient window is open from an event to the next pull, in this task alone", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  async function filter(rejected: string, stream: typeof one.stream): Promise<void> {
    for await (const raw of stream) {
      await Promise.resolve();
      if (raw === rejected) rejectSharedStreamEvent();
    }
  }
  const filters = [filter("e0", one.stream), filter("e1", two.stream)];
  await stage.settle();
  await stage.emit("e0", "e1", "e2");
  expect(["e0", "e1", "e2"].map((name) => producer.out(name))).toEqual([
    [1, 0, 1],
    [1, 0, 1],
    [2, 0, 0],
  ]);
  await one.leave();
  await two.leave();
  await Promise.all(filters);
});

test("C-076 a window is closed by the next pull, whichever task makes it", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.stream.next();
  const pulled = Promise.resolve().then(() => one.stream.next());
  await stage.settle();
  rejectSharedStreamEvent();
  one.reject();
  expect(stage.messages("warn")).toEqual([OUTSIDE, OUTSIDE]);
  expect(producer.out("e0")).toEqual([1, 0, 0]);
  await one.leave();
  await pulled;
});

test("C-077 the ambient reject belongs to the task that pulled, stream.reject() to any holder of the stream", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  async function pullInChildTask(): Promise<unknown> {
    await Promise.resolve();
    return (await one.stream.next()).value;
  }
  expect(await pullInChildTask()).toBe("e0");
  rejectSharedStreamEvent();
  expect(stage.messages("warn")).toEqual([OUTSIDE]);
  expect(await pullInChildTask()).toBe("e1");
  one.reject();
  await stage.settle();
  expect([producer.out("e0"), producer.out("e1")]).toEqual([
    [1, 0, 0],
    [0, 0, 1],
  ]);
});

test("C-078 a reject of an event that was force-failed changes nothing", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await stage.tick(1_000);
  expect(producer.out("e0")).toEqual([0, 1, 0]);
  one.reject();
  await stage.settle();
  expect(producer.begun).toEqual([["e0"]]);
  expect(stage.messages("info")).toEqual([]);
});
