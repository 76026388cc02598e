import { expect, test } from "vitest";
import {
  type EventWindow,
  rejectSharedStreamEvent,
  type SharedStream,
} from "../../src/shared-stream/mod.ts";
import { Stage, type Subscriber } from "./stage.ts";

const OUTSIDE = "Cannot reject a shared stream event outside an ack-mode binding window";

type Visitor = (raw: unknown, window: EventWindow) => void;

/** Visits the stream; `end` is how the visit ended, once it has. */
function visit(subscriber: Subscriber, visitor: Visitor): { readonly end: unknown[] } {
  const end: unknown[] = [];
  const { stream } = subscriber;
  offersVisit(stream);
  stream.visit(visitor).then(
    () => end.push("ended"),
    (error: unknown) => end.push(error),
  );
  return { end };
}

function offersVisit(
  stream: SharedStream<unknown>,
): asserts stream is Required<SharedStream<unknown>> {
  expect(stream.visit).toBeDefined();
}

test("visit() hands out each event, in order, with its window open; then closes it", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  const seen: unknown[] = [];
  visit(one, (raw) => seen.push([raw, stage.manager.outstandingCounts().windows]));
  await stage.emit("e0", "e1");
  expect(seen).toEqual([
    ["e0", 1],
    ["e1", 1],
  ]);
  expect(stage.manager.outstandingCounts().windows).toBe(0);
  expect(producer.batches.flat()).toEqual(["e0", "e1"]);
});

test("visit() begins with what is queued, but not before it has returned", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0", "e1");
  const seen: unknown[] = [];
  visit(one, (raw) => seen.push(raw));
  expect(seen).toEqual([]);
  await stage.settle();
  expect(seen).toEqual(["e0", "e1"]);
});

// The story: one event was broadcast between the beginning of a visit and the turn in which it shows
// what was queued; the visitor saw that one twice, and the oldest never.
test("for each backlog and each turn at which it begins a visit shows every event once, in order", async () => {
  for (const isAcked of [true, false]) {
    for (let backlog = 0; backlog < 4; backlog += 1) {
      for (let turns = 0; turns < 12; turns += 1) {
        const stage = new Stage();
        const one = isAcked ? stage.subscribe(1) : stage.subscribeFast(1);
        const producer = await stage.opened();
        const events = Array.from({ length: backlog + 2 }, (_, at) => `e${at}`);
        await stage.emit(...events.slice(0, backlog));
        for (const event of events.slice(backlog)) producer.emit(event);
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        const seen: unknown[] = [];
        visit(one, (raw) => seen.push(raw));
        await stage.settle();
        expect(seen).toEqual(events);
        if (isAcked) expect(producer.batches.flat()).toEqual(events);
      }
    }
  }
});

test("visit() leaves an event that was pulled before, as the next pull would", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.pull();
  visit(one, () => undefined);
  await stage.emit("e1");
  expect(producer.batches.flat()).toEqual(["e0", "e1"]);
});

test("what a visitor binds gates the event, by either way to bind", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  const seqs: (number | null)[] = [];
  visit(one, (_, window) => seqs.push(window.bind(), one.bind()));
  await stage.emit("e0");
  expect(seqs).toEqual([0, 1]);
  await stage.confirm(0);
  expect(producer.batches).toEqual([]);
  await stage.confirm(1);
  expect(producer.batches).toEqual([["e0"]]);
});

test("a visitor rejects by its window, by the stream and by the ambient form", async () => {
  const stage = new Stage();
  const [one, two, three] = [1, 2, 3].map((id) => stage.subscribe(id)) as [
    Subscriber,
    Subscriber,
    Subscriber,
  ];
  const producer = await stage.opened();
  visit(one, (_, { reject, bind }) => {
    reject();
    expect(bind()).toBeNull();
  });
  visit(two, () => two.reject());
  visit(three, () => rejectSharedStreamEvent());
  await stage.emit("e0");
  expect(producer.out("e0")).toEqual([0, 0, 3]);
  expect(stage.messages("warn")).toEqual([]);
});

