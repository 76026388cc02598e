import { expect, test } from "vitest";
import type { SharedStreamProducer } from "../../src/shared-stream/mod.ts";
import { DONE, PARKED, Stage } from "./stage.ts";

const FAILURE = new Error("connection lost");
const MODES = ["ack mode", "the fast path"] as const;

function subscribeIn(
  mode: (typeof MODES)[number],
  stage: Stage,
  id: number,
): ReturnType<Stage["subscribe"]> {
  return mode === "ack mode" ? stage.subscribe(id) : stage.subscribeFast(id);
}

test.for(MODES)(
  "C-134 C-135 C-149 in %s a failing source is told, and the key is free",
  async (mode) => {
    const stage = new Stage();
    stage.prepare = (producer) => {
      if (stage.producers.length === 0) producer.fail(FAILURE);
    };
    const one = subscribeIn(mode, stage, 1);
    const keysAtError: unknown[] = [];
    one.stream.next().catch((error: unknown) => keysAtError.push(error, ...stage.keys()));
    await stage.settle();
    expect(keysAtError).toEqual([FAILURE]);
    expect(stage.messages("error")).toEqual(["The shared stream poll failed"]);
    const two = subscribeIn(mode, stage, 1);
    await stage.opened();
    await stage.emit("e0");
    expect(await two.pull()).toBe("e0");
    expect(stage.producers.map(({ opened }) => opened)).toEqual([1, 1]);
  },
);

test.for(MODES)("C-136 C-149 in %s the key is free before the failure was read", async (mode) => {
  const stage = new Stage();
  const old = subscribeIn(mode, stage, 1);
  await stage.opened();
  stage.producer.fail(FAILURE);
  await stage.settle();
  expect(stage.keys()).toEqual([]);
  const fresh = subscribeIn(mode, stage, 2);
  await stage.opened();
  await stage.emit("e0");
  expect(await fresh.pull()).toBe("e0");
  expect(await old.pull()).toBe(FAILURE);
  await old.leave();
  expect(stage.keys()).toEqual(["k"]);
});

test("C-137 C-138 evicting and telling wait for nothing: not for the drain, not for aclose", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  producer.acloseBy = () => new Promise(() => undefined);
  await stage.emit("e0");
  await one.take(2);
  producer.fail(FAILURE);
  await stage.settle();
  expect(one.error).toBe(FAILURE);
  expect(stage.keys()).toEqual([]);
  expect(stage.clock.nextDueAt()).toBeUndefined();
  expect(producer.aclosed).toBe(0);
  producer.unblock();
  await stage.settle();
  expect(producer.acts.slice(-2)).toEqual(["advanced", "aclose"]);
});

test("C-138 the key is free, and all subscribers have failed, before the source is stopped", async () => {
  const stage = new Stage();
  stage.subscribe(1);
  const producer = await stage.opened();
  const keysAtAbort: unknown[] = [];
  let thrown: unknown;
  producer.signal?.addEventListener("abort", () => {
    keysAtAbort.push(stage.keys());
    stage
      .subscribe(1)
      .stream.next()
      .catch((error: unknown) => {
        thrown = error;
      });
  });
  producer.fail(FAILURE);
  await stage.settle();
  expect(keysAtAbort).toEqual([[]]);
  expect(stage.producers).toHaveLength(2);
  expect(thrown).toBeUndefined();
});

test.for(MODES)("C-139 C-149 in %s a source that returns is a failure", async (mode) => {
  const stage = new Stage();
  const one = subscribeIn(mode, stage, 1);
  await stage.opened();
  await stage.emit("e0");
  expect(await one.pull()).toBe("e0");
  stage.producer.end();
  expect(await one.pull()).toMatchObject({ name: "PollTerminated" });
  expect(stage.keys()).toEqual([]);
});

test("C-140 C-143 when the poll ends, what is resolved is settled and the rest is abandoned", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await one.take(2);
  producer.end();
  await stage.settle();
  expect(producer.batches).toEqual([["e0"]]);
  expect(producer.aclosed).toBe(1);
  expect(await one.pull()).toMatchObject({ name: "PollTerminated" });
  expect(producer.begun).toEqual([["e0"]]);
});

test.for(MODES)(
  "C-141 C-149 in %s a failure reaches those, too, whose queue is full",
  async (mode) => {
    const stage = new Stage({ maxSubscriberQueue: 1 });
    const [one, two] = [subscribeIn(mode, stage, 1), subscribeIn(mode, stage, 2)];
    await stage.opened();
    await stage.emit("e0");
    stage.producer.fail(FAILURE);
    await stage.settle();
    expect(await one.take(2)).toEqual([FAILURE, DONE]);
    expect(await two.take(2)).toEqual([FAILURE, DONE]);
  },
);

test("C-142 the end of the poll takes the place of an overflow that was not read", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const [unread, read] = [stage.subscribe(1), stage.subscribe(2)];
  await stage.opened();
  await stage.emit("e0", "e1");
  expect(await read.pull()).toMatchObject({ name: "SubscriberOverflow" });
  stage.producer.fail(FAILURE);
  await stage.settle();
  expect(await unread.take(2)).toEqual([FAILURE, DONE]);
  expect(await read.pull()).toBe(DONE);
});

