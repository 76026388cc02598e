import { expect, test } from "vitest";
import { laneByLetter, type ScriptedProducer } from "./scripted-producer.ts";
import { DONE, PARKED, Stage } from "./stage.ts";

const TENTH = { milliseconds: 100 };

function outs(producer: ScriptedProducer, ...names: readonly string[]): unknown[] {
  return names.map((name) => producer.out(name));
}

test.for([
  [50, 10],
  [100, 10],
  [200, 20],
  [300_000, 30_000],
] as const)(
  "C-079 with a timeout of %i ms there is a scan every %i ms, the first after one",
  async ([milliseconds, everyMs]) => {
    const stage = new Stage({ ackTimeout: { milliseconds } });
    stage.subscribe(1);
    await stage.opened();
    expect(stage.clock.nextDueAt()).toBe(everyMs);
    await stage.tick(everyMs);
    expect(stage.clock.nextDueAt()).toBe(2 * everyMs);
  },
);

test("C-080 an event that is exactly as old as the timeout is overdue", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await stage.tick(99);
  expect(producer.begun).toEqual([]);
  await stage.tick(1);
  expect(producer.out("e0")).toEqual([0, 1, 0]);
});

test("C-081 an event fails at the first scan at or after its deadline", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.tick(3);
  await stage.emit("e0");
  await one.pull();
  await stage.tick(106);
  expect(producer.begun).toEqual([]);
  await stage.tick(1);
  expect(stage.clock.now()).toBe(110);
  expect(producer.out("e0")).toEqual([0, 1, 0]);
});

test("C-082 C-088 the slow one is failed, once and for good; the fast one notices nothing", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const [fast, slow] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await fast.take(2);
  await stage.tick(100);
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([1, 1, 0]);
  expect(producer.clean).toEqual([]);
  await stage.emit("e1");
  expect(fast.seen).toEqual(["e0", "e1"]);
  expect(await fast.pull()).toBe(PARKED);
  expect(producer.out("e1")).toEqual([1, 0, 0]);
  expect(await slow.pull()).toMatchObject({ name: "AckTimeout", triggerId: 2 });
  expect(await slow.pull()).toBe(DONE);
});

test("C-083 an event that is not confirmed in time fails, and a waiting pull throws", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pullAndBind();
  expect(await one.pull()).toBe(PARKED);
  await stage.tick(100);
  expect(producer.out("e0")).toEqual([0, 1, 0]);
  expect(one.error).toMatchObject({ name: "AckTimeout", eventId: 0 });
});

test("C-084 an event that is confirmed just in time is acked", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  await one.pull();
  await stage.tick(99);
  await stage.confirm(seq);
  await stage.tick(100);
  expect(producer.out("e0")).toEqual([1, 0, 0]);
  expect(one.error).toBeUndefined();
});

test("C-085 an event ages from its broadcast, also while it is queued", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await one.pull();
  await stage.tick(90);
  await one.pull();
  await stage.tick(10);
  expect(outs(producer, "e0", "e1")).toEqual([
    [1, 0, 0],
    [0, 1, 0],
  ]);
});

test("C-086 a subscriber that is overdue on one event fails all of its events, in every lane, however young", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  stage.prepare = (producer) => {
    producer.laneBy = laneByLetter;
  };
  const [fast, slow] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("a1", "b1");
  await stage.tick(50);
  await stage.emit("a2");
  await fast.take(4);
  await stage.tick(50);
  expect(producer.batches).toEqual([["a1", "a2"], ["b1"]]);
  expect(outs(producer, "a1", "b1", "a2")).toEqual([
    [1, 1, 0],
    [1, 1, 0],
    [1, 1, 0],
  ]);
  expect(await slow.pull()).toMatchObject({ name: "AckTimeout" });
});

test("C-087 C-089 one failure a scan, of the oldest overdue event, in place of the backlog", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.take(2);
  await stage.emit("e1", "e2");
  await stage.emit("e3");
  await stage.tick(100);
  expect(await one.pull()).toMatchObject({ name: "AckTimeout", eventId: 1 });
  expect(await one.pull()).toBe(DONE);
  expect(stage.messages("warn")).toEqual(["A shared stream subscriber was force-failed"]);
  expect(stage.log.at(-1)?.fields).toEqual({
    key: "k",
    triggerId: 1,
    reason: "ackTimeout",
    eventId: 1,
  });
  expect(producer.batches).toEqual([["e0"], ["e1", "e2", "e3"]]);
});

