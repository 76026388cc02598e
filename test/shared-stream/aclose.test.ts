import { expect, test } from "vitest";
import { DONE, Stage } from "./stage.ts";

test("C-153 the producer is closed when the last unsubscribe returns", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await one.unsubscribe();
  expect(producer.aclosed).toBe(0);
  await two.unsubscribe();
  expect(producer.aclosed).toBe(1);
});

test("C-154 a poll that failed closes its producer, and leaving does not close it again", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.fail(new Error("connection lost"));
  await stage.settle();
  expect(producer.aclosed).toBe(1);
  await one.leave();
  await stage.manager.stopAll();
  expect(producer.aclosed).toBe(1);
});

test.for([
  ["rejects", () => Promise.reject(new Error("already gone"))],
  [
    "throws",
    () => {
      throw new Error("already gone");
    },
  ],
] as const)("C-155 an aclose that %s is a warning, nothing more", async ([, acloseBy]) => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.acloseBy = acloseBy;
  await one.unsubscribe();
  expect(producer.aclosed).toBe(1);
  expect(stage.messages("warn")).toEqual(["The shared stream producer failed to close"]);
});

test("C-156 the last advance, and the stream's own cleanup, come before aclose", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0");
  await one.take(2);
  const left = one.unsubscribe();
  await stage.settle();
  producer.unblock();
  await left;
  expect(producer.acts).toEqual(["open", "advance e0", "stream closed", "advanced", "aclose"]);
});

test("C-157 a producer may do without aclose", async () => {
  const stage = new Stage();
  stage.prepare = (producer) => Object.assign(producer, { aclose: undefined });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.take(2);
  await one.leave();
  expect(producer.batches).toEqual([["e0"]]);
  expect(stage.messages("warn")).toEqual([]);
});

test("C-158 the fast path closes its source and nothing else", async () => {
  const stage = new Stage();
  const one = stage.subscribeFast(1);
  const producer = await stage.opened();
  one.ask();
  await stage.settle();
  await one.leave();
  expect(one.seen).toEqual([DONE]);
  expect(producer.acts).toEqual(["open", "stream closed"]);
  expect(producer.aclosed).toBe(0);
});
