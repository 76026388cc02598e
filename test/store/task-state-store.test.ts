import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  AssetStateStore,
  type JsonValue,
  MemoryStateBackend,
  NEVER_EXPIRE,
  StoreUnavailable,
  sweepStore,
  type TaskInstanceScope,
  TaskStateStore,
  UnreadableValue,
} from "../../src/store/mod.ts";
import { failingBackend, recordingBackend } from "./recording-backend.ts";

const clock = new VirtualClock();
const scope: TaskInstanceScope = {
  kind: "task-instance",
  dagId: "etl",
  runId: "r1",
  taskId: "load",
  mapIndex: -1,
};

type Call = (store: TaskStateStore) => Promise<unknown>;

describe("TaskStateStore refuses before anything is sent:", () => {
  const refused: readonly (readonly [title: string, call: Call, message: string])[] = [
    [
      "an empty key (A9)",
      (s) => s.get(""),
      "RangeError: Cannot use a key of 0 characters: it needs 1 to 512",
    ],
    [
      "a key of 513 characters (A32)",
      (s) => s.set("x".repeat(513), 1),
      "RangeError: Cannot use a key of 513 characters: it needs 1 to 512",
    ],
    [
      "a key that is not a string (A9)",
      (s) => s.delete(7 as unknown as string),
      "TypeError: Cannot use 7 as a key: write a string",
    ],
    [
      "an empty key among several",
      (s) => s.getMany(["a", ""]),
      "RangeError: Cannot use a key of 0 characters: it needs 1 to 512",
    ],
    [
      "null as a value (A16)",
      (s) => s.set("k", null as unknown as string),
      `TypeError: Cannot store null as the value of "k": delete the key to store nothing`,
    ],
    [
      "a value with NaN deep inside (A19, E37)",
      (s) => s.set("k", { pages: [{ size: NaN }] }),
      `TypeError: Cannot store NaN at $.pages[0].size as the value of "k": JSON has only finite numbers`,
    ],
    [
      "a bad value among several good ones",
      (s) =>
        s.setMany([
          ["a", 1],
          ["b", [Infinity]],
        ]),
      `TypeError: Cannot store Infinity at $[0] as the value of "b": JSON has only finite numbers`,
    ],
    [
      "a value of 65,536 characters (A23)",
      (s) => s.set("k", "x".repeat(65_534)),
      `RangeError: Cannot store the value of "k": its JSON text has 65536 characters, the limit is 65535`,
    ],
    [
      "a bare number as retention (A41, Q4)",
      (s) => s.set("k", 1, { retention: 7 as unknown as { days: number } }),
      "TypeError: Cannot use a bare number as retention: current value is 7, write { seconds: 7 } or { days: 7 } instead",
    ],
    [
      "a boolean as retention (Q4)",
      (s) => s.set("k", 1, { retention: true as unknown as { days: number } }),
      "TypeError: Cannot use true as retention: write a duration such as { seconds: 30 }",
    ],
    [
      "a symbol other than NEVER_EXPIRE (E43)",
      (s) => s.set("k", 1, { retention: Symbol("never") as unknown as typeof NEVER_EXPIRE }),
      "TypeError: Cannot use Symbol(never) as retention: write a duration such as { seconds: 30 }",
    ],
    [
      "a negative retention (A40)",
      (s) => s.set("k", 1, { retention: { hours: -1 } }),
      "RangeError: Cannot use -3600000 milliseconds as retention: a duration is zero or more whole milliseconds",
    ],
    [
      "an infinite retention (E42)",
      (s) => s.set("k", 1, { retention: { days: Infinity } }),
      "RangeError: Cannot use Infinity milliseconds as retention: a duration is zero or more whole milliseconds",
    ],
    [
      "a retention beyond the year 9999 (A43, E40)",
      (s) => s.set("k", 1, { retention: { days: 3_000_000 } }),
      "RangeError: Cannot use 259200000000000 milliseconds as retention: it ends after the year 9999, write NEVER_EXPIRE instead",
    ],
    [
      "a duration where the options belong",
      (s) => s.set("k", 1, { hours: 6 } as object),
      `TypeError: Cannot use "hours" as an option of set: write { retention: { hours: 6 } }`,
    ],
    [
      "a number where the options belong",
      (s) => s.set("k", 1, 7 as unknown as object),
      "TypeError: Cannot use 7 as the options of set: write { retention: { hours: 6 } }",
    ],
    [
      "a misspelt option of clear (Q11)",
      (s) => s.clear({ allMapIndexes: true } as object),
      `TypeError: Cannot use "allMapIndexes" as an option of clear: write { allMapIndices }`,
    ],
  ];
  for (const [title, call, message] of refused) {
    test(title, async () => {
      const { backend, calls } = recordingBackend();
      const error = await call(new TaskStateStore(backend, scope, { clock })).catch(
        (error: unknown) => error,
      );
      expect(String(error)).toBe(message);
      expect(calls.filter((name) => name !== "storedChars")).toEqual([]);
    });
  }

  test("a negative default retention, but only when it is needed (A37, A42)", async () => {
    const { backend, calls } = recordingBackend();
    const store = new TaskStateStore(backend, scope, { clock, defaultRetention: { days: -1 } });
    await expect(store.set("k", 1)).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
    await store.set("k", 1, { retention: NEVER_EXPIRE });
    expect(calls).toEqual(["set"]);
  });

  const scopes: readonly (readonly [title: string, scope: unknown, message: string])[] = [
    ["no scope", undefined, "Cannot use undefined as a scope: write an object with a kind"],
    [
      "a kind that there is none of",
      { kind: "dag" },
      'Cannot use "dag" as the kind of a scope: write "task-instance", "asset", "task" or "process"',
    ],
    [
      "a part that is missing",
      { ...scope, runId: undefined },
      "Cannot use undefined as runId of a task-instance scope: write a string",
    ],
    [
      "a map index that is no number",
      { ...scope, mapIndex: "0" },
      "Cannot use 0 as a map index: write an integer, -1 for a task that is not mapped",
    ],
    [
      "a map index below -1",
      { ...scope, mapIndex: -2 },
      "Cannot use -2 as a map index: it must be an integer from -1 to 2147483647",
    ],
    [
      "a fraction as map index",
      { ...scope, mapIndex: 0.5 },
      "Cannot use 0.5 as a map index: it must be an integer from -1 to 2147483647",
    ],
    [
      "an asset",
      { kind: "asset", name: "a" },
      "Cannot keep task state for an asset: use AssetStateStore",
    ],
  ];
  for (const [title, bad, message] of scopes) {
    test(`${title} as the scope`, () => {
      const make = (): unknown =>
        new TaskStateStore(new MemoryStateBackend(), bad as TaskInstanceScope, { clock });
      expect(make).toThrow(message);
    });
  }

  test("a negative limit", () => {
    const make = (): unknown =>
      new TaskStateStore(new MemoryStateBackend(), scope, { clock, valueCharsMax: -1 });
    expect(make).toThrow(
      new RangeError(
        "Cannot use -1 as valueCharsMax: write an integer of 0 or more, 0 for no limit",
      ),
    );
  });
});