test("after the visitor returned a reject warns, also out of what it started", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  let late: EventWindow | undefined;
  visit(one, (_, window) => {
    late ??= window;
    void Promise.resolve().then(rejectSharedStreamEvent);
  });
  await stage.emit("e0");
  late?.reject();
  expect(late?.bind()).toBeNull();
  expect(stage.messages("warn")).toContain(OUTSIDE);
  expect(stage.messages("info")).toEqual([]);
  expect(producer.out("e0")).toEqual([1, 0, 0]);
});

test.for([
  [false, [1, 0, 0]],
  [true, [0, 1, 0]],
] as const)(
  "a visitor that throws ends its visit and sits on the event; strict: %s",
  async ([strictPersistence, counts]) => {
    const stage = new Stage({ strictPersistence });
    const one = stage.subscribe(1);
    const producer = await stage.opened();
    const error = new Error("bad event");
    const { end } = visit(one, () => {
      throw error;
    });
    await stage.emit("e0");
    expect(end).toEqual([error]);
    expect(stage.manager.outstandingCounts().windows).toBe(1);
    expect(producer.batches).toEqual([]);
    await one.leave();
    expect(producer.out("e0")).toEqual(counts);
  },
);

test("a failure of the group rejects the visit; leaving, and return(), resolve it", async () => {
  const stage = new Stage();
  const [fails, leaves, returns] = [1, 2, 3].map((id) => {
    const subscriber = stage.subscribe(id);
    return { subscriber, ...visit(subscriber, () => undefined) };
  });
  const producer = await stage.opened();
  await leaves?.subscriber.leave();
  await returns?.subscriber.stream.return?.();
  await stage.settle();
  expect([leaves?.end, returns?.end, fails?.end]).toEqual([["ended"], ["ended"], []]);
  const failure = new Error("connection lost");
  producer.fail(failure);
  await stage.settle();
  expect(fails?.end).toEqual([failure]);
});

test("a stream that is over resolves a visit, or rejects it with what is owed", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await one.leave();
  const failure = new Error("connection lost");
  producer.fail(failure);
  await stage.settle();
  const ends = [visit(one, () => undefined), visit(two, () => undefined)];
  await stage.settle();
  expect(ends.map(({ end }) => end)).toEqual([["ended"], [failure]]);
});

test("a stream is either pulled or visited", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  await stage.opened();
  visit(one, () => undefined);
  expect(() => visit(one, () => undefined)).toThrow(TypeError);
  await expect(one.stream.next()).rejects.toThrow(TypeError);
  two.ask();
  expect(() => visit(two, () => undefined)).toThrow(TypeError);
});

test("a visitor that leaves, or stops everything, sees nothing more; its siblings do", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  const seen: unknown[] = [];
  visit(one, (raw) => {
    seen.push(["one", raw]);
    void one.unsubscribe();
  });
  visit(two, (raw) => {
    seen.push(["two", raw]);
    if (raw === "e1") void stage.manager.stopAll();
  });
  await stage.emit("e0", "e1", "e2");
  expect(seen).toEqual([
    ["one", "e0"],
    ["two", "e0"],
    ["two", "e1"],
  ]);
  expect([producer.out("e0"), producer.out("e1")]).toEqual([
    [2, 0, 0],
    [1, 0, 0],
  ]);
  expect(producer.aclosed).toBe(1);
});

test("whose iterator a sibling's visitor ends owes the event that it was about to see", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  const seen: unknown[] = [];
  visit(one, () => void two.stream.return?.());
  visit(two, (raw) => seen.push(raw));
  await stage.emit("e0");
  expect(seen).toEqual([]);
  expect(producer.batches).toEqual([]);
  await two.leave();
  expect(producer.out("e0")).toEqual([1, 1, 0]);
});

