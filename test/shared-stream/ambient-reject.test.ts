import { expect, test } from "vitest";
import {
  clearAmbientWindow,
  rejectSharedStreamEvent,
  type SharedStream,
} from "../../src/shared-stream/mod.ts";
import { Stage } from "./stage.ts";

const OUTSIDE = "Cannot reject a shared stream event outside an ack-mode binding window";

/** A filter driven by hand: it rejects what `isBad` says, and fires the rest. */
async function* filter(
  stream: SharedStream<unknown>,
  isBad: (raw: unknown) => boolean,
): AsyncGenerator<unknown> {
  for await (const raw of stream) {
    await Promise.resolve();
    if (isBad(raw)) rejectSharedStreamEvent();
    else yield raw;
  }
}

test("a filter that is driven by hand rejects the event that it works on", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("bad", "good", "bad again");
  const events = filter(one.stream, (raw) => String(raw).startsWith("bad"));
  expect(await events.next()).toEqual({ done: false, value: "good" });
  const seq = one.bind();
  const last = events.next();
  await stage.settle();
  await stage.confirm(seq);
  expect(["bad", "good", "bad again"].map((name) => producer.out(name))).toEqual([
    [0, 0, 1],
    [1, 0, 0],
    [0, 0, 1],
  ]);
  expect(stage.messages("warn")).toEqual([]);
  await one.leave();
  expect(await last).toEqual({ done: true, value: undefined });
});

test("two filters that wait for each other reject each its own event", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1, "k1"), stage.subscribe(1, "k2")];
  await stage.settle();
  let letFirstGo: () => void = () => undefined;
  const secondIsThere = new Promise<void>((resolve) => {
    letFirstGo = resolve;
  });
  const filters = [
    (async () => {
      await one.stream.next();
      await secondIsThere;
      rejectSharedStreamEvent();
    })(),
    (async () => {
      await two.stream.next();
      letFirstGo();
      await Promise.resolve();
    })(),
  ];
  for (const producer of stage.producers) producer.emit("e0");
  await Promise.all(filters);
  await stage.settle();
  expect(stage.producers.map((producer) => producer.out("e0"))).toEqual([[0, 0, 1], undefined]);
});

test("what a filter calls, and the tasks that it starts, reject in its window", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  async function judge(): Promise<void> {
    await stage.settle();
    rejectSharedStreamEvent();
  }
  await (async () => {
    await one.stream.next();
    await Promise.all([judge(), judge()]);
  })();
  await stage.settle();
  expect(producer.out("e0")).toEqual([0, 0, 1]);
  expect(stage.messages("info")).toHaveLength(1);
});

test("after its stream failed a filter's reject warns", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  producer.fail(new Error("connection lost"));
  await (async () => {
    await one.stream.next().catch(() => undefined);
    rejectSharedStreamEvent();
  })();
  expect(stage.messages("warn")).toEqual([OUTSIDE]);
});

test("a task that binds for a visitor keeps the window of the event that it has pulled", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  // A visitor that throws sits on its event, whose window no pull has opened.
  void two.stream
    .visit?.(() => {
      throw new Error("bad event");
    })
    .catch(() => undefined);
  await stage.emit("e0");
  await one.stream.next();
  expect(two.bind()).toBe(0);
  rejectSharedStreamEvent();
  await stage.confirm(0);
  await two.leave();
  expect(producer.out("e0")).toEqual([1, 0, 1]);
  expect(stage.messages("warn")).toEqual([]);
});

test("while a pull waits its task's reject warns", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  await one.stream.next();
  const waiting = one.stream.next();
  rejectSharedStreamEvent();
  expect(stage.messages("warn")).toEqual([OUTSIDE]);
  await stage.settle();
  expect(producer.out("e0")).toEqual([1, 0, 0]);
  await one.leave();
  expect((await waiting).done).toBe(true);
});

test("clearAmbientWindow() is for the task that calls it: the filter keeps its window", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  const events = filter(one.stream, () => true);
  const pulled = events.next();
  clearAmbientWindow();
  const neighbour = (async () => {
    await stage.settle();
    rejectSharedStreamEvent();
  })();
  await neighbour;
  expect(stage.messages("warn")).toEqual([OUTSIDE]);
  await stage.emit("e0");
  expect(producer.out("e0")).toEqual([0, 0, 1]);
  await one.leave();
  expect((await pulled).done).toBe(true);
});

/** More pulls than any scheme counts that shares a context among several. */
const MANY = 200;

// The story: after 64 pulls without an ambient reject a stream shared one context among its pulls,
// so that the first reject of a task that had outlived its window refused another's event.
test.each([1, 5, 64, 65, MANY])(
  "the first ambient reject of a task that outlived its window warns, after %i pulls",
  async (pulls) => {
    const stage = new Stage();
    const one = stage.subscribe(1);
    const producer = await stage.opened();
    const isLate = Promise.withResolvers<void>();
    const task = (async () => {
      let child: Promise<void> | undefined;
      for (let at = 0; at <= pulls; at += 1) {
        await one.stream.next();
        if (at === pulls - 1) child = isLate.promise.then(rejectSharedStreamEvent);
      }
      isLate.resolve();
      await child;
    })();
    for (let at = 0; at <= pulls; at += 1) await stage.emit(at);
    await task;
    expect(stage.messages("warn")).toEqual([OUTSIDE]);
    await one.leave();
    expect(producer.out(pulls)).not.toEqual([0, 0, 1]);
  },
);

