import { expect, test } from "vitest";
import { laneByLetter, type ScriptedProducer } from "./scripted-producer.ts";
import { Stage, type Subscriber } from "./stage.ts";

/** A stage whose lanes go by the first letter, with one subscriber. */
async function staged(): Promise<{ stage: Stage; one: Subscriber; producer: ScriptedProducer }> {
  const stage = new Stage();
  stage.prepare = (producer) => {
    producer.laneBy = laneByLetter;
  };
  const one = stage.subscribe(1);
  return { stage, one, producer: await stage.opened() };
}

/** Pulls the events one after the other, binding those whose lane is gated; then moves past. */
async function work(one: Subscriber, count: number, gated: readonly unknown[]): Promise<number[]> {
  const seqs: number[] = [];
  for (let at = 0; at < count; at += 1) {
    if (!gated.includes(await one.pull())) continue;
    const seq = one.bind();
    if (seq !== null) seqs.push(seq);
  }
  await one.pull();
  return seqs;
}

function batchesOf(producer: ScriptedProducer, lane: string): unknown[] {
  return producer.batches.flat().filter((payload) => laneByLetter(payload) === lane);
}

test("C-101 without a lane hook all events share one lane", async () => {
  const stage = new Stage();
  stage.prepare = (producer) => Object.assign(producer, { getAdvanceLane: undefined });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("a1", "b1");
  await one.pull();
  const seq = one.bind();
  await one.take(2);
  expect(stage.manager.outstandingCounts()).toMatchObject({ outstanding: 2, lanes: 1 });
  expect(producer.batches).toEqual([]);
  await stage.confirm(seq);
  expect(producer.batches).toEqual([["a1", "b1"]]);
});

test("C-102 a lane does not wait for another, and is forgotten when it is empty", async () => {
  const { stage, one, producer } = await staged();
  await stage.emit("a1", "b1", "a2", "b2");
  const seqs = await work(one, 4, ["a1", "a2"]);
  expect(producer.batches.flat()).toEqual(["b1", "b2"]);
  for (const seq of seqs) await stage.confirm(seq);
  expect(batchesOf(producer, "a")).toEqual(["a1", "a2"]);
  expect(stage.manager.outstandingCounts().lanes).toBe(0);
});

test("C-103 what waited behind a lane's head goes with it, as one batch", async () => {
  const { stage, one, producer } = await staged();
  await stage.emit("a1", "b1", "a2", "a3");
  const seqs = await work(one, 4, ["a1"]);
  expect(producer.batches).toEqual([["b1"]]);
  await stage.confirm(...seqs);
  expect(producer.batches).toEqual([["b1"], ["a1", "a2", "a3"]]);
});

test("C-104 a batch never crosses lanes", async () => {
  const { stage, one, producer } = await staged();
  const names = ["a1", "b1", "a2", "b2"];
  await stage.emit(...names);
  await stage.confirm(...(await work(one, 4, names)));
  expect(producer.batches.map((batch) => batch.join(" ")).sort()).toEqual(["a1 a2", "b1 b2"]);
});

test("C-105 lanes that become ready together are served in the order of their oldest events", async () => {
  const { stage, one, producer } = await staged();
  const names = ["c1", "a1", "b1", "a2", "c2"];
  await stage.emit(...names);
  await stage.confirm(...(await work(one, 5, names)));
  expect(producer.batches).toEqual([["c1", "c2"], ["a1", "a2"], ["b1"]]);
});

test("C-106 a lane is harvested when its turn comes; ours serves lanes as they became ready", async () => {
  const { stage, one, producer } = await staged();
  producer.block();
  await stage.emit("a1", "a2", "b1", "b2");
  await one.take(5);
  expect(producer.begun).toEqual([["a1"]]);
  producer.unblock();
  await stage.settle();
  expect(producer.batches).toEqual([["a1"], ["a2"], ["b1", "b2"]]);
});

