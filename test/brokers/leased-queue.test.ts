import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LeaseOrder } from "../../sim/brokers/lease.ts";
import { LeasedQueue } from "../../sim/brokers/leased-queue.ts";
import { LeaseRival } from "../../sim/brokers/lease-rival.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";

const LEASE_MS = 1_000;

function queueOf(order: LeaseOrder, keys: readonly string[], deliveriesMax?: number) {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const queue = new LeasedQueue(world, "broker", { order, deliveriesMax });
  keys.forEach((key, index) => queue.publish({ ref: `ref-${index + 1}`, key }));
  const take = (consumer = "one", count = 10) =>
    queue.take(consumer, count, LEASE_MS).map(({ handle }) => handle);
  const told = () =>
    world.trace.events().flatMap((event) => ("ref" in event ? [`${event.kind} ${event.ref}`] : []));
  return { world, queue, take, told };
}

describe("a lease", () => {
  test("under another's handle cannot be settled, and ends without having lapsed", async () => {
    const { world, queue, take, told } = queueOf("none", ["a", "b"]);
    const taken = queue.misnamed(queue.take("one", 2, LEASE_MS));
    expect(taken.map(({ ref, handle }) => `${ref} ${handle}`)).toEqual([
      "ref-1 another-ref-1.1",
      "ref-2 ref-2.1",
    ]);
    expect(taken.map(({ handle }) => queue.stateOf(handle))).toEqual(["unknown", "held"]);
    queue.settle("one", "another-ref-1.1");
    await world.run(LEASE_MS);
    expect(told().filter((line) => line.startsWith("lapsed"))).toEqual(["lapsed ref-2"]);
    expect(take("two")).toEqual(["ref-1.2", "ref-2.2"]);
    expect(queue.owed()).toEqual(["ref-1", "ref-2"]);
    expect(queue.misnamed([])).toEqual([]);
  });

  test("keeps a record from others until it ends, and the next delivery has a new handle", async () => {
    const { world, queue, take, told } = queueOf("none", ["a"]);
    expect(take()).toEqual(["ref-1.1"]);
    expect(take()).toEqual([]);
    await world.run(LEASE_MS - 1);
    expect(queue.stateOf("ref-1.1")).toBe("held");
    await world.run(LEASE_MS);
    expect(queue.stateOf("ref-1.1")).toBe("lapsed");
    expect(take("two")).toEqual(["ref-1.2"]);
    expect(queue.stateOf("ref-1.1")).toBe("stale");
    queue.settle("two", "ref-1.2");
    expect(queue.stateOf("ref-1.1")).toBe("settled");
    expect(queue.stateOf("ref-9.9")).toBe("unknown");
    expect(told()).toEqual([
      "published ref-1",
      "delivered ref-1",
      "lapsed ref-1",
      "delivered ref-1",
      "settled ref-1",
    ]);
  });

  test("is extended from now on, and given back with no time left", async () => {
    const { world, queue, take } = queueOf("none", ["a"]);
    const [handle = ""] = take();
    await world.run(900);
    expect(queue.extend(handle, LEASE_MS)).toBe(1_900);
    await world.run(1_800);
    expect(queue.stateOf(handle)).toBe("held");
    queue.extend(handle, 0);
    expect(take()).toEqual(["ref-1.2"]);
  });

  test("moves a record away when it came to nothing as often as the queue allows", async () => {
    const { world, queue, take, told } = queueOf("none", ["a"], 2);
    take();
    await world.run(LEASE_MS);
    take();
    await world.run(2 * LEASE_MS);
    expect(take()).toEqual([]);
    expect(queue.owed()).toEqual([]);
    expect(told().slice(-3)).toEqual(["lapsed ref-1", "dead-lettered ref-1", "settled ref-1"]);
  });

  test("of a deferred record is given only on request of its number", () => {
    const { queue, take } = queueOf("none", ["a", "b"]);
    const [handle = ""] = take();
    queue.defer(handle);
    expect(take()).toEqual([]);
    expect(queue.takeDeferred("one", 2, LEASE_MS)).toBe(undefined);
    expect(queue.takeDeferred("one", 1, LEASE_MS)?.handle).toBe("ref-1.2");
    expect(queue.takeDeferred("two", 1, LEASE_MS)).toBe(undefined);
  });

  test("struck early begins again; with none in flight the next ones are struck", async () => {
    const { world, queue, take, told } = queueOf("none", ["a"]);
    const disturbed = () => world.trace.events().filter(({ kind }) => kind === "disturbed");
    queue.interrupt("all comes early", () => queue.giveBackAll());
    expect(take()).toEqual(["ref-1.1"]);
    expect(disturbed()).toEqual([]);
    await world.run(100);
    // What strikes long after it was announced is told when it strikes.
    expect(disturbed()).toHaveLength(1);
    expect(take()).toEqual(["ref-1.2"]);
    queue.interrupt("all comes early", () => queue.giveBackAll());
    expect(take()).toEqual(["ref-1.3"]);
    expect(disturbed()).toHaveLength(1);
    expect(told()).not.toContain("lapsed ref-1");
  });
});

