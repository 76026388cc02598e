import { expect, test } from "vitest";
import { Group } from "../../src/shared-stream/group.ts";
import { Reporter } from "../../src/shared-stream/reporter.ts";
import { SeqIndex } from "../../src/shared-stream/ledger/seq-index.ts";
import { silentLogger } from "../../src/time/mod.ts";
import { laneByLetter, ScriptedProducer } from "./scripted-producer.ts";
import { Stage } from "./stage.ts";

const NOTHING = { outstanding: 0, lanes: 0, unconfirmed: 0, windows: 0 };

test("C-183 the counts of an event add up to its snapshot, however each subscriber resolved it", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 }, maxSubscriberQueue: 2 });
  const [acks, rejects, sits, leaves, dead] = [1, 2, 3, 4, 5].map((id) => stage.subscribe(id));
  const producer = await stage.opened();
  await stage.emit("e0");
  await acks?.take(2);
  await rejects?.pull();
  rejects?.reject();
  await sits?.pull();
  await leaves?.leave();
  await stage.emit("e1", "e2");
  await dead?.leave();
  await stage.tick(2_000);
  expect(producer.out("e0")).toEqual([1, 3, 1]);
  for (const name of ["e1", "e2"]) {
    const counts = producer.out(name) ?? [0, 0, 0];
    expect(counts[0] + counts[1] + counts[2]).toBe(4);
  }
});

test("C-184 an event's counts stay, whatever happens to a subscriber that has resolved it", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const [one, two] = [stage.subscribe(1), stage.subscribe(2)];
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  one.reject();
  one.reject();
  await stage.confirm(seq, seq);
  await one.pull();
  await one.leave();
  await two.pull();
  await stage.tick(1_000);
  expect(producer.begun).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([0, 1, 1]);
});

test("C-185 an event that was advanced is not touched again", async () => {
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  await stage.emit("e0");
  const seq = await one.pullAndBind();
  await stage.tick(1_000);
  one.reject();
  await stage.confirm(seq);
  await one.pull();
  await one.leave();
  expect(producer.begun).toEqual([["e0"]]);
  expect(producer.out("e0")).toEqual([0, 1, 0]);
});

test("C-186 a new manager knows nothing: no group, event 0, number 0", async () => {
  const old = new Stage();
  const before = old.subscribe(1);
  await old.opened();
  await old.emit("e0", "e1");
  await before.pullAndBind();
  await before.pullAndBind();
  const stage = new Stage({ ackTimeout: { seconds: 1 } });
  expect(stage.keys()).toEqual([]);
  const one = stage.subscribe(1);
  await stage.opened();
  await stage.emit("e0");
  expect(await one.pullAndBind()).toBe(0);
  await stage.tick(1_000);
  expect(await one.pull()).toMatchObject({ eventId: 0 });
});

test("C-187 when everything is resolved and advanced, the manager holds nothing", async () => {
  const stage = new Stage();
  const subscribers = [1, 2, 3].map((id) => stage.subscribe(id));
  const producer = await stage.opened();
  producer.laneBy = laneByLetter;
  const names = Array.from({ length: 30 }, (_, at) => `${"abc".charAt(at % 3)}${at}`);
  await stage.emit(...names);
  const seqs: (number | null)[] = [];
  for (const one of subscribers) {
    for (let at = 0; at < names.length; at += 1) {
      await one.pull();
      if (at % 2 === 0) seqs.push(one.bind());
      if (at % 5 === 0) one.reject();
    }
    await one.pull();
  }
  expect(stage.manager.outstandingCounts().outstanding).toBeGreaterThan(0);
  await stage.confirm(...seqs.reverse());
  expect(producer.batches.flat()).toHaveLength(names.length);
  expect(stage.manager.outstandingCounts()).toEqual(NOTHING);
});

test("C-188 a redelivered message is an event of its own; both copies may be outstanding", async () => {
  const stage = new Stage();
  const one = stage.subscribe(1);
  const producer = await stage.opened();
  const first = { message: 7, delivery: 1 };
  const second = { message: 7, delivery: 2 };
  await stage.emit(first);
  const seq = await one.pullAndBind();
  const two = stage.subscribe(2);
  await stage.emit(second);
  await one.take(2);
  expect(await two.take(2)).toEqual([second, "parked"]);
  expect(stage.manager.outstandingCounts().outstanding).toBe(2);
  await stage.confirm(seq);
  expect(producer.batches).toEqual([[first, second]]);
  expect([producer.out(first), producer.out(second)]).toEqual([
    [1, 0, 0],
    [2, 0, 0],
  ]);
});

test.for(["is stopped", "fails"] as const)(
  "C-187 I22 a group that %s lets go of the numbers that nobody will confirm",
  async (how) => {
    const { clock, settle } = new Stage();
    const producer = new ScriptedProducer();
    const seqs = new SeqIndex();
    const group = new Group<unknown>(
      clock,
      new Reporter(silentLogger, {}),
      { createSharedStreamProducer: () => producer },
      { evict: () => undefined, seqs },
      {
        key: "k",
        text: "k",
        policy: {
          maxSubscriberQueue: 0,
          ackTimeoutMs: 1_000,
          cohortGraceMs: 0,
          strictPersistence: false,
        },
      },
    );
    group.start();
    const subscription = group.subscribe(1);
    await settle();
    producer.emit("e0", "e1");
    await subscription.next();
    expect([group.bind(subscription.cursor), group.bind(subscription.cursor)]).toEqual([0, 1]);
    await subscription.next();
    expect(group.bind(subscription.cursor)).toBe(2);
    if (how === "fails") producer.fail(new Error("connection lost"));
    else await group.stop();
    await settle();
    expect(seqs.unconfirmed).toBe(0);
    expect(producer.begun).toEqual([]);
    subscription.next().catch(() => undefined);
    await settle();
    expect(producer.begun).toEqual([]);
  },
);
