import { expect, test } from "vitest";
import { type AdvanceItem, rejectSharedStreamEvent } from "../../src/shared-stream/mod.ts";
import { DONE, PARKED, Stage } from "./stage.ts";

/** What an interrupted client library throws; an error like any other here. */
function abortError(): Error {
  return new DOMException("The operation was aborted", "AbortError");
}

const THROWN: readonly (readonly [string, unknown])[] = [
  ["an AbortError", abortError()],
  ["a string", "cancelled"],
  ["undefined", undefined],
];

test.for(THROWN)("E-01 %s out of advance is an ordinary failure", async ([, thrown]) => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.advanceBy = () => {
    throw thrown;
  };
  await stage.emit("e0", "e1");
  await one.pull();
  await one.pull();
  await stage.settle();
  expect(stage.keys()).toEqual([]);
  expect(stage.messages("error")).toEqual(["The shared stream advance failed"]);
  expect(await one.pull()).toBe(thrown);
  expect(await one.pull()).toBe(DONE);
  expect(producer.begun).toEqual([["e0"]]);
  expect(producer.aclosed).toBe(1);
});

test.for(["ack mode", "the fast path"] as const)(
  "E-04 in %s an AbortError out of the source is an ordinary failure",
  async (mode) => {
    const stage = new Stage();
    const one = mode === "ack mode" ? stage.subscribe(1) : stage.subscribeFast(1);
    const producer = await stage.opened();
    const thrown = abortError();
    producer.fail(thrown);
    expect(await one.pull()).toBe(thrown);
    expect(stage.keys()).toEqual([]);
    expect(producer.aclosed).toBe(mode === "ack mode" ? 1 : 0);
    const late = stage.subscribe(1);
    await stage.opened();
    await stage.emit("e0");
    expect(await late.pull()).toBe("e0");
  },
);

test("E-06 an old subscription times out without touching the new one under its id", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const [old, other] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await old.pullAndBind();
  await other.take(2);
  await old.leave();
  const fresh = stage.subscribe(1);
  await stage.tick(500);
  await stage.emit("e1");
  const seq = await fresh.pullAndBind();
  await fresh.pull();
  await other.pull();
  await stage.tick(500);
  expect(producer.out("e0")).toEqual([1, 1, 0]);
  expect(fresh.seen).toEqual(["e1"]);
  await stage.confirm(seq);
  expect(producer.out("e1")).toEqual([2, 0, 0]);
});

test("E-07 a stale stream that is pulled again is done, and disturbs nothing", async () => {
  const stage = new Stage();
  const [old, other] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await old.pull();
  await old.leave();
  const fresh = stage.subscribe(1);
  await stage.emit("e2");
  expect(await fresh.pull()).toBe("e2");
  expect(await old.take(2)).toEqual([DONE, DONE]);
  old.reject();
  const seq = fresh.bind();
  expect(seq).toBe(0);
  await fresh.pull();
  await other.take(4);
  expect(producer.batches.flat()).toEqual(["e0", "e1"]);
  await stage.confirm(seq);
  expect(producer.out("e2")).toEqual([2, 0, 0]);
});

test("E-08 the first unsubscribe of an id that came back is the old one's; bind is the new one's", async () => {
  const stage = new Stage();
  const old = stage.subscribe(1);
  const first = await stage.opened();
  await stage.emit("e0");
  await old.pull();
  first.fail(new Error("connection lost"));
  await stage.settle();
  const fresh = stage.subscribe(1);
  const second = await stage.opened();
  await stage.emit("f0");
  await fresh.pull();
  expect(fresh.bind()).toBe(0);
  await old.leave();
  expect(stage.keys()).toEqual(["k"]);
  expect(second.aclosed).toBe(0);
  expect(await old.pull()).toBe(DONE);
  await stage.confirm(0);
  await fresh.leave();
  expect(stage.keys()).toEqual([]);
  expect(second.aclosed).toBe(1);
});

test("E-09 a reject after the subscriber left, as in a cleanup, warns and takes nothing back", async () => {
  const stage = new Stage();
  const [one, other] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  const filter = (async () => {
    await one.stream.next();
    const seq = one.bind();
    await one.unsubscribe();
    rejectSharedStreamEvent();
    one.reject();
    return seq;
  })();
  const seq = await filter;
  await other.take(2);
  expect(stage.messages("warn")).toHaveLength(2);
  await stage.confirm(seq);
  expect(producer.out("e0")).toEqual([2, 0, 0]);
});

test("E-09 a child task of an earlier window cannot reject, neither its own event nor the next", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  let letChildGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letChildGo = resolve;
  });
  const children: Promise<void>[] = [];
  const filter = (async () => {
    for await (const raw of one.stream) {
      if (raw !== "e0") continue;
      children.push(
        (async () => {
          await gate;
          rejectSharedStreamEvent();
        })(),
      );
      one.bind();
    }
  })();
  await stage.settle();
  await stage.emit("e2");
  letChildGo();
  await Promise.all(children);
  expect(stage.messages("warn")).toEqual([
    "Cannot reject a shared stream event outside an ack-mode binding window",
  ]);
  await stage.confirm(0);
  for (const name of ["e0", "e1", "e2"]) expect(producer.out(name)).toEqual([1, 0, 0]);
  await one.leave();
  await filter;
});