test("C-107 events that come while their lane's batch is under way form the next", async () => {
  const { stage, one, producer } = await staged();
  producer.block();
  await stage.emit("a1");
  await one.take(2);
  await stage.emit("a2", "a3");
  await one.take(2);
  expect(producer.begun).toEqual([["a1"]]);
  producer.unblock();
  await stage.settle();
  expect(producer.batches).toEqual([["a1"], ["a2", "a3"]]);
  expect(producer.inFlightMax).toBe(1);
});

test("C-108 C-117 a lane and its events leave the ledger before the advance is awaited", async () => {
  const { stage, one, producer } = await staged();
  producer.block();
  await stage.emit("a1");
  await one.take(2);
  expect(producer.inFlight).toBe(1);
  expect(stage.manager.outstandingCounts()).toMatchObject({ outstanding: 0, lanes: 0 });
  producer.unblock();
  await stage.settle();
});

test("C-109 the lane hook is called once for each event, before the broadcast, with the payload alone", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const seenAtHook: unknown[] = [];
  const producer = await stage.opened();
  const payload = { partition: 3 };
  const args: unknown[][] = [];
  producer.getAdvanceLane = (...given: unknown[]) => {
    args.push(given);
    seenAtHook.push(...one.seen);
    return 3;
  };
  one.ask();
  producer.emitItems(["raw", payload]);
  await stage.settle();
  expect(args).toEqual([[payload]]);
  expect(args[0]?.[0]).toBe(payload);
  expect(seenAtHook).toEqual([]);
  expect(one.seen).toEqual(["raw"]);
});

test("C-110 a lane hook that throws ends the group; its event was never there", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  producer.laneBy = (payload) => {
    if (payload === "e1") throw new Error("no lane");
    return undefined;
  };
  await stage.emit("e0");
  await one.take(2);
  await two.take(2);
  expect(producer.batches).toEqual([["e0"]]);
  await stage.emit("e1");
  expect(one.seen).toMatchObject(["e0", { message: "no lane" }]);
  expect(two.seen).toMatchObject(["e0", { message: "no lane" }]);
  expect(stage.keys()).toEqual([]);
  expect(producer.aclosed).toBe(1);
  expect(producer.begun).toEqual([["e0"]]);
});

test.for([
  ["an object", { partition: 3 }],
  ["an array in an array", [["orders", 3]]],
  ["NaN", Number.NaN],
  ["a function", () => 3],
  ["a symbol", Symbol("lane")],
  ["a promise", Promise.resolve("a")],
] as const)("C-111 C-112 %s as lane is a TypeError that ends the group", async ([, lane]) => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.take(2);
  producer.laneBy = () => lane as unknown as string;
  await stage.emit("e1");
  expect(one.error).toBeInstanceOf(TypeError);
  expect(one.error?.message).toMatch(/as an advance lane/);
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.aclosed).toBe(1);
  expect(stage.manager.outstandingCounts()).toEqual({
    outstanding: 0,
    lanes: 0,
    unconfirmed: 0,
    windows: 0,
  });
});

test("C-112 lanes are compared by value and type; undefined and null are one lane each", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.laneBy = (payload) => payload as string;
  const lanes = [1, "1", 1n, true, null, undefined, ["a", 1], ["a", "1"], "", [], -0, "null"];
  await stage.emit(...lanes);
  expect(stage.manager.outstandingCounts()).toMatchObject({ outstanding: 12, lanes: 12 });
  await stage.emit(...lanes.map((lane) => (Array.isArray(lane) ? [...lane] : lane)), 0);
  expect(stage.manager.outstandingCounts()).toMatchObject({ outstanding: 25, lanes: 12 });
  await one.take(3);
});

test("C-113 many lanes do not mean many advances at a time", async () => {
  const { stage, one, producer } = await staged();
  producer.advanceBy = () => Promise.resolve();
  const names = Array.from("abcdefghij", (letter) => `${letter}1`);
  await stage.emit(...names);
  await stage.confirm(...(await work(one, 10, names)));
  expect(producer.batches).toHaveLength(10);
  expect(producer.inFlightMax).toBe(1);
});