test("on the fast path a visitor gets every event, and there is nothing to bind", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const one = stage.subscribeFast(1);
  await stage.opened();
  const seen: unknown[] = [];
  visit(one, (raw, window) => seen.push([raw, window.bind()]));
  await stage.emit("e0", "e1", undefined);
  expect(seen).toEqual([
    ["e0", null],
    ["e1", null],
    [undefined, null],
  ]);
});

// The story: a visit began while events were queued. A broadcast came before its first turn, its
// visitor threw at the oldest event, and the first turn of the visit then closed that window.
test.for([0, 1, 2, 3, 4, 5, 6])(
  "a visitor that throws keeps its window open, visiting %s turns after a broadcast began",
  async (turns) => {
    const stage = new Stage();
    const one = stage.subscribe(1);
    const producer = await stage.opened();
    await stage.emit("e0");
    producer.emit("e1");
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    const error = new Error("bad event");
    const { end } = visit(one, () => {
      throw error;
    });
    await stage.settle();
    expect(end).toEqual([error]);
    expect(stage.manager.outstandingCounts().windows).toBe(1);
    expect(producer.batches).toEqual([]);
  },
);

// The story: the queue of a subscriber was full when its visit began, and one more event was
// broadcast before the first turn of the visit.
test.each([true, false])(
  "a visitor with a backlog overflows as others do; ack mode: %s",
  async (isAcked) => {
    const ends = new Set<unknown>();
    for (let turns = 0; turns < 12; turns += 1) {
      const stage = new Stage({ maxSubscriberQueue: 2 });
      const one = isAcked ? stage.subscribe(1) : stage.subscribeFast(1);
      const producer = await stage.opened();
      await stage.emit("e0", "e1");
      producer.emit("e2");
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const seen: unknown[] = [];
      const { end } = visit(one, (raw) => {
        // Whoever had a full queue when an event was broadcast sees nothing more.
        expect(stage.manager.outstandingCounts().outstanding).toBeLessThan(raw === "e2" ? 4 : 3);
        seen.push(raw);
      });
      await stage.settle();
      const error = end[0] as Error | undefined;
      ends.add(`${seen.join(" ")} ${error?.name ?? "goes on"}`);
      if (isAcked) expect(producer.batches.flat()).toEqual(["e0", "e1", "e2"]);
      if (isAcked) expect(producer.out("e2")).toEqual(error === undefined ? [1, 0, 0] : [0, 1, 0]);
    }
    expect(ends).toEqual(new Set([" SubscriberOverflow", "e0 e1 e2 goes on"]));
  },
);

test("visit() leaves an event that was pulled before also when the stream has failed", async () => {
  const stage = new Stage({ maxSubscriberQueue: 1 });
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0");
  await one.pull();
  await stage.emit("e1", "e2");
  expect(stage.manager.outstandingCounts().windows).toBe(1);
  const { end } = visit(one, () => undefined);
  await stage.settle();
  expect(end).toMatchObject([{ name: "SubscriberOverflow" }]);
  expect(stage.manager.outstandingCounts().windows).toBe(0);
});

test.for([1, 2, 5])(
  "a visitor with %i events queued is shown them before one that is broadcast meanwhile",
  async (queued) => {
    const stage = new Stage();
    const one = stage.subscribe(1);
    const other = stage.subscribe(2);
    const producer = await stage.opened();
    const names = Array.from({ length: queued }, (_, at) => `e${at}`);
    await stage.emit(...names);
    const seen: unknown[] = [];
    // The broadcast reaches the visitor in the turn in which its visit begins.
    visit(other, () => undefined);
    producer.emit("late");
    visit(one, (raw) => seen.push(raw));
    await stage.settle();
    expect(seen).toEqual([...names, "late"]);
    expect(producer.batches.flat()).toEqual([...names, "late"]);
  },
);
