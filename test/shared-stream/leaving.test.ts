import { expect, test } from "vitest";
import { laneByLetter } from "./scripted-producer.ts";
import { DONE, PARKED, Stage } from "./stage.ts";

test("C-159 leaving with an open window counts as acked", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.take(2);
  await two.pull();
  expect(producer.batches).toEqual([]);
  await two.leave();
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([2, 0, 0]);
});

test("C-160 on leaving, a passed event is acked, the open one is acked, an event never pulled is failed", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("a", "b", "c");
  await one.take(4);
  await two.take(2);
  await two.leave();
  expect(["a", "b", "c"].map((name) => producer.out(name))).toEqual([
    [2, 0, 0],
    [2, 0, 0],
    [1, 1, 0],
  ]);
});

test("C-161 the last one leaves without having pulled: failed, settled in the drain, then closed", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await one.unsubscribe();
  expect(producer.batches).toEqual([["e0", "e1"]]);
  expect([producer.out("e0"), producer.out("e1")]).toEqual([
    [0, 1, 0],
    [0, 1, 0],
  ]);
  expect(producer.acts.at(-1)).toBe("aclose");
});

test("C-162 one passed, the other never pulled and leaves: (1, 1, 0)", async () => {
  const stage = new Stage();
  const [nine, one] = [stage.subscribe(9), stage.subscribe(1)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await nine.take(2);
  await one.leave();
  expect(producer.out("e0")).toEqual([1, 1, 0]);
});

test("C-163 after leaving, an event that was passed still waits for its confirmations", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  await one.pull();
  await two.take(2);
  await one.leave();
  expect(producer.batches).toEqual([]);
  await stage.confirm(seq);
  expect(producer.out("e0")).toEqual([2, 0, 0]);
});

test("C-164 a subscriber that was force-failed may subscribe again at once, and gets the next event", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await two.pull();
  await stage.emit("e0", "e1");
  expect(() => stage.subscribe(1)).toThrow(/already subscribed/);
  await one.leave();
  await two.pull();
  const again = stage.subscribe(1);
  await stage.emit("e2");
  expect(await again.take(2)).toEqual(["e2", PARKED]);
  await two.take(2);
  expect(producer.out("e2")).toEqual([2, 0, 0]);
  expect(stage.producers).toHaveLength(1);
});

test("C-165 unsubscribing what is not there changes nothing", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.manager.unsubscribe({ triggerId: 1, key: "nobody" });
  await stage.manager.unsubscribe({ triggerId: 9, key: "k" });
  const two = stage.subscribe(2);
  await two.leave();
  await two.leave();
  expect(stage.keys()).toEqual(["k"]);
  await stage.opened();
  await stage.emit("e0");
  expect(await one.pull()).toBe("e0");
});

test("C-166 unsubscribe of one among several has done its work when it returns, before it is awaited", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await two.take(2);
  const left = one.unsubscribe();
  expect(stage.manager.outstandingCounts().windows).toBe(0);
  const again = stage.subscribe(1);
  await left;
  await stage.settle();
  expect(producer.batches).toEqual([["e0"]]);
  expect(await again.pull()).toBe(PARKED);
});

test("C-167 leaving a group that has ended changes neither its ledger nor the group after it", async () => {
  const stage = new Stage();
  const old = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await old.pull();
  producer.fail(new Error("connection lost"));
  await stage.settle();
  const fresh = stage.subscribe(2);
  await stage.opened();
  await old.leave();
  expect(producer.begun).toEqual([]);
  expect(producer.aclosed).toBe(1);
  await stage.emit("f0");
  expect(await fresh.pull()).toBe("f0");
});

test("C-168 an id that subscribes again starts afresh; the old subscription's events stay gated", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  producer.laneBy = laneByLetter;
  await stage.emit("a0", "b0");
  const seq = await one.pullAndBind();
  await two.take(3);
  await one.leave();
  const again = stage.subscribe(1);
  expect(await again.pull()).toBe(PARKED);
  expect(again.bind()).toBeNull();
  expect(producer.batches).toEqual([["b0"]]);
  expect(producer.out("b0")).toEqual([1, 1, 0]);
  await stage.confirm(seq);
  expect(producer.out("a0")).toEqual([2, 0, 0]);
  await stage.emit("a1");
  expect(again.seen).toEqual(["a1"]);
});

test("C-169 our rule: unsubscribe ends the stream, for a pull that waits and for those to come", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  await stage.opened();
  await stage.emit("e0", "e1");
  await two.pull();
  await one.take(2);
  expect(await one.pull()).toBe(PARKED);
  await one.leave();
  expect(one.seen).toEqual(["e0", "e1", DONE]);
  await two.leave();
  expect(await two.take(2)).toEqual([DONE, DONE]);
});

test("C-170 events wait for nothing of a subscriber that left but its confirmations", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const [gone, stays] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  producer.laneBy = laneByLetter;
  await stage.emit("a0", "b0", "c0");
  await gone.pull();
  await gone.pullAndBind();
  await stays.take(4);
  await gone.leave();
  expect(producer.batches).toEqual([["a0"], ["c0"]]);
  await stage.tick(1_000);
  expect(producer.out("b0")).toEqual([1, 1, 0]);
});
