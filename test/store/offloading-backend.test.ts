import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  MemoryPayloadStore,
  MemoryStateBackend,
  OffloadingStateBackend,
  type PayloadStore,
  type StateBackend,
  type StoreScope,
  TaskStateStore,
  UnreadableValue,
} from "../../src/store/mod.ts";

const scope = { kind: "task-instance", dagId: "d", runId: "r", taskId: "t", mapIndex: 0 } as const;
const clock = new VirtualClock();
const NEVER = { expiresAt: null } as const;
const large = (letter: string): string => JSON.stringify(letter.repeat(40));
const OPTIONS = { inlineCharsMax: 20 } as const;

class Crash extends Error {}

/** Passes `budget` calls and then none, as when the worker is killed before its next call. */
function crashingAfter<T extends object>(target: T, budget: { left: number }): T {
  return new Proxy(target, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]): Promise<unknown> => {
        if (budget.left === 0) throw new Crash();
        budget.left -= 1;
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}

interface World {
  readonly inner: MemoryStateBackend;
  readonly payloads: MemoryPayloadStore;
  readonly alive: OffloadingStateBackend;
}

function openWorld(): World {
  const inner = new MemoryStateBackend();
  const payloads = new MemoryPayloadStore();
  return { inner, payloads, alive: new OffloadingStateBackend(inner, payloads, OPTIONS) };
}

type Act = (backend: StateBackend) => Promise<unknown>;

/** Runs `act` in a worker that is killed after `budget` calls, and returns whether it completed. */
async function killedAfter({ inner, payloads }: World, calls: number, act: Act): Promise<boolean> {
  const budget = { left: calls };
  const worker = new OffloadingStateBackend(
    crashingAfter(inner, budget),
    crashingAfter<PayloadStore>(payloads, budget),
    OPTIONS,
  );
  try {
    await act(worker);
    return true;
  } catch (error) {
    if (error instanceof Crash) return false;
    throw error;
  }
}

