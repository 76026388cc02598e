import { expect, test } from "vitest";
import { laneByLetter } from "./scripted-producer.ts";
import { DONE, PARKED, Stage } from "./stage.ts";

const FAILURE = new Error("commit failed");

/** What an advance does that fails. */
function failing(): Promise<void> {
  return Promise.reject(FAILURE);
}

test("C-125 an advance that throws ends the group: no other advance, all subscribers fail, closed once", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  producer.laneBy = laneByLetter;
  producer.advanceBy = failing;
  await stage.emit("a1", "b1", "c1");
  await one.take(4);
  await two.take(3);
  const left = two.unsubscribe();
  await stage.settle();
  expect(producer.begun).toEqual([["a1"]]);
  expect(stage.keys()).toEqual([]);
  expect(one.error).toBe(FAILURE);
  expect(producer.signal?.aborted).toBe(true);
  expect(producer.acts.filter((act) => act === "stream closed")).toHaveLength(1);
  expect(producer.aclosed).toBe(1);
  const errors = stage.log.filter(({ level }) => level === "error");
  expect(errors).toEqual([
    {
      level: "error",
      message: "The shared stream advance failed",
      fields: { key: "k", lane: '"a"', batchSize: 1, error: FAILURE },
    },
  ]);
  await left;
});

test("C-126 the key is free at once; the old subscriber's unsubscribe leaves the new group alone", async () => {
  const stage = new Stage();
  const old = stage.subscribe(1);
  const producer = await stage.opened();
  const keysAtRaise: unknown[] = [];
  let fresh: ReturnType<Stage["subscribe"]> | undefined;
  producer.advanceBy = () => {
    // A few turns after the throw the key is free.
    void (async () => {
      for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
      keysAtRaise.push(...stage.keys());
      fresh = stage.subscribe(2);
    })();
    return failing();
  };
  await stage.emit("e0");
  await old.take(2);
  await stage.settle();
  expect(keysAtRaise).toEqual([]);
  expect(stage.producers).toHaveLength(2);
  await old.leave();
  await stage.emit("f0");
  expect(await fresh?.pull()).toBe("f0");
  expect(stage.keys()).toEqual(["k"]);
  expect(old.error).toBe(FAILURE);
});

test("C-127 the batch that threw is neither tried again nor kept", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.advanceBy = failing;
  await stage.emit("e0");
  await one.take(2);
  await one.leave();
  const two = stage.subscribe(1);
  await stage.opened();
  await stage.tick(600_000);
  expect(producer.begun).toEqual([["e0"]]);
  expect(stage.producer.begun).toEqual([]);
  expect(await two.pull()).toBe(PARKED);
});

test("C-128 after the poll failed, an advance that throws in the drain is logged only", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0");
  await one.take(2);
  await two.take(2);
  const pollFailure = new Error("connection lost");
  producer.fail(pollFailure);
  await stage.settle();
  producer.release(FAILURE);
  await stage.settle();
  expect([one.error, two.error]).toEqual([pollFailure, pollFailure]);
  expect(stage.messages("error")).toEqual([
    "The shared stream poll failed",
    "The shared stream advance failed",
  ]);
  expect(producer.aclosed).toBe(1);
});

test("C-129 an advance that throws while the last one leaves does not throw into unsubscribe", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0", "e1");
  await one.take(2);
  const left = one.unsubscribe();
  await stage.settle();
  producer.release(FAILURE);
  expect(await left).toBeUndefined();
  expect(producer.begun).toEqual([["e0"]]);
  expect(producer.aclosed).toBe(1);
  expect(one.error).toBeUndefined();
});

test("C-130 an advance that throws while stopAll drains fails those still subscribed", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0");
  await one.take(2);
  const stopped = stage.manager.stopAll();
  await stage.settle();
  expect(one.seen).toEqual(["e0"]);
  producer.release(FAILURE);
  await stopped;
  await stage.settle();
  expect(one.error).toBe(FAILURE);
  expect(producer.aclosed).toBe(1);
});

test("C-131 a group fails once", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.advanceBy = failing;
  await stage.emit("e0");
  await one.take(2);
  producer.fail(new Error("connection lost"));
  await stage.settle();
  expect(one.seen).toEqual(["e0", FAILURE]);
  expect(await one.pull()).toBe(DONE);
  expect(stage.messages("error")).toEqual(["The shared stream advance failed"]);
});

test("C-132 everybody gets the same error object: it says the same to all", async () => {
  const stage = new Stage();
  const all = [1, 2, 3].map((id) => stage.subscribe(id));
  const producer = await stage.opened();
  producer.fail(FAILURE);
  for (const one of all) expect(await one.pull()).toBe(FAILURE);
});

test("C-133 an advance that throws is not logged and forgotten: the group ends, e1 stays behind", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.advanceBy = failing;
  await stage.emit("e0", "e1");
  await one.take(3);
  expect(one.error).toBe(FAILURE);
  expect(producer.begun).toEqual([["e0"]]);
  expect(stage.keys()).toEqual([]);
});