describe("order", () => {
  test("by group: an earlier one comes again while a later one is in flight", () => {
    const { queue, take } = queueOf("group", ["a", "a", "a", "b"]);
    const [first = ""] = take("one", 2);
    expect(take("two")).toEqual(["ref-4.1"]);
    queue.extend(first, 0);
    expect(take("two")).toEqual(["ref-1.2"]);
    expect(take("two")).toEqual([]);
  });

  test.each(["group", "key"] as const)(
    "by %s: a deferred record holds up no later one",
    (order) => {
      const { queue, take } = queueOf(order, ["a", "a"]);
      const [handle = ""] = take("one", 1);
      queue.defer(handle);
      expect(take("two")).toEqual(["ref-2.1"]);
    },
  );

  test("by group: while one of a group is in flight, no later look brings another", () => {
    const { queue, take } = queueOf("group", ["a", "b", "a"]);
    expect(take("one", 1)).toEqual(["ref-1.1"]);
    expect(take("two")).toEqual(["ref-2.1"]);
    expect(take("two")).toEqual([]);
    queue.settle("one", "ref-1.1");
    expect(take("two")).toEqual(["ref-3.1"]);
  });

  test("by key: one that comes again brings the later ones with it, acknowledged or not", () => {
    const { queue, take, told } = queueOf("key", ["a", "a", "a", "b"]);
    expect(take()).toEqual(["ref-1.1", "ref-2.1", "ref-3.1", "ref-4.1"]);
    queue.settle("one", "ref-2.1");
    queue.settle("one", "ref-4.1");
    expect(told()).not.toContain("settled ref-2");
    expect(told()).toContain("settled ref-4");
    queue.extend("ref-1.1", 0);
    expect(queue.stateOf("ref-3.1")).toBe("lapsed");
    expect(take()).toEqual(["ref-1.2", "ref-2.2", "ref-3.2"]);
    queue.settle("one", "ref-2.2");
    queue.settle("one", "ref-1.2");
    expect(queue.owed()).toEqual(["ref-3"]);
  });

  test("by key: no other consumer gets a later one while an earlier one is leased", () => {
    const { take } = queueOf("key", ["a", "a"]);
    expect(take("one", 1)).toEqual(["ref-1.1"]);
    expect(take("two")).toEqual([]);
    expect(take("one")).toEqual(["ref-2.1"]);
  });

  test("by session: a key that is let go of begins again, and no delivery of it has failed", () => {
    const { queue, take } = queueOf("session", ["a", "a"], 2);
    expect(queue.readyKeys()).toEqual(["a"]);
    for (const n of [1, 2, 3]) {
      expect(take()).toEqual([`ref-1.${n}`, `ref-2.${n}`]);
      queue.releaseKey("a");
    }
    for (const n of [4, 5]) {
      expect(take()).toEqual([`ref-1.${n}`, `ref-2.${n}`]);
      queue.lapseKey("a");
    }
    expect(queue.owed()).toEqual([]);
  });
});