describe("OffloadingStateBackend", () => {
  const acts: readonly (readonly [title: string, act: Act, after: string | undefined])[] = [
    ["set", (b) => b.set(scope, "k", large("b"), NEVER), large("b")],
    ["set of a small value", (b) => b.set(scope, "k", '"b"', NEVER), '"b"'],
    ["update", async (b) => b.update?.(scope, "k", large("b"), {}), large("b")],
    ["delete", (b) => b.delete(scope, "k"), undefined],
    ["clear", (b) => b.clear(scope), undefined],
    ["clear of all indices", (b) => b.clear(scope, { allMapIndices: true }), undefined],
  ];
  for (const [title, act, after] of acts) {
    for (const writesBefore of [1, 2]) {
      test(`a crash at any point of ${title} leaves the old or the new value after ${writesBefore} writes (A58, A108, E34, E35, F9, F10)`, async () => {
        for (let calls = 0; ; calls += 1) {
          const world = openWorld();
          for (let write = 0; write < writesBefore; write += 1) {
            await world.alive.set(scope, "k", large("a"), NEVER);
          }
          const isDone = await killedAfter(world, calls, act);
          const found = (await world.alive.get(scope, "k"))?.value;
          expect([large("a"), after]).toContain(found);
          if (isDone) expect(found).toBe(after);
          // The next delete removes what the crash left behind.
          await world.alive.set(scope, "k", large("c"), NEVER);
          expect((await world.alive.get(scope, "k"))?.value).toBe(large("c"));
          await world.alive.delete(scope, "k");
          expect(world.payloads.names()).toEqual([]);
          if (isDone) return;
        }
      });
    }
  }

  test("a crash at any point of a first write leaves nothing or the new value (A108)", async () => {
    for (let calls = 0; ; calls += 1) {
      const world = openWorld();
      const isDone = await killedAfter(world, calls, (b) => b.set(scope, "k", large("b"), NEVER));
      const found = (await world.alive.get(scope, "k"))?.value;
      expect(found).toBe(isDone ? large("b") : undefined);
      if (isDone) return;
    }
  });

  test("a write whose entry is not changed leaves the payload of the one before, also of many", async () => {
    const world = openWorld();
    for (const letter of "abcd") {
      await world.alive.set(scope, "k", large(letter), NEVER);
      // The entry is read and the payload is stored; then the worker is killed.
      expect(await killedAfter(world, 2, (b) => b.set(scope, "k", large("z"), NEVER))).toBe(false);
      expect((await world.alive.get(scope, "k"))?.value).toBe(large(letter));
    }
  });

  test("no value can be mistaken for a reference (A109, E32)", async () => {
    const { inner, payloads, alive } = openWorld();
    const store = new TaskStateStore(alive, scope, { clock });
    await store.set("k", "x".repeat(40));
    const reference = (await inner.get(scope, "k"))?.value ?? "";
    const forged = JSON.parse(reference) as { "faultlane-payload": string; slot: number };
    await store.set("forged", forged);
    expect(await store.get("forged")).toEqual(forged);
    await store.set("text", reference);
    expect(await store.get("text")).toBe(reference);
    // Even raw text that equals a reference is read as a value.
    await alive.set(scope, "raw", reference, NEVER);
    expect(await store.get("raw")).toEqual(forged);
    expect(payloads.names().length).toBeGreaterThan(0);
  });

  test("inline values are stored unchanged, and values from before the wrapping stay readable (A12, A107)", async () => {
    const { inner, payloads, alive } = openWorld();
    await inner.set(scope, "old", large("o"), NEVER);
    await alive.set(scope, "small", "1", NEVER);
    expect((await inner.get(scope, "small"))?.value).toBe("1");
    expect((await alive.get(scope, "old"))?.value).toBe(large("o"));
    expect(payloads.names()).toEqual([]);
  });

  test("the limit applies to the text in the database, so an offloaded value passes (A24)", async () => {
    const { inner, alive } = openWorld();
    const store = new TaskStateStore(alive, scope, { clock, valueCharsMax: 1_000 });
    await store.set("k", "x".repeat(5_000));
    expect((await store.get<string>("k"))?.length).toBe(5_000);
    expect((await inner.get(scope, "k"))?.value.length).toBeLessThan(200);
    const bare = new TaskStateStore(inner, scope, { clock, valueCharsMax: 1_000 });
    await expect(bare.set("k", "x".repeat(5_000))).rejects.toThrow(RangeError);
  });

  test("the text in the database has the length that is promised, at any length of the value", async () => {
    const { inner, alive } = openWorld();
    for (const chars of [1, 19, 20, 21, 40]) {
      const value = JSON.stringify("x".repeat(Math.max(chars - 2, 0))).slice(0, chars);
      await alive.set(scope, "k", value, NEVER);
      const stored = (await inner.get(scope, "k"))?.value.length;
      expect(alive.storedChars(scope, "k", value)).toBe(stored);
    }
  });

  test("what the inner backend cannot do is refused", async () => {
    const { inner, payloads } = openWorld();
    const unable: StateBackend = Object.assign(inner, {
      clearRun: undefined,
      listScopes: undefined,
    });
    const backend = new OffloadingStateBackend(unable, payloads, OPTIONS);
    await backend.set(scope, "k", large("a"), NEVER);
    await expect(backend.clearRun({ dagId: "d", runId: "r" })).rejects.toThrow(
      new TypeError("Cannot clear a run: the inner backend has no clearRun"),
    );
    await expect(backend.listScopes({ limit: 1, offset: 0 })).rejects.toThrow(
      new TypeError("Cannot list scopes: the inner backend has no listScopes"),
    );
    expect(payloads.names()).toHaveLength(1);
  });

  test("an entry that goes while its update stores the payload stays gone", async () => {
    const { inner, payloads } = openWorld();
    const gone = new Proxy(payloads, {
      get: (target, name) =>
        name === "put"
          ? async (...args: Parameters<PayloadStore["put"]>): Promise<void> => {
              await inner.delete(scope, "k");
              await target.put(...args);
            }
          : (Reflect.get(target, name, target) as unknown),
    });
    await inner.set(scope, "k", "1", NEVER);
    const backend = new OffloadingStateBackend(inner, gone, OPTIONS);
    expect(await backend.update(scope, "k", large("b"), {})).toBe(false);
    expect(await inner.get(scope, "k")).toBeUndefined();
  });

  test("an update keeps the expiry also where the inner backend has no update", async () => {
    const { inner, payloads } = openWorld();
    const plain: StateBackend = {
      get: (...args) => inner.get(...args),
      set: (...args) => inner.set(...args),
      delete: (...args) => inner.delete(...args),
      clear: (...args) => inner.clear(...args),
      list: (...args) => inner.list(...args),
      sweepExpired: (...args) => inner.sweepExpired(...args),
    };
    const backend = new OffloadingStateBackend(plain, payloads, OPTIONS);
    expect(await backend.update(scope, "k", large("a"), {})).toBe(false);
    await backend.set(scope, "k", "1", { expiresAt: 7 });
    expect(await backend.update(scope, "k", large("b"), {})).toBe(true);
    expect(await backend.get(scope, "k")).toMatchObject({ value: large("b"), expiresAt: 7 });
  });

  test("a reference read without an OffloadingStateBackend is an error (A13, E33)", async () => {
    const { inner, alive } = openWorld();
    await new TaskStateStore(alive, scope, { clock }).set("job", "x".repeat(40));
    const error = await new TaskStateStore(inner, scope, { clock })
      .get("job", "d")
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(UnreadableValue);
    expect(String(error)).toContain("wrap the backend in an OffloadingStateBackend");
  });

  test("a missing payload is an error and not absence (E35)", async () => {
    const { payloads, alive } = openWorld();
    const store = new TaskStateStore(alive, scope, { clock });
    await store.set("job", "x".repeat(40));
    await payloads.deletePrefix("");
    await expect(store.get("job", "d")).rejects.toBeInstanceOf(UnreadableValue);
  });

  test("payload names depend on scope, key and slot, and no scope has the prefix of another", async () => {
    const { payloads, alive } = openWorld();
    const scopes: StoreScope[] = [
      scope,
      { ...scope, mapIndex: 1 },
      { ...scope, mapIndex: 11 },
      { ...scope, taskId: "t2" },
      { ...scope, runId: 'r","t' },
    ];
    for (const each of scopes)
      for (const key of ["k", "k/0", "ä~"]) await alive.set(each, key, large("x"), NEVER);
    expect(payloads.names().every((name) => /^[A-Za-z0-9_.~/-]+$/.test(name))).toBe(true);
    expect(new Set(payloads.names()).size).toBe(15);
    await alive.clear({ ...scope, mapIndex: 1 });
    expect(payloads.names().length).toBe(12);
    await alive.clear(scope, { allMapIndices: true });
    expect(payloads.names().length).toBe(6);
    await alive.clearRun({ dagId: "d", runId: "r" });
    expect(payloads.names().length).toBe(3);
  });
});
