import { expect, test } from "vitest";
import * as sharedStream from "../../src/shared-stream/mod.ts";
import { AdvanceOutcome, SharedStreamManager } from "../../src/shared-stream/mod.ts";
import { Stage } from "./stage.ts";

test("C-001 by default the queue takes 1024 events, the ack timeout is 300 s, the grace is 0", async () => {
  const stage = new Stage();
  const idle = stage.subscribe(1);
  const producer = await stage.opened();
  expect(producer.opened).toBe(1);
  await stage.emit(...Array.from({ length: 1_024 }, (_, at) => at));
  expect(stage.messages("warn")).toEqual([]);
  await stage.emit("one more");
  expect(await idle.pull()).toMatchObject({
    name: "SubscriberOverflow",
    maxSubscriberQueue: 1_024,
  });

  const other = new Stage();
  const slow = other.subscribe(1);
  await other.opened();
  await other.emit("e0");
  await slow.pull();
  await other.tick(299_999);
  expect(other.producer.batches).toEqual([]);
  await other.tick(1);
  expect(await slow.pull()).toMatchObject({ name: "AckTimeout" });
});

test("C-001 the clock is the runtime's own unless one is given", async () => {
  const stage = new Stage();
  const manager = new SharedStreamManager();
  const stream = manager.subscribe({ triggerId: 1, key: "k", trigger: stage.trigger });
  await stage.settle();
  stage.producer.emit("e0");
  expect(await stream.next()).toEqual({ done: false, value: "e0" });
  await manager.unsubscribe({ triggerId: 1, key: "k" });
  expect(stage.producer.outcomes.get("e0")).toEqual([1, 0, 0]);
});

test("C-002 an outcome is acked, failed, rejected, the last 0 by default; immutable, equal by value", () => {
  const outcome = new AdvanceOutcome(2, 1);
  expect([outcome.acked, outcome.failed, outcome.rejected]).toEqual([2, 1, 0]);
  expect(new AdvanceOutcome(2, 0)).toEqual(new AdvanceOutcome(2, 0, 0));
  expect(new AdvanceOutcome(2, 0)).not.toEqual(new AdvanceOutcome(2, 0, 1));
  expect(Object.isFrozen(outcome)).toBe(true);
  expect(() => Object.assign(outcome, { acked: 7 })).toThrow(TypeError);
});

test.for([
  [1, 0, 0, true],
  [2, 0, 0, true],
  [2, 1, 0, false],
  [2, 0, 1, false],
  [0, 0, 1, false],
  [0, 1, 0, false],
  [0, 0, 0, false],
] as const)("C-003 is (%i, %i, %i) clean? %s", ([acked, failed, rejected, isClean]) => {
  expect(new AdvanceOutcome(acked, failed, rejected).isClean).toBe(isClean);
});

test("C-004 an item of a batch is a frozen { brokerPayload, outcome }, by name only", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const items: unknown[] = [];
  stage.prepare = (producer) => {
    producer.advance = async (batch) => void items.push(...batch);
  };
  await stage.opened();
  const payload = { offset: 7 };
  stage.producer.emitItems(["raw", payload]);
  await one.pull();
  await one.pull();
  expect(items).toEqual([{ brokerPayload: payload, outcome: new AdvanceOutcome(1, 0) }]);
  expect((items[0] as { brokerPayload: unknown }).brokerPayload).toBe(payload);
  expect(Object.isFrozen(items[0])).toBe(true);
});

test("C-005 a null key is refused before anything of the trigger is called", () => {
  const { manager, trigger, producers } = new Stage();
  for (const key of [null, undefined] as unknown as string[]) {
    const subscribe = (): unknown => manager.subscribe({ triggerId: 1, key, trigger });
    expect(subscribe).toThrow(TypeError);
    expect(subscribe).toThrow(/must not be (null|undefined)/);
  }
  expect(manager.groupKeys()).toEqual([]);
  expect(producers).toEqual([]);
});

test("C-006 a second subscribe of an id is refused, and the first continues", async () => {
  const stage = new Stage();
  const one = stage.subscribe(7, "orders");
  expect(() => stage.subscribe(7, "orders")).toThrow(/trigger 7 .*"orders".* already subscribed/);
  expect(stage.keys()).toEqual(["orders"]);
  const producer = await stage.opened();
  await stage.emit("e0");
  expect(await one.pull()).toBe("e0");
  await one.pull();
  expect(producer.out("e0")).toEqual([1, 0, 0]);
  expect(stage.producers).toHaveLength(1);
});

test("C-007 a group is started once, by the manager: joiners do not start it again", async () => {
  const stage = new Stage();
  for (const id of [1, 2, 3]) stage.subscribe(id);
  const producer = await stage.opened();
  stage.subscribe(4);
  await stage.settle();
  expect(stage.producers).toHaveLength(1);
  expect(producer.opened).toBe(1);
});

test("C-008 an overflow names the key, the trigger and the bound", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const full = stage.subscribe(9, ["orders", 3]);
  await stage.opened();
  await stage.emit("e0", "e1");
  const error = await full.pull();
  expect(error).toMatchObject({ triggerId: 9, key: '["orders",3]', maxSubscriberQueue: 1 });
  expect(String(error)).toMatch(/\["orders",3\].*trigger 9 exceeded maxsize=1/);
});

test("C-008 an ack timeout names the key, the trigger, the event and the seconds", async () => {
  const stage = new Stage({ ackTimeout: { milliseconds: 2_500 } });
  const slow = stage.subscribe(9, "orders");
  await stage.opened();
  await stage.emit("e0");
  await stage.tick(2_500);
  const error = await slow.pull();
  expect(error).toMatchObject({ triggerId: 9, key: '"orders"', eventId: 0 });
  expect(String(error)).toMatch(
    /"orders".*trigger 9 did not finish processing event 0 within 2.5 s/,
  );
});

test("C-008 the error for a source that returned names the key", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1, "orders");
  (await stage.opened()).end();
  const error = await one.pull();
  expect(error).toMatchObject({ name: "PollTerminated", key: '"orders"' });
  expect(String(error)).toMatch(/"orders".*expected to run for the lifetime of the group/);
});

test("C-009 the face: what Airflow has, the errors that it keeps to itself, one for drivers, and settings", () => {
  expect(Object.keys(sharedStream).sort()).toEqual([
    "AckTimeout",
    "AdvanceOutcome",
    "DEFAULT_ACK_TIMEOUT",
    "DEFAULT_SUBSCRIBER_QUEUE_MAX",
    "PollTerminated",
    "SharedStreamManager",
    "SharedStreamProducer",
    "SubscriberOverflow",
    "clearAmbientWindow",
    "rejectSharedStreamEvent",
    "sharedStreamSettingsFromEnv",
  ]);
});

test("C-010 keys are compared by value and type; what cannot be compared is refused", async () => {
  const stage = new Stage();
  stage.subscribe(1, ["orders", 3]);
  stage.subscribe(2, ["orders", 3]);
  expect(stage.keys()).toEqual([["orders", 3]]);
  for (const key of [{ topic: "orders" }, [["orders"]], Number.NaN, () => "k"]) {
    expect(() => stage.subscribe(3, key as unknown as string)).toThrow(TypeError);
  }
  expect(stage.keys()).toEqual([["orders", 3]]);
  const producer = await stage.opened();
  expect(producer.opened).toBe(1);
  expect(stage.producers).toHaveLength(1);
});
