import { expect, test } from "vitest";
import type { SharedStreamProducer, SharedStreamTrigger } from "../../src/shared-stream/mod.ts";
import { ScriptedProducer } from "./scripted-producer.ts";
import { PARKED, Stage } from "./stage.ts";

/** A trigger that keeps the producers it made. */
class Watcher {
  readonly made: ScriptedProducer[] = [];
}

class AckWatcher extends Watcher {
  createSharedStreamProducer(): SharedStreamProducer<unknown> {
    const producer = new ScriptedProducer();
    this.made.push(producer);
    return producer;
  }
}

class AckGrandchild extends AckWatcher {}

class FastWatcher extends Watcher {
  openSharedStream(signal: AbortSignal): AsyncIterable<unknown> {
    const producer = new ScriptedProducer();
    this.made.push(producer);
    return producer.openRaws(signal);
  }
}

class AckAndFastWatcher extends FastWatcher {
  createSharedStreamProducer(): SharedStreamProducer<unknown> {
    const producer = new ScriptedProducer();
    this.made.push(producer);
    return producer;
  }
}

test.for([
  ["its own class", new AckWatcher()],
  ["a class it descends from", new AckGrandchild()],
  ["a class that has a fast-path source, too", new AckAndFastWatcher()],
  [
    "the object itself",
    Object.assign(new Watcher(), {
      createSharedStreamProducer(this: Watcher): SharedStreamProducer<unknown> {
        const producer = new ScriptedProducer();
        this.made.push(producer);
        return producer;
      },
    }),
  ],
] as const)("C-011 a factory makes it ack mode, found on %s", async ([, trigger]) => {
  const stage = new Stage();
  const one = stage.subscribe(1, "k", trigger);
  await stage.settle();
  trigger.made[0]?.emit("e0");
  await one.pull();
  expect(one.bind()).toBe(0);
});

test("C-011 without a factory it is the fast path; the first subscriber's class decides for all", async () => {
  const stage = new Stage();
  const fast = new FastWatcher();
  const ack = new AckWatcher();
  const one = stage.subscribe(1, "k", fast);
  const two = stage.subscribe(2, "k", ack);
  await stage.settle();
  fast.made[0]?.emit("e0");
  await one.pull();
  expect(await two.pull()).toBe("e0");
  expect([one.bind(), two.bind()]).toEqual([null, null]);
  expect(ack.made).toEqual([]);
});

test("C-012 no base class here: a trigger that has neither source is refused, nothing stays behind", () => {
  const stage = new Stage();
  const trigger: SharedStreamTrigger<unknown> = {};
  expect(() => stage.subscribe(1, "k", trigger)).toThrow(
    /neither createSharedStreamProducer nor openSharedStream/,
  );
  expect(stage.keys()).toEqual([]);
});

test("C-013 equal keys share one group, different keys have one each", async () => {
  const stage = new Stage();
  stage.subscribe(1, "a");
  stage.subscribe(2, "a");
  await stage.settle();
  expect(stage.producers.map(({ opened }) => opened)).toEqual([1]);
  stage.subscribe(1, "b");
  await stage.settle();
  expect(stage.keys()).toEqual(["a", "b"]);
  expect(stage.producers.map(({ opened }) => opened)).toEqual([1, 1]);
});

test("C-014 the source is the first subscriber's, also after it left", async () => {
  const stage = new Stage();
  const first = new AckWatcher();
  const second = new AckWatcher();
  const one = stage.subscribe(1, "k", first);
  const two = stage.subscribe(2, "k", second);
  await stage.settle();
  await one.leave();
  first.made[0]?.emit("e0");
  expect(await two.pull()).toBe("e0");
  expect(first.made).toHaveLength(1);
  expect(second.made).toHaveLength(0);
});

test("C-015 a subscribe that throws leaves nothing behind; a healthy trigger gets a clean group", async () => {
  const stage = new Stage();
  const broken = {
    get createSharedStreamProducer(): () => SharedStreamProducer<unknown> {
      throw new Error("cannot be read");
    },
  };
  expect(() => stage.subscribe(1, "k", broken)).toThrow("cannot be read");
  expect(stage.keys()).toEqual([]);
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0");
  expect(await one.pull()).toBe("e0");
});

test("C-016 nothing is serialised here: of a trigger that joins, nothing is called at all", async () => {
  const stage = new Stage();
  stage.subscribe(1);
  await stage.settle();
  const joiner = new Proxy<SharedStreamTrigger<unknown>>(
    {},
    {
      get: (_, name) => {
        throw new Error(`asked for ${String(name)}`);
      },
    },
  );
  const two = stage.subscribe(2, "k", joiner);
  await stage.emit("e0");
  expect(await two.pull()).toBe("e0");
});

test("C-017 subscribe returns at once; factory and source run after it", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  expect(typeof one.stream.next).toBe("function");
  expect(stage.keys()).toEqual(["k"]);
  expect(stage.producers).toEqual([]);
  const fast = stage.subscribeFast(1, "fast");
  expect(stage.producers).toEqual([]);
  expect(await fast.pull()).toBe(PARKED);
  expect(stage.producers).toHaveLength(2);
});

test("C-018 subscribe and unsubscribe in one turn: the factory is never called", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const left = one.unsubscribe();
  expect(stage.keys()).toEqual([]);
  await left;
  await stage.settle();
  expect(stage.producers).toEqual([]);
});

test("C-019 factory, then openStream, once a poll", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0", "e1");
  await one.take(2);
  stage.subscribe(2);
  await stage.settle();
  expect(stage.producers).toHaveLength(1);
  expect(stage.producer.opened).toBe(1);
});

test("C-020 openStream may be any async iterable", async () => {
  const stage = new Stage();
  let given = 0;
  const iterator: AsyncIterator<readonly [unknown, unknown]> = {
    next: () => {
      given += 1;
      if (given > 2) return new Promise(() => undefined);
      return Promise.resolve({ done: false, value: [`raw ${given}`, given] as const });
    },
  };
  stage.prepare = (producer) => {
    producer.openStream = () =>
      ({ [Symbol.asyncIterator]: () => iterator }) as ReturnType<ScriptedProducer["openStream"]>;
  };
  const one = stage.subscribe(1);
  expect(await one.take(2)).toEqual(["raw 1", "raw 2"]);
  await one.leave();
  expect(stage.producer.batches).toEqual([[1], [2]]);
  expect(stage.producer.aclosed).toBe(1);
});

test("C-020 openStream that throws at the call is an ordinary failure of the poll", async () => {
  const stage = new Stage();
  stage.prepare = (producer) => {
    producer.openStream = () => {
      throw new Error("no connection");
    };
  };
  const one = stage.subscribe(1);
  expect(await one.pull()).toMatchObject({ message: "no connection" });
  expect(stage.keys()).toEqual([]);
  expect(stage.producer.aclosed).toBe(1);
});

test.for([
  ["a bare value", "e0"],
  ["nothing", undefined],
  ["a pair with a third", ["e0", "p0", "more"]],
  ["a lonely one", ["e0"]],
  ["an object", { raw: "e0", brokerPayload: "p0" }],
] as const)("C-021 %s instead of a pair fails the poll", async ([, item]) => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const two = stage.subscribe(2);
  const producer = await stage.opened();
  producer.emitItems(item);
  expect(await one.pull()).toBeInstanceOf(TypeError);
  expect(await two.pull()).toMatchObject({ message: expect.stringContaining("pairs") as string });
  expect(stage.keys()).toEqual([]);
  expect(producer.aclosed).toBe(1);
  expect(producer.begun).toEqual([]);
});