describe("TaskStateStore", () => {
  test("set() accepts a value of exactly the limit, and of any size when the limit is 0 (A23, A24)", async () => {
    const backend = new MemoryStateBackend();
    await new TaskStateStore(backend, scope, { clock }).set("k", "x".repeat(65_533));
    const unlimited = new TaskStateStore(backend, scope, { clock, valueCharsMax: 0 });
    await unlimited.set("k", "x".repeat(200_000));
    expect((await unlimited.get<string>("k"))?.length).toBe(200_000);
  });

  test("get() returns its default for an absent key only: a failure rejects (A5, A6, A7, E44)", async () => {
    const cause = new Error("connection refused");
    const store = new TaskStateStore(failingBackend(cause), scope, { clock });
    const calls: Promise<unknown>[] = [
      store.get("k", "d"),
      store.getMany(["k"]),
      store.set("k", 1),
      store.setMany([["k", 1]]),
      store.delete("k"),
      store.clear(),
    ];
    for (const call of calls) {
      const error = await call.catch((error: unknown) => error);
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect(error).toMatchObject({ name: "StoreUnavailable", cause });
    }
    await expect(store.get("k")).rejects.toThrow(
      'Cannot get "k" of task instance (dag "etl", run "r1", task "load", map index -1): connection refused',
    );
  });

  test.each([
    ["text that is not JSON", "{oops"],
    ["NaN written by another program (E37)", '{"a":NaN}'],
    ["an integer with too many digits (E61)", "9007199254740993"],
    [
      "a reference without an OffloadingStateBackend (A13, E33)",
      ' {"faultlane-payload":"x","slot":0}',
    ],
  ])("get() rejects for %s, and does not return the default", async (_title, text) => {
    const backend = new MemoryStateBackend();
    await backend.set(scope, "k", text, { expiresAt: null });
    const store = new TaskStateStore(backend, scope, { clock });
    const error = await store.get("k", "d").catch((error: unknown) => error);
    expect(error).toBeInstanceOf(UnreadableValue);
    expect(error).toMatchObject({ name: "UnreadableValue", key: "k" });
  });

  test("changing a value that get() returned does not change the store", async () => {
    const store = new TaskStateStore(new MemoryStateBackend(), scope, { clock });
    const value = { list: [1] };
    await store.set("k", value);
    value.list.push(2);
    (await store.get<{ list: number[] }>("k"))?.list.push(3);
    expect(await store.get("k")).toEqual({ list: [1] });
  });

  test("the writer's clock sets the expiry, the reader's the visibility, and the sweeper's, with its grace, the deletion (A35, E10)", async () => {
    const backend = new MemoryStateBackend();
    const [slow, fast] = [new VirtualClock(), new VirtualClock()];
    await fast.advance(3_600_000, () => Promise.resolve());
    await new TaskStateStore(backend, scope, { clock: slow }).set("k", 1, {
      retention: { minutes: 30 },
    });
    expect(await new TaskStateStore(backend, scope, { clock: slow }).get("k")).toBe(1);
    expect(await new TaskStateStore(backend, scope, { clock: fast }).get("k")).toBe(null);
    expect((await sweepStore(backend, { clock: fast, grace: { hours: 1 } })).expired).toBe(0);
    expect((await sweepStore(backend, { clock: fast })).expired).toBe(1);
  });

  test("a later change of the default retention leaves earlier entries alone (A44)", async () => {
    const backend = new MemoryStateBackend();
    await new TaskStateStore(backend, scope, { clock, defaultRetention: { days: 1 } }).set("k", 1);
    new TaskStateStore(backend, scope, { clock, defaultRetention: { days: 9 } });
    expect((await backend.get(scope, "k"))?.expiresAt).toBe(clock.wallNow() + 86_400_000);
  });

  test("the next run reads what a person edited (D21), and a failure in between changes nothing (D12)", async () => {
    const backend = new MemoryStateBackend();
    const store = new TaskStateStore(
      backend,
      { kind: "task", dagId: "etl", taskId: "load" },
      { clock },
    );
    await store.set("watermark", 100);
    await backend.set({ kind: "task", dagId: "etl", taskId: "load" }, "watermark", "50", {
      expiresAt: null,
    });
    expect(await store.get("watermark")).toBe(50);
  });

  test("NEVER_EXPIRE is the same in every copy of the module (Q5, E43)", () => {
    expect(Symbol.for("faultlane.never-expire")).toBe(NEVER_EXPIRE);
    expect(() => structuredClone(NEVER_EXPIRE)).toThrow(Error);
  });
});

