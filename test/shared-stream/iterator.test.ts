import { expect, test } from "vitest";
import { DONE, PARKED, Stage } from "./stage.ts";

test("a stream is its own iterator", () => {
  const { stream } = new Stage().subscribe(1);
  expect(stream[Symbol.asyncIterator]()).toBe(stream);
});

test("pulling closes the open window first, then waits", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0");
  await one.pull();
  const pulled = one.stream.next();
  expect(stage.manager.outstandingCounts().windows).toBe(0);
  await one.leave();
  expect(await pulled).toEqual({ done: true, value: undefined });
});

test("pulls that wait together are answered in order; only the last one's window stays open", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  for (let at = 0; at < 3; at += 1) one.ask();
  await stage.emit("e0", "e1");
  expect(one.seen).toEqual(["e0", "e1"]);
  expect(producer.batches).toEqual([["e0"]]);
  expect(stage.manager.outstandingCounts().windows).toBe(1);
  await one.leave();
  expect(one.seen).toEqual(["e0", "e1", DONE]);
  expect(producer.batches.flat()).toEqual(["e0", "e1"]);
});

test("of pulls that wait together the one that asked first is answered first", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.opened();
  const pulls = [one.stream.next(), one.stream.next(), one.stream.next()];
  await stage.emit("e0", "e1", "e2");
  const values = (await Promise.all(pulls)).map(({ value }) => value as unknown);
  expect(values).toEqual(["e0", "e1", "e2"]);
  await one.leave();
});

test("return() ends pulls that wait, and those to come, but closes no window", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  expect(await one.stream.return?.()).toEqual({ done: true, value: undefined });
  expect(stage.manager.outstandingCounts().windows).toBe(1);
  expect(producer.batches).toEqual([]);
  expect(await one.pull()).toBe(DONE);
  expect(producer.batches).toEqual([["e0"]]);
});

test("return() resolves at once while a pull waits", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.opened();
  one.ask();
  await one.stream.return?.();
  await stage.settle();
  expect(one.seen).toEqual([DONE]);
  expect(stage.keys()).toEqual(["k"]);
});

test("after return() a subscriber still owes queued and later events, until it leaves or times out", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const [returned, other] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await returned.stream.return?.();
  await stage.emit("e1");
  await other.take(3);
  expect(producer.batches).toEqual([]);
  await stage.tick(1_000);
  expect([producer.out("e0"), producer.out("e1")]).toEqual([
    [1, 1, 0],
    [1, 1, 0],
  ]);
  expect(await returned.pull()).toBe(DONE);
});

test("a failure is thrown once, into the oldest pull that waits; the others are done", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  for (let at = 0; at < 3; at += 1) one.ask();
  const failure = new Error("connection lost");
  producer.fail(failure);
  await stage.settle();
  expect(one.seen).toEqual([failure, DONE, DONE]);
  expect(await one.pull()).toBe(DONE);
});

test("after its stream failed, a subscriber keeps its place until it unsubscribes", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0", "e1");
  expect(await one.take(2)).toMatchObject([{ name: "SubscriberOverflow" }, DONE]);
  expect(() => stage.subscribe(1)).toThrow(/already subscribed/);
  expect(stage.keys()).toEqual(["k"]);
  await one.leave();
  expect(stage.keys()).toEqual([]);
});

test("an event is one value or falsy: all of them arrive", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit(0, "", false, null);
  expect(await one.take(5)).toEqual([0, "", false, null, PARKED]);
});

test("stopping aborts the signal that the source was given, and closes the source", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  expect(producer.signal?.aborted).toBe(false);
  const left = one.unsubscribe();
  expect(producer.signal?.aborted).toBe(true);
  await left;
  expect(producer.acts).toEqual(["open", "stream closed", "aclose"]);
});

test("what a source still yields after the stop is not broadcast", async () => {
  const stage = new Stage();
  let bring: (name: string) => void = () => undefined;
  const heedless: AsyncIterator<readonly [unknown, unknown]> = {
    next: () =>
      new Promise((resolve) => {
        bring = (name) => resolve({ done: false, value: [name, name] });
      }),
  };
  stage.prepare = (producer) => {
    producer.openStream = () =>
      ({ [Symbol.asyncIterator]: () => heedless }) as ReturnType<typeof producer.openStream>;
  };
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  bring("e0");
  expect(await one.pull()).toBe("e0");
  const stopped = stage.manager.stopAll();
  bring("e1");
  await stopped;
  expect(await one.pull()).toBe(PARKED);
  expect(producer.laneCalls).toEqual(["e0"]);
});