type Move = readonly [kind: "take" | "settle" | "extend" | "give-back" | "wait", pick: number];

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.tuple(
    fc.constantFrom("take", "settle", "extend", "give-back", "wait"),
    fc.integer({ min: 0, max: 30 }),
  ),
  { maxLength: 60 },
);

/** No record is out twice at once, none is delivered after it was settled, none is forgotten. */
async function assertLeases(order: LeaseOrder, plan: readonly Move[]): Promise<void> {
  const { world, queue } = queueOf(order, ["a", "b", "a", "a", "b", "c"]);
  const handles: string[] = [];
  for (const [kind, pick] of plan) {
    const handle = handles[pick % Math.max(1, handles.length)] ?? "none";
    switch (kind) {
      case "take":
        for (const delivery of queue.take(`one-${pick % 2}`, 1 + (pick % 4), LEASE_MS)) {
          const others = handles.filter((one) => one.startsWith(`${delivery.ref}.`));
          for (const one of others) expect(queue.stateOf(one)).toBe("stale");
          handles.push(delivery.handle);
        }
        break;
      case "settle":
        if (queue.stateOf(handle) === "held") queue.settle("one", handle);
        break;
      case "extend":
        queue.extend(handle, 10 * (pick + 1));
        break;
      case "give-back":
        queue.extend(handle, 0);
        break;
      case "wait":
        await world.run(world.now + pick * 50);
        break;
      default:
        kind satisfies never;
    }
  }
  for (let round = 0; round < 40 && queue.owed().length > 0; round += 1) {
    for (const { handle } of queue.take("last", 10, LEASE_MS)) queue.settle("last", handle);
    await world.run(world.now + LEASE_MS);
  }
  expect(queue.owed()).toEqual([]);
  const settled = world.trace
    .events()
    .flatMap((event) => (event.kind === "settled" ? [event.ref] : []));
  expect(settled.toSorted()).toEqual(["ref-1", "ref-2", "ref-3", "ref-4", "ref-5", "ref-6"]);
}

describe("for every use of a queue its records are leased to one, and settled once", () => {
  for (const order of ["none", "group", "key", "session"] as const) {
    test(`in order: ${order}`, async () => {
      await fc.assert(
        fc.asyncProperty(moves, (plan) => assertLeases(order, plan)),
        { numRuns: 200 },
      );
    });
  }
});

describe("a rival", () => {
  const HOLD_MS = 4_000;

  test.each([
    [["a"], ["ref-1"]],
    [["a", "b"], ["ref-2"]],
    [
      ["a", "b", "c", "d"],
      ["ref-2", "ref-3", "ref-4"],
    ],
  ])("of a queue with the keys %j leaves %j", async (keys, left) => {
    const { world, queue, take } = queueOf("none", keys);
    new LeaseRival(world, "broker", queue).disturbance("a rival").strike();
    expect(take()).toEqual(keys.slice(3).map((_, at) => `ref-${at + 4}.1`));
    await world.run(HOLD_MS);
    expect(queue.owed()).toEqual(left);
  });

  test("settles nothing that was taken from it, and nothing once faults are over", async () => {
    const robbed = queueOf("none", ["a", "b"]);
    new LeaseRival(robbed.world, "broker", robbed.queue).disturbance("a rival").strike();
    robbed.queue.giveBackAll();
    await robbed.world.run(HOLD_MS);
    expect(robbed.queue.owed()).toEqual(["ref-1", "ref-2"]);
    const { world, queue, take } = queueOf("none", ["a", "b"]);
    const rival = new LeaseRival(world, "broker", queue).disturbance("a rival");
    rival.strike();
    rival.end?.();
    expect(take()).toEqual(["ref-1.2", "ref-2.2"]);
    await world.run(HOLD_MS);
    expect(queue.owed()).toEqual(["ref-1", "ref-2"]);
  });
});