test("after a yield a filter rejects the event that it works on, though it pulled others since", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  async function* filterOf(): AsyncGenerator<unknown> {
    for await (const raw of one.stream) {
      if (raw === "skip") continue;
      yield raw;
      rejectSharedStreamEvent();
    }
  }
  const events = filterOf();
  const driver = (async () => {
    for (;;) {
      const { done } = await events.next();
      if (done === true) return;
      one.bind();
    }
  })();
  await stage.emit("skip");
  await stage.emit("skip");
  await stage.emit("refused");
  await stage.settle();
  expect(producer.out("refused")).toEqual([0, 0, 1]);
  expect(stage.messages("warn")).toEqual([]);
  await one.leave();
  await driver;
});

test("the first ambient reject after many pulls is about the open window", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  const events = filter(one.stream, (raw) => raw === "bad");
  for (let at = 0; at < MANY; at += 1) {
    await stage.emit(at);
    expect(await events.next()).toEqual({ done: false, value: at });
  }
  const last = events.next();
  await stage.emit("bad", "good", "bad");
  expect(await last).toEqual({ done: false, value: "good" });
  expect(producer.out("bad")).toEqual([0, 0, 1]);
  expect(stage.messages("warn")).toEqual([]);
});

// The story: a filter skipped most events and yielded a few. After a yield it ran in the context of
// its driver, in which a window of long ago was stored, and its first ambient reject was lost.
test("a filter that seldom yields rejects the open event, also after many pulls", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  async function* seldom(): AsyncGenerator<unknown> {
    for await (const raw of one.stream) {
      if (raw === "bad") rejectSharedStreamEvent();
      else if (raw === "good") yield raw;
    }
  }
  const driver = (async () => {
    for await (const event of seldom()) expect(event).toBe("good");
  })();
  for (let at = 0; at < MANY; at += 1) await stage.emit(at);
  await stage.emit("good");
  await stage.emit("bad");
  expect(producer.out("bad")).toEqual([0, 0, 1]);
  expect(stage.messages("warn")).toEqual([]);
  await one.leave();
  await driver;
});

test("after the first ambient reject each pull has its own window again", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  let letChildGo: () => void = () => undefined;
  const isFree = new Promise<void>((resolve) => {
    letChildGo = resolve;
  });
  const task = (async () => {
    for (let at = 0; at < MANY; at += 1) await one.stream.next();
    rejectSharedStreamEvent();
    await one.stream.next();
    const child = isFree.then(rejectSharedStreamEvent);
    await one.stream.next();
    letChildGo();
    await child;
    await one.stream.next();
  })();
  for (let at = 0; at < MANY + 2; at += 1) await stage.emit(at);
  const rejected = [MANY - 2, MANY - 1, MANY, MANY + 1].map((at) => producer.out(at));
  expect(rejected).toEqual([
    [1, 0, 0],
    [0, 0, 1],
    [1, 0, 0],
    [1, 0, 0],
  ]);
  expect(stage.messages("warn")).toEqual([OUTSIDE]);
  await one.leave();
  await task;
});

test("two streams that one task pulls by turns reject each its own event after many pulls", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1, "k1"), stage.subscribe(2, "k2")];
  await stage.settle();
  const [first, second] = stage.producers;
  for (let at = 0; at < MANY + 1; at += 1) {
    first?.emit(at);
    second?.emit(at);
  }
  await stage.settle();
  await (async () => {
    for (let at = 0; at < MANY; at += 1) {
      await one.stream.next();
      await two.stream.next();
    }
    rejectSharedStreamEvent();
    await one.stream.next();
    rejectSharedStreamEvent();
  })();
  await stage.settle();
  expect([first?.out(MANY - 1), first?.out(MANY)]).toEqual([
    [1, 0, 0],
    [0, 0, 1],
  ]);
  expect([second?.out(MANY - 1), second?.out(MANY)]).toEqual([[0, 0, 1], undefined]);
});

test("a stream that each time is pulled out of another task rejects its own event", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  // Begun before anything was pulled, so that no mark passes from one to the next.
  const tasks = Array.from({ length: MANY + 1 }, (_, at) => {
    const turn = Promise.withResolvers<void>();
    const end = turn.promise.then(async () => {
      await one.stream.next();
      if (at === MANY) rejectSharedStreamEvent();
    });
    return { begin: turn.resolve, end };
  });
  for (const [at, { begin, end }] of tasks.entries()) {
    await stage.emit(at);
    begin();
    await end;
  }
  await one.leave();
  expect([producer.out(MANY - 1), producer.out(MANY)]).toEqual([
    [1, 0, 0],
    [0, 0, 1],
  ]);
});

test("a stream that passes to the task of another is noticed in time", async () => {
  const stage = new Stage();
  const [one, two] = [stage.subscribe(1, "k1"), stage.subscribe(2, "k2")];
  await stage.settle();
  const [first, second] = stage.producers;
  for (let at = 0; at < 2 * MANY; at += 1) {
    first?.emit(at);
    second?.emit(at);
  }
  await stage.settle();
  const [begin, turn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const other = begin.promise.then(async () => {
    for (let at = 0; at < MANY; at += 1) await two.stream.next();
    await turn.promise;
    for (let at = MANY; at < 2 * MANY; at += 1) await one.stream.next();
    rejectSharedStreamEvent();
  });
  const own = Promise.resolve().then(async () => {
    begin.resolve();
    await stage.settle();
    for (let at = 0; at < MANY; at += 1) await one.stream.next();
    turn.resolve();
  });
  await Promise.all([own, other]);
  await Promise.all([one.leave(), two.leave()]);
  expect(first?.out(2 * MANY - 1)).toEqual([0, 0, 1]);
  expect(second?.out(MANY - 1)).toEqual([1, 0, 0]);
});