describe("AssetStateStore", () => {
  test("stores without expiry, returns defaults, deletes, clears (A97)", async () => {
    const backend = new MemoryStateBackend();
    const store = new AssetStateStore(backend, { name: "orders" }, { clock });
    expect(await store.get("k")).toBe(null);
    expect(await store.get("k", 0)).toBe(0);
    await store.set("k", { watermark: 5 });
    expect((await backend.get({ kind: "asset", name: "orders" }, "k"))?.expiresAt).toBe(null);
    await store.delete("k");
    await store.set("k", 1);
    await store.clear({ allMapIndices: true });
    expect(await store.get("k")).toBe(null);
  });

  test("refuses null, options, and an asset without name and uri (A97, A98)", async () => {
    const { backend, calls } = recordingBackend();
    const store = new AssetStateStore(backend, { uri: "s3://b/k" }, { clock });
    const set = store.set.bind(store) as (
      key: string,
      value: JsonValue,
      more?: object,
    ) => Promise<void>;
    await expect(set("k", null)).rejects.toThrow(TypeError);
    await expect(set("k", 1, { retention: NEVER_EXPIRE })).rejects.toThrow(
      new TypeError("Cannot use options with set of an asset: its state never expires"),
    );
    expect(calls).toEqual([]);
    expect(() => new AssetStateStore(backend, {}, { clock })).toThrow(
      new TypeError("Cannot use an asset without a name and a URI as a scope: give at least one"),
    );
    for (const part of ["name", "uri"]) {
      const asset = { uri: "s3://b/k", [part]: 7 as unknown as string };
      expect(() => new AssetStateStore(backend, asset, { clock })).toThrow(
        new TypeError(`Cannot use 7 as ${part} of an asset: write a string`),
      );
    }
    expect(
      () => new AssetStateStore(backend, scope as unknown as { name: string }, { clock }),
    ).toThrow(new TypeError("Cannot keep asset state for a task-instance: use TaskStateStore"));
  });

  test("refuses an incomplete writer (A100)", () => {
    const make = (writer: unknown) => (): unknown =>
      new AssetStateStore(
        new MemoryStateBackend(),
        { name: "a" },
        { clock, writer: writer as { kind: "api" } },
      );
    expect(make({ kind: "task", dagId: "d", runId: "r", mapIndex: 0 })).toThrow(
      "Cannot use a task without taskId as the writer: give all four parts",
    );
    expect(make({ kind: "task", dagId: "d", runId: "r", taskId: "t" })).toThrow(
      "Cannot use a task without mapIndex as the writer: give all four parts",
    );
    expect(make({ kind: "watcher", dagId: "d" })).toThrow(
      'Cannot use dagId on a writer of kind "watcher": leave it out',
    );
    expect(make({ kind: "robot" })).toThrow(
      'Cannot use "robot" as the kind of a writer: write "task", "watcher" or "api"',
    );
  });
});