test("C-144 a stop fails no subscriber and takes no key away", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  one.ask();
  await stage.settle();
  const left = one.unsubscribe();
  stage.subscribe(2);
  await left;
  await stage.settle();
  expect(one.seen).toEqual([DONE]);
  expect(stage.keys()).toEqual(["k"]);
  expect(stage.messages("error")).toEqual([]);
  expect(producer.aclosed).toBe(1);
});

test("C-145 the key is free while the last unsubscribe still waits", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0");
  await one.take(2);
  const left = one.unsubscribe();
  expect(stage.keys()).toEqual([]);
  await stage.settle();
  const two = stage.subscribe(1);
  await stage.opened();
  await stage.emit("f0");
  expect(await two.pull()).toBe("f0");
  expect(stage.producers).toHaveLength(2);
  producer.unblock();
  await left;
  expect(stage.keys()).toEqual(["k"]);
});

test("C-146 eight subscribers that leave at once take the group down once", async () => {
  const stage = new Stage();
  const all = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => stage.subscribe(id));
  const producer = await stage.opened();
  await stage.emit("e0");
  await Promise.all(all.map((one) => one.unsubscribe()));
  expect(stage.keys()).toEqual([]);
  expect(producer.signal?.aborted).toBe(true);
  const acts = ["aclose", "advance e0", "advanced", "open", "stream closed"];
  expect([...producer.acts].sort()).toEqual(acts);
  expect(producer.acts.at(-1)).toBe("aclose");
  expect(producer.out("e0")).toEqual([0, 8, 0]);
});

test("C-147 a group that dies late does not take its successor's key away", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.block();
  await stage.emit("e0");
  await one.take(2);
  const left = one.unsubscribe();
  stage.subscribe(2);
  await stage.settle();
  producer.release(FAILURE);
  await left;
  await stage.settle();
  expect(stage.keys()).toEqual(["k"]);
  expect(stage.producer.aclosed).toBe(0);
});

test("C-148 a key is held exactly while its poll is alive and accepting", async () => {
  const stage = new Stage({ cohortGracePeriod: { seconds: 1 } });
  const held = (): boolean => stage.keys().length > 0;
  const one = stage.subscribe(1);
  expect(held()).toBe(true);
  await stage.tick(500);
  expect(held()).toBe(true);
  await stage.tick(500);
  expect(held()).toBe(true);
  stage.producer.block();
  await stage.emit("e0");
  await one.take(2);
  expect([held(), stage.producer.inFlight]).toEqual([true, 1]);
  stage.producer.release(FAILURE);
  await stage.settle();
  expect(held()).toBe(false);
  const two = stage.subscribe(2);
  await stage.tick(1_000);
  const left = two.unsubscribe();
  expect(held()).toBe(false);
  await left;
  stage.subscribe(3);
  await stage.tick(1_000);
  expect(held()).toBe(true);
  const stopped = stage.manager.stopAll();
  expect(held()).toBe(false);
  await stopped;
});

test("C-150 C-152 a factory that throws is a failure as any other; there is nothing to close", async () => {
  const stage = new Stage();
  const trigger = {
    createSharedStreamProducer: (): SharedStreamProducer<unknown> => {
      throw FAILURE;
    },
  };
  const [one, two] = [stage.subscribe(1, "k", trigger), stage.subscribe(2, "k", trigger)];
  expect(await one.pull()).toBe(FAILURE);
  expect(await two.pull()).toBe(FAILURE);
  expect(stage.keys()).toEqual([]);
  expect(stage.messages("error")).toEqual(["The shared stream poll failed"]);
  await one.leave();
});

test("a factory that takes its own group down has its producer closed, and nothing opened", async () => {
  const stage = new Stage();
  let left: Promise<void> | undefined;
  const trigger = {
    createSharedStreamProducer: () => {
      left = one.unsubscribe();
      return stage.createProducer();
    },
  };
  const one = stage.subscribe(1, "k", trigger);
  await stage.settle();
  await left;
  expect(stage.producer.acts).toEqual(["aclose"]);
  expect(stage.clock.nextDueAt()).toBeUndefined();
});

test.for([
  ["nothing", undefined],
  ["null", null],
  ["no producer", {}],
  ["half a producer", { openStream: () => [] }],
] as const)(
  "C-151 a factory that returns %s is a TypeError; nothing is closed",
  async ([, made]) => {
    const stage = new Stage();
    let aclosed = 0;
    const trigger = {
      createSharedStreamProducer: () =>
        (made === undefined || made === null
          ? made
          : { ...made, aclose: () => (aclosed += 1) }) as unknown as SharedStreamProducer<unknown>,
    };
    const one = stage.subscribe(1, "k", trigger);
    expect(await one.pull()).toBeInstanceOf(TypeError);
    expect(one.error?.message).toMatch(/no producer/);
    expect(stage.keys()).toEqual([]);
    expect(aclosed).toBe(0);
    expect(await one.pull()).toBe(DONE);
  },
);

test("C-152 a subscriber that joined while the factory failed fails, too, and the key works again", async () => {
  const stage = new Stage();
  let isBroken = true;
  const trigger = {
    createSharedStreamProducer: () => {
      if (isBroken) throw FAILURE;
      return stage.createProducer();
    },
  };
  const one = stage.subscribe(1, "k", trigger);
  await stage.settle();
  isBroken = false;
  const two = stage.subscribe(1, "k", trigger);
  await stage.settle();
  expect([await one.pull(), await two.pull()]).toEqual([FAILURE, PARKED]);
});