test.for([
  ["the lane hook throws", "lane"],
  ["an item is no pair", "item"],
  ["an advance throws", "advance"],
  ["the last one leaves", "leave"],
] as const)("E-11 the stream is closed before aclose when %s", async ([, how]) => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  if (how === "lane") producer.laneBy = () => Number.NaN;
  if (how === "advance") producer.advanceBy = () => Promise.reject(new Error("commit failed"));
  if (how === "item") producer.emitItems("e0");
  else producer.emit("e0");
  await one.take(2);
  if (how === "leave") await one.leave();
  expect(producer.acts.filter((act) => act === "stream closed")).toHaveLength(1);
  expect(producer.acts.slice(-1)).toEqual(["aclose"]);
  expect(stage.keys()).toEqual([]);
});

/** A producer whose source closes when it is told to; a payload "bad" has no lane. */
function closingLate(payloads: readonly string[]) {
  const acts: string[] = [];
  const gate = Promise.withResolvers<void>();
  const filters = {
    createSharedStreamProducer: () => ({
      async *openStream() {
        try {
          for (const payload of payloads) yield [payload, payload] as const;
        } finally {
          await gate.promise;
          acts.push("stream closed");
        }
      },
      getAdvanceLane: (payload: unknown) => (payload === "bad" ? Number.NaN : "lane"),
      async advance(batch: readonly AdvanceItem<unknown>[]) {
        acts.push(...batch.map(({ brokerPayload }) => String(brokerPayload)));
      },
      aclose: async () => void acts.push("aclose"),
    }),
  };
  return { acts, filters, letCleanUp: () => gate.resolve() };
}

test("E-11 a source whose cleanup takes its time is waited for when it is idle", async () => {
  const stage = new Stage();
  const { acts, filters, letCleanUp } = closingLate(["bad"]);
  const one = stage.subscribe(1, "k", filters);
  expect(await one.pull()).toBeInstanceOf(TypeError);
  expect(acts).toEqual([]);
  letCleanUp();
  await stage.settle();
  expect(acts).toEqual(["stream closed", "aclose"]);
});

test("C-124 what is resolved while a failed source cleans up is advanced before aclose", async () => {
  const stage = new Stage();
  const { acts, filters, letCleanUp } = closingLate(["e0", "bad"]);
  const one = stage.subscribe(1, "k", filters);
  await one.pull();
  await stage.settle();
  expect(acts).toEqual([]);
  await one.pull();
  letCleanUp();
  await stage.settle();
  expect(acts).toEqual(["e0", "stream closed", "aclose"]);
});

test("E-11 a source that hangs in a pull, and in its return, does not keep a stop from ending", async () => {
  const stage = new Stage();
  const hang = (): Promise<never> => new Promise(() => undefined);
  let closed = 0;
  const one = stage.subscribe(1, "k", {
    createSharedStreamProducer: () => ({
      openStream: () => ({ [Symbol.asyncIterator]: () => ({ next: hang, return: hang }) }),
      advance: () => Promise.resolve(),
      aclose: async () => void (closed += 1),
    }),
  });
  await stage.settle();
  let isOver = false;
  void one.unsubscribe().then(() => (isOver = true));
  await stage.settle();
  expect([isOver, closed]).toEqual([true, 1]);
});

test("E-21 a source that never returns does not keep a stop from ending", async () => {
  const stage = new Stage();
  let returned = 0;
  stage.prepare = (producer) => {
    producer.openStream = () => {
      const never = { next: () => new Promise(() => undefined), return: () => (returned += 1) };
      return { [Symbol.asyncIterator]: () => never } as unknown as ReturnType<
        typeof producer.openStream
      >;
    };
  };
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await one.unsubscribe();
  expect(returned).toBe(1);
  expect(producer.aclosed).toBe(1);
});

test("E-12 a wake costs what is ready, not what is there: 20,000 lanes with one open head each", async () => {
  const stage = new Stage({ maxSubscriberQueue: 0 });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.laneBy = (payload) => payload as number;
  const count = 20_000;
  await stage.emit(...Array.from({ length: count }, (_, at) => at));
  const seqs: number[] = [];
  for (let at = 0; at < count; at += 1) {
    await one.stream.next();
    const seq = one.bind();
    if (seq !== null) seqs.push(seq);
  }
  one.ask();
  expect(stage.manager.outstandingCounts().lanes).toBe(count);
  for (const seq of seqs.reverse()) {
    stage.manager.confirmPersisted([seq]);
    await Promise.resolve();
  }
  await stage.settle();
  expect(producer.batches).toHaveLength(count);
});

