import { expect, test } from "vitest";
import { laneByLetter } from "./scripted-producer.ts";
import { DONE, PARKED, Stage } from "./stage.ts";

test("C-029 C-030 which subscribers must resolve an event is fixed when it is broadcast", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const two = stage.subscribe(2);
  expect(await two.pull()).toBe(PARKED);
  await one.take(2);
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([1, 0, 0]);
  await stage.emit("e1");
  expect([one.seen, two.seen]).toEqual([["e0", "e1"], ["e1"]]);
  await one.pull();
  expect(producer.batches).toEqual([["e0"]]);
  await two.pull();
  expect(producer.out("e1")).toEqual([2, 0, 0]);
});

test("C-031 the snapshot is the subscribers but the force-failed, taken after the lane is known", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const dead = stage.subscribe(1);
  const live = stage.subscribe(2);
  const producer = await stage.opened();
  let late: ReturnType<Stage["subscribe"]> | undefined;
  producer.laneBy = (payload) => {
    if (payload === "e2") late = stage.subscribe(3);
    return undefined;
  };
  await live.pull();
  await stage.emit("e0");
  await live.pull();
  await stage.emit("e1");
  await live.pull();
  await stage.emit("e2");
  await live.pull();
  expect(await late?.pull()).toBe("e2");
  await late?.pull();
  expect(producer.out("e0")).toEqual([1, 1, 0]);
  expect(producer.out("e1")).toEqual([1, 1, 0]);
  expect(producer.out("e2")).toEqual([2, 0, 0]);
  expect(await dead.pull()).toMatchObject({ name: "SubscriberOverflow" });
});

test("C-032 a broadcast is synchronous: no half of it is ever seen; ids count from 0 in each group", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const one = stage.subscribe(1, "a");
  const two = stage.subscribe(2, "a");
  await stage.opened();
  const other = stage.subscribe(3, "b");
  await stage.opened();
  const [a, b] = stage.producers;
  const held: number[] = [];
  one.ask();
  one.stream.next().then(
    () => held.push(stage.manager.outstandingCounts().outstanding),
    () => undefined,
  );
  two.ask();
  a?.emit("e0", "e1");
  await stage.settle();
  expect([one.seen, two.seen]).toEqual([["e0"], ["e0"]]);
  expect(held).toEqual([2]);
  b?.emit("f0");
  await stage.settle();
  await stage.tick(1_000);
  const errors = [two.pull(), other.pull()];
  expect(await Promise.all(errors)).toMatchObject([{ eventId: 0 }, { eventId: 0 }]);
});

test("C-033 C-034 C-035 an event without subscribers is advanced with (0, 0, 0), in order", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const dead = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  expect([producer.out("e0"), producer.out("e1")]).toEqual([
    [0, 1, 0],
    [0, 1, 0],
  ]);
  await stage.emit("e2", "e3", "e4");
  expect(producer.batches.flat()).toEqual(["e0", "e1", "e2", "e3", "e4"]);
  for (const name of ["e2", "e3", "e4"]) expect(producer.out(name)).toEqual([0, 0, 0]);
  expect(producer.clean).toEqual([]);
  expect(stage.keys()).toEqual(["k"]);
  expect(await dead.pull()).toMatchObject({ name: "SubscriberOverflow" });
});

test("C-033 without subscribers each lane keeps its own order", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  stage.subscribe(1);
  const producer = await stage.opened();
  producer.laneBy = laneByLetter;
  await stage.emit("x1", "x2");
  await stage.emit("a1", "b1", "a2", "b2");
  const of = (lane: string): unknown[] =>
    producer.batches.flat().filter((payload) => laneByLetter(payload) === lane);
  expect([of("a"), of("b")]).toEqual([
    ["a1", "a2"],
    ["b1", "b2"],
  ]);
  for (const batch of producer.batches) expect(new Set(batch.map(laneByLetter)).size).toBe(1);
});

test("C-035 an event without subscribers still waits behind the unresolved head of its lane", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  const two = stage.subscribe(2);
  await one.leave();
  await stage.emit("e1", "e2");
  expect(await two.pull()).toMatchObject({ name: "SubscriberOverflow" });
  await stage.emit("e3");
  expect(producer.batches).toEqual([]);
  await stage.confirm(seq);
  expect(producer.batches).toEqual([["e0", "e1", "e2", "e3"]]);
  expect(producer.out("e3")).toEqual([0, 0, 0]);
});

test("C-036 one member's full queue does not keep the others from the event", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const full = stage.subscribe(1);
  const ok = stage.subscribe(2);
  const producer = await stage.opened();
  await stage.emit("e0");
  await ok.take(2);
  await stage.emit("e1");
  expect(ok.seen).toEqual(["e0", "e1"]);
  await ok.pull();
  expect(await full.pull()).toMatchObject({ name: "SubscriberOverflow" });
  expect(producer.out("e1")).toEqual([1, 1, 0]);
});

test("C-037 the poll does not wait for what is outstanding", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await stage.emit(...Array.from({ length: 1_024 }, (_, at) => at));
  expect(stage.manager.outstandingCounts().outstanding).toBe(1_025);
  expect(producer.laneCalls).toHaveLength(1_025);
  expect(await one.pull()).toBe(0);
});

test("C-038 a burst overflows a slow subscriber; a ready one runs between two items", async () => {
  const stage = new Stage({ maxSubscriberQueue: 2 });
  const idle = stage.subscribe(1);
  const ready = stage.subscribe(2);
  const producer = await stage.opened();
  const taken: unknown[] = [];
  void (async () => {
    for await (const raw of ready.stream) taken.push(raw);
  })();
  await stage.settle();
  await stage.emit("e0", "e1", "e2");
  expect(await idle.pull()).toMatchObject({ name: "SubscriberOverflow" });
  expect(taken).toEqual(["e0", "e1", "e2"]);
  for (const name of ["e0", "e1", "e2"]) expect(producer.out(name)).toEqual([1, 1, 0]);
});

test("C-039 the event that is worked on does not count; 0 means no bound, less is refused", async () => {
  const stage = new Stage({ maxSubscriberQueue: 2 });
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await stage.emit("e1", "e2");
  expect(await one.take(2)).toEqual(["e1", "e2"]);
  await stage.emit("e3", "e4", "e5");
  expect(await one.pull()).toMatchObject({ name: "SubscriberOverflow" });
  expect(await one.pull()).toBe(DONE);

  const unbound = new Stage({ maxSubscriberQueue: 0 });
  const two = unbound.subscribe(2);
  await unbound.opened();
  await unbound.emit(...Array.from({ length: 5_000 }, (_, at) => at));
  expect(await two.take(3)).toEqual([0, 1, 2]);
  expect(() => new Stage({ maxSubscriberQueue: -1 })).toThrow(RangeError);
});
