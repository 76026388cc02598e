import { describe, expect, test } from "vitest";
import { drain } from "../../sim/realm/drain.ts";
import { ReferenceSharedStreamManager } from "../../sim/reference/mod.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  rejectSharedStreamEvent,
  SharedStreamManager,
  type SharedStreamObserver,
} from "../../src/shared-stream/mod.ts";
import { type Clock, silentLogger } from "../../src/time/mod.ts";
import { ScriptedProducer } from "./scripted-producer.ts";
import { PARKED, Stage } from "./stage.ts";

type Report = readonly [method: string, fact: Readonly<Record<string, unknown>>];

/** An observer that records what it receives, errors by name and message. */
function recordingObserver(): SharedStreamObserver & { readonly reports: Report[] } {
  const reports: Report[] = [];
  const record = (method: string) => (fact: object) => {
    const named = Object.entries(fact).map(([name, value]: [string, unknown]) =>
      value instanceof Error ? [name, `${value.name}: ${value.message}`] : [name, value],
    );
    reports.push([method, Object.fromEntries(named)]);
  };
  return {
    reports,
    onForceFailed: record("onForceFailed"),
    onAdvanceFailed: record("onAdvanceFailed"),
    onGroupFailed: record("onGroupFailed"),
    onEventRejected: record("onEventRejected"),
    onCloseFailed: record("onCloseFailed"),
  };
}

const KEY = ["orders", 3] as const;
const TEXT = '["orders",3]';

const MANAGERS: readonly (readonly [
  name: string,
  create: (clock: Clock, observer: SharedStreamObserver) => SharedStreamManager,
  keyText: string,
])[] = [
  [
    "ours",
    (clock, observer) =>
      new SharedStreamManager({
        logger: silentLogger,
        clock,
        observer,
        maxSubscriberQueue: 2,
        ackTimeout: { seconds: 10 },
      }),
    TEXT,
  ],
  [
    "the reference",
    (clock, observer) =>
      new ReferenceSharedStreamManager({
        clock,
        observer,
        maxSubscriberQueue: 2,
        ackTimeout: { seconds: 10 },
      }) as unknown as SharedStreamManager,
    '("orders",3)',
  ],
];

describe.each(MANAGERS)("the observer of %s", (_, createManager, keyText) => {
  function open() {
    const clock = new VirtualClock();
    const observer = recordingObserver();
    const manager = createManager(clock, observer);
    const producer = new ScriptedProducer();
    const trigger = { createSharedStreamProducer: () => producer };
    const subscribe = (triggerId: number) => manager.subscribe({ triggerId, trigger, key: KEY });
    return { clock, manager, producer, subscribe, reports: observer.reports };
  }

  test("receives a subscriber that missed the ack timeout, with its oldest event", async () => {
    const { clock, producer, subscribe, reports } = open();
    const stream = subscribe(7);
    await drain();
    producer.emit("e0", "e1");
    await drain();
    await stream.next();
    await clock.advance(11_000, drain);
    const error = `AckTimeout: Shared stream ${keyText}: trigger 7 did not finish processing event 0 within 10 s`;
    const fact = { reason: "ackTimeout", key: KEY, triggerId: 7, eventId: 0, error };
    expect(reports[0]).toEqual(["onForceFailed", fact]);
    // Airflow's scan reports a subscriber once for each event that is late.
    expect(new Set(reports.map(([method]) => method))).toEqual(new Set(["onForceFailed"]));
  });

  test("receives a subscriber whose queue overflowed, with the event that did not fit", async () => {
    const { producer, subscribe, reports } = open();
    subscribe(7);
    await drain();
    producer.emit("e0", "e1", "e2", "e3");
    await drain();
    const error = `SubscriberOverflow: Shared stream ${keyText}: the queue of trigger 7 exceeded maxsize=2`;
    const fact = { reason: "overflow", key: KEY, triggerId: 7, eventId: 2, error };
    expect(reports).toEqual([["onForceFailed", fact]]);
  });

  test("receives a poll that failed, once", async () => {
    const { manager, producer, subscribe, reports } = open();
    const stream = subscribe(7);
    await drain();
    producer.fail(new Error("broker gone"));
    await drain();
    const fact = { key: KEY, cause: "poll", error: "Error: broker gone" };
    expect(reports).toEqual([["onGroupFailed", fact]]);
    await expect(stream.next()).rejects.toThrow("broker gone");
    await manager.stopAll();
    expect(reports).toHaveLength(1);
  });

  test("receives an advance that failed, with its lane, and then its group", async () => {
    const { producer, subscribe, reports } = open();
    producer.laneBy = () => "north";
    producer.advanceBy = () => Promise.reject(new Error("commit refused"));
    const stream = subscribe(7);
    await drain();
    producer.emit("e0");
    await drain();
    await stream.next();
    void stream.next().catch(() => undefined);
    await drain();
    const error = "Error: commit refused";
    expect(reports).toEqual([
      ["onAdvanceFailed", { key: KEY, lane: '"north"', batchSize: 1, error }],
      ["onGroupFailed", { key: KEY, cause: "advance", error }],
    ]);
  });

  test("receives a rejected event", async () => {
    const { producer, subscribe, reports } = open();
    const stream = subscribe(7);
    await drain();
    producer.emit("e0", "e1");
    await drain();
    await stream.next();
    await stream.next();
    stream.reject();
    expect(reports).toEqual([["onEventRejected", { key: KEY, triggerId: 7, eventId: 1 }]]);
  });

  test("receives a producer that failed to close", async () => {
    const { manager, producer, subscribe, reports } = open();
    producer.acloseBy = () => Promise.reject(new Error("still busy"));
    subscribe(7);
    await drain();
    await manager.unsubscribe({ triggerId: 7, key: KEY });
    const fact = { key: KEY, part: "producer", error: "Error: still busy" };
    expect(reports).toEqual([["onCloseFailed", fact]]);
  });
});