test("E-13 a scan costs what is overdue: 100 subscribers behind on 5,000 events each", async () => {
  const stage = new Stage({ maxSubscriberQueue: 0, ackTimeout: { seconds: 10 } });
  const behind = Array.from({ length: 100 }, (_, at) => stage.subscribe(at));
  const producer = await stage.opened();
  await stage.emit(...Array.from({ length: 5_000 }, (_, at) => at));
  await stage.tick(10_000);
  expect(producer.batches.map(({ length }) => length)).toEqual([5_000]);
  expect(producer.out(0)).toEqual([0, 100, 0]);
  expect(await behind[0]?.pull()).toMatchObject({ name: "AckTimeout", eventId: 0 });
  expect(stage.messages("warn")).toHaveLength(100);
});

test("E-15 an advance that hangs holds up the other groups for a minute, aclose and all", async () => {
  const stage = new Stage();
  const [stuck, next] = [stage.subscribe(1, "stuck"), stage.subscribe(1, "next")];
  await stage.settle();
  for (const producer of stage.producers) {
    producer.block();
    producer.emit("e0");
  }
  await stuck.take(2);
  await next.take(2);
  let isOver = false;
  void stage.manager.stopAll().then(() => {
    isOver = true;
  });
  stage.producers[1]?.unblock();
  await stage.tick(60_000);
  expect(stage.producers.map(({ aclosed }) => aclosed)).toEqual([0, 1]);
  expect(isOver).toBe(false);
  stage.producers[0]?.unblock();
  await stage.settle();
  expect(isOver).toBe(true);
});

test("E-30 one advance at a time is a promise of each group: those of two groups overlap", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1, "k1"), stage.subscribe(1, "k2")];
  await stage.settle();
  for (const producer of stage.producers) {
    producer.block();
    producer.emit("e0");
  }
  await one.take(2);
  await two.take(2);
  expect(stage.producers.map(({ inFlight }) => inFlight)).toEqual([1, 1]);
  for (const producer of stage.producers) producer.unblock();
  await stage.settle();
});

test("E-03 by default leaving with an open window counts as acked, even after a filter that threw", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await two.take(2);
  await one.leave();
  expect(producer.out("e0")).toEqual([2, 0, 0]);
});

test("E-03 I23 with strictPersistence it counts as failed, unless something was bound", async () => {
  const stage = new Stage({ strictPersistence: true });
  const [raises, fired, passes] = [1, 2, 3].map((id) => stage.subscribe(id));
  const producer = await stage.opened();
  await stage.emit("e0");
  await raises?.pull();
  const seq = await fired?.pullAndBind();
  await passes?.take(2);
  await raises?.leave();
  await fired?.leave();
  expect(producer.batches).toEqual([]);
  await stage.confirm(seq ?? null);
  expect(producer.out("e0")).toEqual([2, 1, 0]);
});

test("E-03 I23 with strictPersistence the last subscriber that leaves with an open window fails its event", async () => {
  const stage = new Stage({ strictPersistence: true });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0", "e1");
  await one.take(2);
  await one.leave();
  expect([producer.out("e0"), producer.out("e1")]).toEqual([
    [1, 0, 0],
    [0, 1, 0],
  ]);
});

test("E-03 I23 with strictPersistence what was rejected or confirmed before leaving stays so", async () => {
  const stage = new Stage({ strictPersistence: true });
  const [rejects, confirmed] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  await rejects.pull();
  rejects.reject();
  await stage.confirm(await confirmed.pullAndBind());
  await rejects.leave();
  await confirmed.leave();
  expect(producer.out("e0")).toEqual([1, 0, 1]);
});

test.for([
  [false, [1, 0, 0]],
  [true, [0, 1, 0]],
] as const)(
  "E-02 strictPersistence %s: an event that could not be bound because its group went is %s",
  async ([strictPersistence, counts]) => {
    const stage = new Stage({ strictPersistence });
    const one = stage.subscribe(1);
    const producer = await stage.opened();
    producer.block();
    await stage.emit("e0", "e1");
    await one.take(2);
    const stopped = stage.manager.stopAll();
    await stage.settle();
    expect(one.bind()).toBeNull();
    expect(await one.pull()).toBe(PARKED);
    producer.unblock();
    await stopped;
    expect(producer.batches).toEqual([["e0"], ["e1"]]);
    expect(producer.out("e1")).toEqual(counts);
  },
);

test.for([false, true])(
  "E-02 strictPersistence %s: the same after the poll failed while an advance was under way",
  async (strictPersistence) => {
    const stage = new Stage({ strictPersistence });
    const one = stage.subscribe(1);
    const producer = await stage.opened();
    producer.block();
    await stage.emit("e0", "e1");
    await one.take(2);
    producer.fail(new Error("connection lost"));
    await stage.settle();
    expect(one.bind()).toBeNull();
    expect(await one.pull()).toMatchObject({ message: "connection lost" });
    producer.unblock();
    await stage.settle();
    expect(producer.out("e1")).toEqual(strictPersistence ? [0, 1, 0] : [1, 0, 0]);
  },
);