test("C-090 a subscriber that left is failed silently, and no other notices", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const [gone, stays] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await gone.pullAndBind();
  await gone.leave();
  await stays.take(2);
  await stage.tick(100);
  expect(producer.out("e0")).toEqual([1, 1, 0]);
  expect(stage.messages("warn")).toEqual([]);
  expect(stage.manager.outstandingCounts()).toEqual({
    outstanding: 0,
    lanes: 0,
    unconfirmed: 0,
    windows: 0,
  });
  await stage.emit("e1");
  expect(stays.seen).toEqual(["e0", "e1"]);
  expect(await gone.pull()).toBe(DONE);
});

test("C-091 the scan fails the young events of a subscriber that left with its overdue one", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const [gone, stays] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await gone.pullAndBind();
  await stage.tick(90);
  await stage.emit("e1");
  const young = await gone.pullAndBind();
  await gone.leave();
  await stays.take(3);
  await stage.tick(10);
  expect(outs(producer, "e0", "e1")).toEqual([
    [1, 1, 0],
    [1, 1, 0],
  ]);
  await stage.confirm(young);
  expect(producer.begun).toEqual([["e0", "e1"]]);
});

test("C-092 what is resolved and only waits for its turn never times out", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0", "e1");
  await one.take(3);
  await two.take(3);
  await stage.tick(1_000);
  expect(producer.begun).toEqual([["e0"]]);
  await stage.emit("e2");
  await one.pull();
  await two.pull();
  await stage.tick(1_000);
  producer.unblock();
  await stage.settle();
  expect(outs(producer, "e0", "e1", "e2")).toEqual([
    [2, 0, 0],
    [2, 0, 0],
    [2, 0, 0],
  ]);
  expect([one.error, two.error]).toEqual([undefined, undefined]);
});

test("C-092 nor does an event behind its lane's head time out for subscribers that have resolved it", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const [slow, joined] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await joined.take(2);
  await slow.pull();
  await stage.tick(50);
  await stage.emit("e1");
  await joined.pull();
  await stage.tick(50);
  expect(outs(producer, "e0", "e1")).toEqual([
    [1, 1, 0],
    [1, 1, 0],
  ]);
  expect(joined.error).toBeUndefined();
});

test("C-093 a subscriber that overflowed gets no second failure from the scan", async () => {
  const stage = new Stage({ ackTimeout: TENTH, maxSubscriberQueue: 1 });
  const [full, other] = [stage.subscribe(1), stage.subscribe(2)];
  await stage.opened();
  await other.pull();
  await stage.emit("e0", "e1");
  await stage.tick(100);
  expect(await full.pull()).toMatchObject({ name: "SubscriberOverflow" });
  expect(await full.pull()).toBe(DONE);
  const reasons = stage.log.filter(({ fields }) => fields.triggerId === 1);
  expect(reasons.map(({ fields }) => fields.reason)).toEqual(["overflow"]);
});

test("C-094 the timeout frees a blocked lane: one batch of all that waited behind the head", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const [dead, live] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await dead.pullAndBind();
  await dead.leave();
  const names = Array.from({ length: 100 }, (_, at) => `f${at}`);
  await stage.emit(...names);
  await live.take(102);
  expect(producer.batches).toEqual([]);
  await stage.tick(100);
  expect(producer.batches).toEqual([["e0", ...names]]);
});

test("C-095 no scan, no timeout while a group drains", async () => {
  const stage = new Stage({ ackTimeout: TENTH });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0", "e1");
  await one.take(2);
  const stopped = stage.manager.stopAll();
  await stage.tick(1_000);
  expect(stage.clock.nextDueAt()).toBe(60_000);
  producer.unblock();
  await stopped;
  expect(stage.clock.nextDueAt()).toBeUndefined();
  expect(producer.batches).toEqual([["e0"]]);
  expect(await one.pull()).toBe(PARKED);
});