describe("the observer", () => {
  test("receives an event that was rejected by the ambient form", async () => {
    const observer = recordingObserver();
    const stage = new Stage({ observer });
    const one = stage.subscribe(1);
    await stage.opened();
    await stage.emit("e0");
    void (async () => {
      await one.stream.next();
      rejectSharedStreamEvent();
    })();
    await stage.settle();
    expect(observer.reports).toEqual([["onEventRejected", { key: "k", triggerId: 1, eventId: 0 }]]);
  });

  test("receives a source that failed to close", async () => {
    const observer = recordingObserver();
    const stage = new Stage({ observer });
    const source = {
      [Symbol.asyncIterator]: () => source,
      next: () => Promise.resolve({ done: false, value: "no pair" }),
      return: () => Promise.reject(new Error("socket stuck")),
    };
    const producer = { openStream: () => source, advance: () => Promise.resolve() };
    stage.manager.subscribe({
      triggerId: 1,
      key: "k",
      trigger: { createSharedStreamProducer: () => producer as never },
    });
    await stage.settle();
    expect(observer.reports.map(([method]) => method)).toEqual(["onGroupFailed", "onCloseFailed"]);
    const fact = { key: "k", part: "source", error: "Error: socket stuck" };
    expect(observer.reports[1]?.[1]).toEqual(fact);
  });

  test("receives no eventId on the fast path, which counts none", async () => {
    const observer = recordingObserver();
    const stage = new Stage({ observer, maxSubscriberQueue: 1 });
    stage.subscribeFast(1);
    await stage.opened();
    await stage.emit("e0", "e1");
    expect(observer.reports).toMatchObject([
      ["onForceFailed", { reason: "overflow", eventId: undefined }],
    ]);
  });

  test("of a group that failed finds the key free again, and may subscribe to it", async () => {
    let keys: unknown;
    const stage = new Stage({
      observer: {
        onGroupFailed() {
          keys = stage.keys();
          stage.subscribe(2);
        },
      },
    });
    stage.subscribe(1);
    const producer = await stage.opened();
    producer.fail(new Error("broker gone"));
    await stage.settle();
    expect(keys).toEqual([]);
    expect(stage.keys()).toEqual(["k"]);
    expect(stage.producers).toHaveLength(2);
    expect(producer.aclosed).toBe(1);
  });

  test("receives an advance that fails while its group drains, and the group not again", async () => {
    const observer = recordingObserver();
    const stage = new Stage({ observer });
    const one = stage.subscribe(1);
    const producer = await stage.opened();
    producer.block();
    await stage.emit("e0");
    await one.pull();
    one.ask();
    await stage.settle();
    producer.fail(new Error("broker gone"));
    await stage.settle();
    producer.release(new Error("commit refused"));
    await stage.settle();
    expect(observer.reports.map(([method, { error }]) => `${method} ${String(error)}`)).toEqual([
      "onGroupFailed Error: broker gone",
      "onAdvanceFailed Error: commit refused",
    ]);
  });
});

const THROWING: readonly (readonly [how: string, fail: () => void])[] = [
  [
    "throws",
    () => {
      throw new Error("observer broken");
    },
  ],
  ["returns a promise that rejects", () => Promise.reject(new Error("observer broken"))],
];

describe.each(THROWING)("an observer that %s", (_, fail) => {
  const observer: SharedStreamObserver = {
    onForceFailed: fail,
    onAdvanceFailed: fail,
    onGroupFailed: fail,
    onEventRejected: fail,
    onCloseFailed: fail,
  };

  test("harms neither the subscribers that are well nor the settlement", async () => {
    const stage = new Stage({ observer, maxSubscriberQueue: 1 });
    const [slow, well] = [stage.subscribe(1), stage.subscribe(2)];
    const producer = await stage.opened();
    await stage.emit("e0");
    await well.pull();
    await stage.emit("e1");
    await well.pull();
    well.reject();
    expect(await well.pull()).toBe(PARKED);
    expect(await slow.pull()).toMatchObject({ name: "SubscriberOverflow" });
    expect(producer.batches.flat()).toEqual(["e0", "e1"]);
    expect([producer.out("e0"), producer.out("e1")]).toEqual([
      [1, 1, 0],
      [0, 1, 1],
    ]);
    const thrown = stage.log.filter(({ message }) => message.includes("observer threw"));
    expect(thrown).toHaveLength(2);
    expect(thrown[0]).toMatchObject({
      level: "warn",
      fields: { error: { message: "observer broken" } },
    });
  });

  test("does not keep a failed group from ending", async () => {
    const stage = new Stage({ observer });
    const one = stage.subscribe(1);
    const producer = await stage.opened();
    producer.advanceBy = () => Promise.reject(new Error("commit refused"));
    producer.acloseBy = () => Promise.reject(new Error("still busy"));
    await stage.emit("e0");
    await one.pull();
    expect(await one.pull()).toMatchObject({ message: "commit refused" });
    expect(stage.keys()).toEqual([]);
    expect(producer.signal?.aborted).toBe(true);
    expect(producer.aclosed).toBe(1);
  });
});
