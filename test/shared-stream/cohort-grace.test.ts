import { expect, test } from "vitest";
import type { SharedStreamProducer } from "../../src/shared-stream/mod.ts";
import { DONE, PARKED, Stage } from "./stage.ts";

const GRACE = { cohortGracePeriod: { milliseconds: 50 } };

test("C-177 a subscriber that joins within the grace period gets the first event", async () => {
  const stage = new Stage(GRACE);
  const one = stage.subscribe(1);
  stage.prepare = (producer) => producer.emit("e0");
  await stage.tick(20);
  expect(stage.keys()).toEqual(["k"]);
  expect(stage.producers).toEqual([]);
  const two = stage.subscribe(2);
  await stage.tick(30);
  expect(stage.producers).toHaveLength(1);
  expect([await one.pull(), await two.pull()]).toEqual(["e0", "e0"]);
  await one.pull();
  await two.pull();
  expect(stage.producer.out("e0")).toEqual([2, 0, 0]);
});

test("C-178 when the last one leaves within the grace, nothing is ever opened", async () => {
  const stage = new Stage(GRACE);
  const one = stage.subscribe(1);
  await stage.tick(20);
  one.ask();
  await one.leave();
  expect(one.seen).toEqual([DONE]);
  expect(stage.keys()).toEqual([]);
  expect(stage.clock.nextDueAt()).toBeUndefined();
  await stage.tick(1_000);
  expect(stage.producers).toEqual([]);
});

test("C-179 every new group waits, in both modes, after a failure and after a replacement, too", async () => {
  const stage = new Stage(GRACE);
  const fast = stage.subscribeFast(1, "fast");
  await stage.tick(49);
  expect(stage.producers).toHaveLength(0);
  await stage.tick(1);
  expect(stage.producers).toHaveLength(1);
  stage.producer.fail(new Error("connection lost"));
  await stage.settle();
  await fast.leave();
  const again = stage.subscribeFast(1, "fast");
  await stage.tick(49);
  expect(stage.producers).toHaveLength(1);
  await stage.tick(1);
  expect(stage.producers).toHaveLength(2);
  await again.leave();
  stage.subscribe(1, "fast");
  await stage.tick(49);
  expect(stage.producers).toHaveLength(2);
  await stage.tick(1);
  expect(stage.producers).toHaveLength(3);
});

test("C-180 a factory that throws does so after the grace", async () => {
  const stage = new Stage(GRACE);
  const one = stage.subscribe(1, "k", {
    createSharedStreamProducer: (): SharedStreamProducer<unknown> => {
      throw new Error("no broker");
    },
  });
  one.ask();
  await stage.tick(49);
  expect(one.seen).toEqual([]);
  await stage.tick(1);
  expect(one.error?.message).toBe("no broker");
});

test("C-181 without a grace no timer is set and no time passes; less than none is refused", async () => {
  const stage = new Stage({ cohortGracePeriod: { seconds: 0 } });
  const one = stage.subscribe(1);
  expect(stage.clock.nextDueAt()).toBeUndefined();
  expect(await one.pull()).toBe(PARKED);
  expect(stage.producer.opened).toBe(1);
  expect(stage.clock.now()).toBe(0);
  expect(() => new Stage({ cohortGracePeriod: { seconds: -1 } })).toThrow(RangeError);
});

test("C-182 the scan for overdue events begins after the grace", async () => {
  const stage = new Stage({ ...GRACE, ackTimeout: { milliseconds: 100 } });
  stage.subscribe(1);
  expect(stage.clock.nextDueAt()).toBe(50);
  await stage.tick(50);
  expect(stage.clock.nextDueAt()).toBe(60);
});
