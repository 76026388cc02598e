import { expect, test } from "vitest";
import { PARKED, Stage } from "./stage.ts";

test("C-049 sequence numbers count from 0, over all groups of a manager", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1, "k1");
  await stage.opened();
  await stage.emit("e0");
  const two = stage.subscribe(1, "k2");
  await stage.opened();
  await stage.emit("f0");
  expect(await one.pullAndBind()).toBe(0);
  expect(await two.pullAndBind()).toBe(1);
});

test("C-050 with nothing to bind to, bind returns null and draws no number", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const fast = stage.subscribeFast(2, "fast");
  await stage.settle();
  const [ack, source] = stage.producers;
  ack?.emit("e0", "e1");
  source?.emit("f0");
  expect(stage.manager.bindPendingEvent({ triggerId: 1, key: "nobody" })).toBeNull();
  expect(stage.manager.bindPendingEvent({ triggerId: 9, key: "k" })).toBeNull();
  await fast.pull();
  expect(fast.bind()).toBeNull();
  expect(one.bind()).toBeNull();
  await one.pull();
  one.reject();
  expect(one.bind()).toBeNull();
  await one.pull();
  expect(one.bind()).toBe(0);
  await one.pull();
  expect(one.bind()).toBeNull();
});

test("C-051 every number that was bound must be confirmed", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  const [first, second] = [one.bind(), one.bind()];
  expect(first).not.toBe(second);
  await one.pull();
  expect(producer.batches).toEqual([]);
  await stage.confirm(first);
  expect(producer.batches).toEqual([]);
  await stage.confirm(second);
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([1, 0, 0]);
});

test("C-052 a confirmation while the window is open resolves nothing, and a new bind has to be confirmed, too", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const first = await one.pullAndBind();
  await stage.confirm(first);
  expect(producer.batches).toEqual([]);
  const second = one.bind();
  await one.pull();
  expect(producer.batches).toEqual([]);
  await stage.confirm(second);
  expect(producer.batches).toEqual([["e0"]]);
});

test("C-053 an event that is confirmed first is resolved when its window closes", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await stage.confirm(await one.pullAndBind());
  expect(producer.batches).toEqual([]);
  await one.pull();
  expect(producer.batches).toEqual([["e0"]]);
});

/** A stage whose only subscriber has bound one number to each of e0, e1, e2 and moved past. */
async function gated(): Promise<{ stage: Stage; seqs: readonly [number, number, number] }> {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0", "e1", "e2");
  const seqs = [await one.pullAndBind(), await one.pullAndBind(), await one.pullAndBind()] as const;
  expect(await one.pull()).toBe(PARKED);
  return { stage, seqs };
}

test("C-054 C-065 confirmations may come out of order; the head of the lane releases the rest", async () => {
  const { stage, seqs } = await gated();
  await stage.confirm(seqs[1], seqs[2]);
  expect(stage.producer.batches).toEqual([]);
  await stage.confirm(seqs[0]);
  expect(stage.producer.batches.flat()).toEqual(["e0", "e1", "e2"]);
});

test("C-055 three events confirmed in one call are one batch, confirmed one by one they are three", async () => {
  const atOnce = await gated();
  await atOnce.stage.confirm(...atOnce.seqs);
  expect(atOnce.stage.producer.batches).toEqual([["e0", "e1", "e2"]]);
  const trickled = await gated();
  for (const seq of trickled.seqs) await trickled.stage.confirm(seq);
  expect(trickled.stage.producer.batches).toEqual([["e0"], ["e1"], ["e2"]]);
});

test("C-056 any iterable confirms, even one that can be read only once, and reaches every group", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1, "k1");
  const two = stage.subscribe(1, "k2");
  await stage.settle();
  for (const producer of stage.producers) producer.emit("e0");
  const seqs = [await one.pullAndBind(), await two.pullAndBind()];
  await one.pull();
  await two.pull();
  function* once(): Generator<number> {
    yield* seqs;
  }
  stage.manager.confirmPersisted(once());
  await stage.settle();
  expect(stage.producers.map(({ batches }) => batches)).toEqual([[["e0"]], [["e0"]]]);
  stage.manager.confirmPersisted(new Set([7]));
});

test("C-057 unknown, foreign, doubled and repeated confirmations are ignored", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  const seq = await one.pullAndBind();
  const next = await one.pullAndBind();
  await one.pull();
  await stage.confirm(99, -1, Number.NaN, seq, seq);
  await stage.confirm(seq);
  expect(producer.batches).toEqual([["e0"]]);
  const other = new Stage();
  other.manager.confirmPersisted([next]);
  await stage.settle();
  expect(producer.batches).toEqual([["e0"]]);
  await stage.confirm(next);
  expect(producer.batches).toEqual([["e0"], ["e1"]]);
});

test("C-058 a confirmation after the ack timeout comes too late", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  await stage.tick(1_000);
  await stage.confirm(seq);
  expect(producer.begun).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([0, 1, 0]);
});

test.for(["confirm", "reject", "overflow", "timeout", "leave"] as const)(
  "C-059 a resolved event leaves no number behind: by %s",
  async (route) => {
    const stage = new Stage({ maxSubscriberQueue: 1, ackTimeout: { seconds: 1 } });
    const one = stage.subscribe(1);
    stage.subscribe(2);
    await stage.opened();
    await stage.emit("e0");
    const seq = await one.pullAndBind();
    one.bind();
    expect(stage.manager.outstandingCounts().unconfirmed).toBe(2);
    if (route === "confirm") await stage.confirm(seq, seq + 1);
    if (route === "reject") one.reject();
    if (route === "overflow") await stage.emit("e1", "e2");
    if (route === "timeout") await stage.tick(1_000);
    if (route === "leave") {
      await one.leave();
      await stage.confirm(seq, seq + 1);
    }
    expect(stage.manager.outstandingCounts().unconfirmed).toBe(0);
  },
);

test("C-060 after leaving, a bound event still waits for its confirmation, and counts as acked", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const two = stage.subscribe(2);
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  await one.leave();
  await two.take(2);
  expect(producer.batches).toEqual([]);
  expect(stage.manager.outstandingCounts().outstanding).toBe(1);
  await stage.confirm(seq);
  expect(producer.out("e0")).toEqual([2, 0, 0]);
});

test("C-061 when the last subscriber leaves after binding, its event is never advanced", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  await one.leave();
  await stage.confirm(seq);
  await stage.tick(600_000);
  expect(stage.keys()).toEqual([]);
  expect(producer.begun).toEqual([]);
  expect(producer.aclosed).toBe(1);
});

test("C-062 a confirmation for a group that drains is ignored", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0", "e1");
  await one.pull();
  const seq = await one.pullAndBind();
  const left = one.unsubscribe();
  await stage.settle();
  await stage.confirm(seq);
  producer.unblock();
  await left;
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.aclosed).toBe(1);
});

test("C-063 confirmPersisted only marks; the advance runs later", async () => {
  const { stage, seqs } = await gated();
  stage.manager.confirmPersisted(seqs);
  expect(stage.producer.begun).toEqual([]);
  await stage.settle();
  expect(stage.producer.begun).toEqual([["e0", "e1", "e2"]]);
});

test("C-064 bind takes the event that is open at the call: after an await it is too late", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  one.ask();
  expect(one.bind()).toBeNull();
  await stage.settle();
  expect(producer.batches).toEqual([["e0"]]);
});
