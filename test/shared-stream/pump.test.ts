import { expect, test } from "vitest";
import { laneByLetter } from "./scripted-producer.ts";
import { PARKED, Stage } from "./stage.ts";

test.for([
  ["one lane", () => "lane"],
  ["two lanes", laneByLetter],
] as const)("C-114 one advance at a time, with %s", async ([, laneBy]) => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.laneBy = laneBy;
  producer.block();
  await stage.emit("a1", "b1");
  await one.take(3);
  expect(producer.inFlight).toBe(1);
  expect(producer.batches).toEqual([]);
  producer.unblock();
  await stage.settle();
  expect(producer.batches.flat()).toEqual(["a1", "b1"]);
  expect(producer.inFlightMax).toBe(1);
});

test("C-115 no wake is lost: what becomes ready while an advance returns is served", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1", "e2", "e3");
  const seqs: number[] = [];
  for (let at = 0; at < 4; at += 1) seqs.push(await one.pullAndBind());
  await one.pull();
  // Each advance makes the next event ready, at a different turn of its own.
  producer.advanceBy = async () => {
    const seq = seqs.shift();
    for (let turn = seqs.length; turn > 0; turn -= 1) await Promise.resolve();
    if (seq !== undefined) stage.manager.confirmPersisted([seq]);
  };
  const first = seqs.shift();
  await stage.confirm(first ?? null);
  expect(producer.batches).toEqual([["e0"], ["e1"], ["e2"], ["e3"]]);
});

test("C-116 C-119 a lane gets its second batch after every lane that was ready before", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.laneBy = laneByLetter;
  producer.block();
  await stage.emit("a1", "b1", "c1");
  await one.take(4);
  expect(producer.begun).toEqual([["a1"]]);
  await stage.emit("a2", "d1");
  await one.take(2);
  producer.unblock();
  await stage.settle();
  expect(producer.batches).toEqual([["a1"], ["b1"], ["c1"], ["a2"], ["d1"]]);
});

test("C-118 a batch has no bound", async () => {
  const stage = new Stage({ maxSubscriberQueue: 0 });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", ...Array.from({ length: 3_000 }, (_, at) => at));
  const seq = await one.pullAndBind();
  for (let at = 0; at < 3_001; at += 1) one.ask();
  await stage.settle();
  await stage.confirm(seq);
  expect(producer.batches.map(({ length }) => length)).toEqual([3_001]);
});

test("C-120 C-122 a stop settles what is resolved and leaves the rest behind", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0", "e1");
  await one.take(2);
  expect(producer.begun).toEqual([["e0"]]);
  const stopped = stage.manager.stopAll();
  await stage.settle();
  expect(producer.aclosed).toBe(0);
  producer.unblock();
  await stopped;
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.aclosed).toBe(1);
  expect(await one.pull()).toBe(PARKED);
  expect(producer.begun).toEqual([["e0"]]);
});

test("C-121 a stop waits for the advance that is under way", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0");
  await one.take(2);
  let hasLeft = false;
  const left = one.unsubscribe().then(() => {
    hasLeft = true;
  });
  await stage.settle();
  expect(hasLeft).toBe(false);
  producer.release();
  await left;
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.acts.slice(-2)).toEqual(["advanced", "aclose"]);
});

test("C-123 all that is resolved while an advance is under way goes before unsubscribe returns", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.laneBy = laneByLetter;
  producer.block();
  await stage.emit("a1", "a2", "b1", "b2");
  await one.take(4);
  const left = one.unsubscribe();
  producer.unblock();
  await left;
  const of = (lane: string): unknown[] =>
    producer.batches.flat().filter((payload) => laneByLetter(payload) === lane);
  expect(of("a")).toEqual(["a1", "a2"]);
  expect(of("b")).toEqual(["b1", "b2"]);
  expect(producer.out("b2")).toEqual([1, 0, 0]);
});

test("C-124 a drain is no snapshot: what is resolved meanwhile still goes", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0", "e1");
  await one.take(2);
  const stopped = stage.manager.stopAll();
  await stage.settle();
  await one.pull();
  producer.unblock();
  await stopped;
  expect(producer.batches).toEqual([["e0"], ["e1"]]);
});
