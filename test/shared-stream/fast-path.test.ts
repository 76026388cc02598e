import { expect, test } from "vitest";
import { rejectSharedStreamEvent } from "../../src/shared-stream/mod.ts";
import { DONE, PARKED, Stage, type Subscriber } from "./stage.ts";

/** What a filter that keeps the events of one name would fire, for what is there now. */
async function fire(subscriber: Subscriber, name: string): Promise<readonly unknown[]> {
  const fired: unknown[] = [];
  for (;;) {
    const raw = await subscriber.pull();
    if (raw === PARKED) return fired;
    if (raw === name) fired.push(raw);
  }
}

test("C-022 one subscriber keeps one of two events", async () => {
  const stage = new Stage();
  const one = stage.subscribeFast(1);
  await stage.opened();
  await stage.emit("us", "eu");
  expect(await fire(one, "us")).toEqual(["us"]);
});

test("C-023 each filter sees all of one group's events", async () => {
  const stage = new Stage();
  const one = stage.subscribeFast(1);
  const two = stage.subscribeFast(2);
  await stage.opened();
  await stage.emit("us", "eu", "us");
  expect(await fire(one, "us")).toEqual(["us", "us"]);
  expect(await fire(two, "eu")).toEqual(["eu"]);
  expect(stage.producers).toHaveLength(1);
});

test("C-024 raw events arrive as they are, the very objects", async () => {
  const stage = new Stage();
  const one = stage.subscribeFast(1);
  const two = stage.subscribeFast(2);
  await stage.opened();
  const raw = { order: 1 };
  await stage.emit(raw);
  expect(await one.pull()).toBe(raw);
  expect(await two.pull()).toBe(raw);
});

test("C-025 without a ledger bind returns null and draws nothing, reject warns, nothing times out", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const one = stage.subscribeFast(1);
  await stage.opened();
  await stage.emit("e0");
  expect(await one.pull()).toBe("e0");
  expect(one.bind()).toBeNull();
  stage.manager.confirmPersisted([0, 1]);
  one.reject();
  expect(stage.messages("warn")).toEqual([
    "Cannot reject a shared stream event outside an ack-mode binding window",
  ]);
  expect(stage.manager.outstandingCounts()).toEqual({
    outstanding: 0,
    lanes: 0,
    unconfirmed: 0,
    windows: 0,
  });
  await stage.tick(10_000);
  expect(await one.pull()).toBe(PARKED);

  const ack = stage.subscribe(1, "ack");
  await stage.opened();
  await stage.emit("e1");
  expect(await ack.pullAndBind()).toBe(0);
});

test("C-025 the ambient reject on the fast path warns, too, and the event fires", async () => {
  const stage = new Stage();
  const one = stage.subscribeFast(1);
  await stage.opened();
  await stage.emit("e0");
  const fired: unknown[] = [];
  const filter = (async () => {
    for await (const raw of one.stream) {
      rejectSharedStreamEvent();
      fired.push(raw);
    }
  })();
  await stage.settle();
  expect(fired).toEqual(["e0"]);
  expect(stage.messages("warn")).toEqual([
    "Cannot reject a shared stream event outside an ack-mode binding window",
  ]);
  await one.leave();
  await filter;
});

test("C-026 a slow subscriber overflows alone, and gets no further events", async () => {
  const stage = new Stage({ maxSubscriberQueue: 2 });
  const slow = stage.subscribeFast(1);
  const fast = stage.subscribeFast(2);
  await stage.opened();
  for (let at = 0; at < 5; at += 1) {
    await stage.emit(at);
    expect(await fast.pull()).toBe(at);
  }
  expect(await slow.pull()).toMatchObject({ name: "SubscriberOverflow", triggerId: 1 });
  expect(await slow.pull()).toBe(DONE);
  await stage.emit(5);
  expect(await fast.pull()).toBe(5);
  expect(await slow.pull()).toBe(DONE);
  expect(stage.keys()).toEqual(["k"]);
});

test.for([
  [2, 3],
  [3, 4],
] as const)(
  "C-027 C-028 with room for %i events the next one leaves one failure and no backlog",
  async ([maxSubscriberQueue, events]) => {
    const stage = new Stage({ maxSubscriberQueue });
    const slow = stage.subscribeFast(1);
    await stage.opened();
    await stage.emit(...Array.from({ length: events }, (_, at) => at));
    expect(stage.messages("warn")).toEqual(["A shared stream subscriber was force-failed"]);
    expect(await slow.pull()).toMatchObject({ name: "SubscriberOverflow" });
    expect(await slow.pull()).toBe(DONE);
  },
);
