import {
  AssetStateStore,
  type JsonValue,
  KEY_CHARS_MAX,
  NEVER_EXPIRE,
} from "../../../src/store/mod.ts";
import {
  DAY_MS,
  essence,
  example,
  inWords,
  keysIn,
  LawBroken,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

const NEVER = { expiresAt: null } as const;

/** Reading, writing, deleting and clearing, one key and one scope against the others. */
export const KEY_LAWS: readonly StateBackendLaw[] = [
  example(
    "get() returns null for an absent key, or the default, and writes nothing (A1, A2)",
    async ({ one, store }) => {
      same("get of an absent key", await store().get("k"), null);
      same("get of an absent key with a default", await store().get("k", "d"), "d");
      same("the list afterwards", await keysIn(one, TASK), []);
      same("what the backend returns", await one.get(TASK, "k"), undefined);
    },
  ),
  example(
    "get() returns what is stored, never the default, falsy or not (A3, A4)",
    async ({ store }) => {
      const values: readonly NonNullable<JsonValue>[] = [
        ...[0, false, "", [], {}, 42, true, 1.5, -0, "x"],
        ...[[1, [2]], { a: { b: null } }],
      ];
      for (const value of values) {
        await store().set("k", value);
        same(
          `get after set of ${inWords(value)}`,
          await store().get<unknown>("k", "the default"),
          value,
        );
      }
    },
  ),
  example("any key works that a person may think of (A8, A9, A32, A33)", async ({ one, store }) => {
    const long = KEY_CHARS_MAX;
    const keys = [
      "a/b",
      "a",
      "A",
      "a ",
      " a",
      "ä",
      "a\u0308",
      "%2F",
      "..",
      "'; --",
      "\0",
      "\ud800",
      "\udbff",
      "😀".repeat(long / 2),
      "x".repeat(long),
      `${"x".repeat(long - 1)}y`,
    ];
    for (const [at, key] of keys.entries()) await store().set(key, at);
    for (const [at, key] of keys.entries())
      same(`get of ${inWords(key)}`, await store().get(key), at);
    same(
      "the number of keys listed",
      (await one.list(TASK, { limit: 1, offset: 0 })).total,
      keys.length,
    );
    same("every key listed", new Set(await keysIn(one, TASK)).size, keys.length);
  }),
  example(
    "set() replaces value, expiry and time of the key (A14, A15, A45, D17)",
    async ({ one, store, clock, passes }) => {
      await store().set("k", 1);
      const first = await one.get(TASK, "k");
      same("the entry", first, {
        key: "k",
        value: "1",
        expiresAt: clock.wallNow() + 30 * DAY_MS,
        updatedAt: clock.wallNow(),
        writer: null,
      });
      await passes(1_000);
      await store().set("k", 2, { retention: NEVER_EXPIRE });
      same("the entry, set again to never expire", await one.get(TASK, "k"), {
        key: "k",
        value: "2",
        expiresAt: null,
        updatedAt: clock.wallNow(),
        writer: null,
      });
      await store().set("k", 3, { retention: { hours: 6 } });
      same(
        "its expiry, set again to expire",
        (await one.get(TASK, "k"))?.expiresAt,
        clock.wallNow() + 6 * 3_600_000,
      );
      same("the number of keys", (await keysIn(one, TASK)).length, 1);
    },
  ),
  example(
    "a fulfilled set() is seen by every client, and by every attempt (A30, A60, D6)",
    async ({ one, other, store }) => {
      await store(TASK, {}, one).set("k", "by one");
      same("get by the other client", await store(TASK, {}, other).get("k"), "by one");
      await store(TASK, {}, other).set("k", "by the other");
      same("get by the first client", await store(TASK, {}, one).get("k"), "by the other");
    },
  ),
  example("text comes back verbatim as it was set (A96, A106)", async ({ one }) => {
    for (const text of [
      '"12345"',
      "12345",
      '{"b":1,"a":2}',
      '"\\u0000\\ud800"',
      "-0",
      "1e+21",
      '"\u2028😀"',
      '{"k" : [1]}',
    ]) {
      await one.set(TASK, "k", text, NEVER);
      same(`the text after set of ${text}`, (await one.get(TASK, "k"))?.value, text);
    }
  }),
  example("a large value comes back whole (A23, A24)", async ({ store }) => {
    const value = "x".repeat(65_533);
    await store().set("k", value);
    same("its length", (await store().get<string>("k"))?.length, value.length);
    const huge = "y".repeat(1_000_000);
    await store(TASK, { valueCharsMax: 0 }).set("k", huge);
    same(
      "the length of a larger one, without a limit",
      (await store().get<string>("k"))?.length,
      huge.length,
    );
  }),
  example(
    "two sets at once leave one of the two, whole, for everyone (A29)",
    async ({ one, other }) => {
      for (let round = 0; round < 20; round += 1) {
        const writes = [
          { value: `{"by":1,"round":${round}}`, expiresAt: round },
          { value: `{"by":2,"round":${round}}`, expiresAt: null },
        ] as const;
        const [first, second] = writes;
        await Promise.all([
          one.set(TASK, "k", first.value, first),
          other.set(TASK, "k", second.value, second),
        ]);
        const found = essence(await one.get(TASK, "k"));
        same("what the other client sees", essence(await other.get(TASK, "k")), found);
        if (inWords(found) === inWords(first) || inWords(found) === inWords(second)) continue;
        throw new LawBroken(
          `after two sets at once the entry is ${inWords(found)}: neither of the two`,
        );
      }
    },
  ),
  example(
    "delete() takes one key, and nothing when it is absent (A49, A50)",
    async ({ one, store }) => {
      await store().set("a", 1);
      await store().set("b", 2);
      await store().delete("a");
      await store().delete("a");
      await store().delete("never there");
      same("what is left", await keysIn(one, TASK), ["b"]);
    },
  ),
  example(
    "clear() takes every key of exactly its scope (A51, A52, A53, A59)",
    async ({ one, store }) => {
      const siblings = [
        taskInstance({ mapIndex: 0 }),
        taskInstance({ mapIndex: 1 }),
        taskInstance({ runId: "r2" }),
        taskInstance({ taskId: "other" }),
        taskInstance({ dagId: "other" }),
      ];
      for (const scope of [TASK, ...siblings]) await store(scope).set("k", "kept");
      await store().set("k2", 1);
      await store().clear();
      await store().clear();
      same("what is left of the cleared scope", await keysIn(one, TASK), []);
      for (const scope of siblings)
        same(`get in ${inWords(scope)}`, await store(scope).get("k"), "kept");
    },
  ),
  example("clear() of map index -1 is no clear of all (A55)", async ({ store }) => {
    for (const mapIndex of [-1, 0, 1]) await store(taskInstance({ mapIndex })).set("k", mapIndex);
    await store(taskInstance({ mapIndex: -1 })).clear();
    same("index -1", await store(taskInstance({ mapIndex: -1 })).get("k"), null);
    for (const mapIndex of [0, 1])
      same(`index ${mapIndex}`, await store(taskInstance({ mapIndex })).get("k"), mapIndex);
  }),
  example(
    "clear({ allMapIndices }) takes every index of the task and no other task (A54, A57)",
    async ({ one, other, store }) => {
      for (const mapIndex of [-1, 0, 1, 7])
        await store(taskInstance({ mapIndex })).set("k", mapIndex);
      await store(taskInstance({ taskId: "loader" })).set("k", "kept");
      await store(taskInstance({ mapIndex: 0 }), {}, one).clear({ allMapIndices: true });
      await store(taskInstance({ mapIndex: 1 }), {}, other).set("late", 1);
      for (const mapIndex of [-1, 0, 7])
        same(`index ${mapIndex}`, await keysIn(one, taskInstance({ mapIndex })), []);
      same(
        "the sibling that wrote after the clear",
        await keysIn(one, taskInstance({ mapIndex: 1 })),
        ["late"],
      );
      same("the other task", await store(taskInstance({ taskId: "loader" })).get("k"), "kept");
    },
  ),
  example(
    "assets, tasks and processes are scopes of their own (A56, A74, D1, D3, D9, D20)",
    async ({ one, clock, store }) => {
      const asset = new AssetStateStore(one, { name: "etl" }, { clock });
      const byUri = new AssetStateStore(one, { uri: "etl" }, { clock });
      const task = store({ kind: "task", dagId: "etl", taskId: "load" });
      const process = store({ kind: "process", namespace: "etl", processName: "load" });
      await asset.set("k", "asset");
      await byUri.set("k", "uri");
      await task.set("k", "task");
      await process.set("k", "process");
      await store().set("k", "instance");
      await store().clear({ allMapIndices: true });
      same("the asset", await asset.get("k"), "asset");
      same("the asset by uri", await byUri.get("k"), "uri");
      same("the task", await task.get("k"), "task");
      same("the process", await process.get("k"), "process");
      await asset.clear({ allMapIndices: true });
      same("the cleared asset", await asset.get("k"), null);
      same("the asset by uri after it", await byUri.get("k"), "uri");
    },
  ),
  example(
    "a task's state is shared by its runs, an instance's is not (D4, D5, D10, D24)",
    async ({ store, passes }) => {
      const task = { kind: "task", dagId: "etl", taskId: "load" } as const;
      await store(task).set("watermark", 1);
      await store(taskInstance({ runId: "r1" })).set("job", "a");
      await store(taskInstance({ runId: "r2" })).set("job", "b");
      same("the other run's job", await store(taskInstance({ runId: "r1" })).get("job"), "a");
      same("the task's watermark", await store(task).get("watermark"), 1);
      await passes(400 * DAY_MS);
      same("the watermark after a year", await store(task).get("watermark"), 1);
    },
  ),
  example(
    "list() pages by key, counts all, and is empty for a scope without keys (A92)",
    async ({ one, store }) => {
      for (const key of ["b", "a/1", "B", "ab", "😀", "\uffff", "a"]) await store().set(key, key);
      const ordered = ["B", "a", "a/1", "ab", "b", "\uffff", "😀"];
      same("all keys", await keysIn(one, TASK), ordered);
      const page = await one.list(TASK, { limit: 3, offset: 2 });
      same(
        "the page",
        { keys: page.entries.map((entry) => entry.key), total: page.total },
        { keys: ordered.slice(2, 5), total: 7 },
      );
      same("the page behind the end", await one.list(TASK, { limit: 3, offset: 9 }), {
        entries: [],
        total: 7,
      });
      same("a page of nothing", await one.list(TASK, { limit: 0, offset: 0 }), {
        entries: [],
        total: 7,
      });
      same(
        "an unknown scope",
        await one.list(taskInstance({ runId: "none" }), { limit: 3, offset: 0 }),
        { entries: [], total: 0 },
      );
    },
  ),
  example("the writer stays until another says who it is (A100, A101)", async ({ one, clock }) => {
    const asset = { kind: "asset", name: "orders" } as const;
    const watcher = new AssetStateStore(one, asset, { clock, writer: { kind: "watcher" } });
    const task = { kind: "task", dagId: "d", runId: "r", taskId: "t", mapIndex: 0 } as const;
    await one.set(asset, "k", "0", NEVER);
    same("the writer of a plain set", (await one.get(asset, "k"))?.writer, null);
    await watcher.set("k", 1);
    same("the writer", (await one.get(asset, "k"))?.writer, { kind: "watcher" });
    await one.set(asset, "k", "2", NEVER);
    same("the writer after a plain set", (await one.get(asset, "k"))?.writer, { kind: "watcher" });
    await new AssetStateStore(one, asset, { clock, writer: task }).set("k", 3);
    same("the writer after a task's", (await one.get(asset, "k"))?.writer, task);
    same("the value, last writer wins", await watcher.get("k"), 3);
  }),
];
