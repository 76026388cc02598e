import { StateModel } from "../../../src/store/mod.ts";
import {
  example,
  keysIn,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

/** How often two clients compare and set at once. */
const ROUNDS = 5;

/** What holds of the methods that a backend may leave out; one that it leaves out owes nothing. */
export const EXTRA_LAWS: readonly StateBackendLaw[] = [
  example(
    "setMany() writes all of its keys, and the last of equal ones",
    async ({ one, store }) => {
      await store().set("old", 0);
      await store().setMany(
        [
          ["a", 1],
          ["old", 1],
          ["a", 2],
          ["x".repeat(512), 3],
        ],
        { retention: { hours: 6 } },
      );
      same("keys", await keysIn(one, TASK), ["a", "old", "x".repeat(512)]);
      same("the last of equal keys", await store().get("a"), 2);
      same("an overwritten key", await store().get("old"), 1);
      await store().setMany([]);
    },
  ),
  example("setMany() is all or nothing", async ({ one }) => {
    await one
      .setMany?.(
        TASK,
        [
          ["a", "1"],
          ["", "2"],
        ],
        { expiresAt: null },
      )
      .catch(() => undefined);
    const keys = await keysIn(one, TASK);
    // Whether a store refuses the empty key is its own business.
    if (keys.length !== 2) same("keys after one that cannot be", keys, []);
  }),
  example(
    "getMany() returns what exists and has not expired, in the requested order",
    async ({ store, passes }) => {
      await store().set("b", 2);
      await store().set("a", 1);
      await store().set("gone", 1, { retention: { seconds: 1 } });
      await passes(1_000);
      const found = await store().getMany(["b", "none", "a", "b", "gone"]);
      same(
        "what is found",
        [...found],
        [
          ["b", 2],
          ["a", 1],
        ],
      );
    },
  ),
  example("update() keeps the expiry exactly, and creates nothing (A46, A93)", async ({ one }) => {
    if (one.update === undefined) return;
    same("update of an absent key", await one.update(TASK, "k", "1", {}), false);
    same("the list afterwards", await keysIn(one, TASK), []);
    await one.set(TASK, "k", "1", { expiresAt: 1_234, updatedAt: 5, writer: { kind: "api" } });
    same("update", await one.update(TASK, "k", "2", { updatedAt: 6 }), true);
    same("the entry", await one.get(TASK, "k"), {
      key: "k",
      value: "2",
      expiresAt: 1_234,
      updatedAt: 6,
      writer: { kind: "api" },
    });
  }),
  example("compareAndSet() writes only what is expected, as a whole", async ({ one }) => {
    if (one.compareAndSet === undefined) return;
    const [first, second] = ["1", '"2"'];
    const expires = { expiresAt: 1_234, updatedAt: 5, writer: { kind: "api" } } as const;
    const set = one.compareAndSet.bind(one);
    same("of an absent key", await set(TASK, "k", { expected: "0", value: first }, expires), false);
    same("the list afterwards", await keysIn(one, TASK), []);
    same(
      "where none was expected",
      await set(TASK, "k", { expected: null, value: first }, expires),
      true,
    );
    same("the entry", await one.get(TASK, "k"), { key: "k", value: first, ...expires });
    same(
      "where none was expected, again",
      await set(TASK, "k", { expected: null, value: second }, expires),
      false,
    );
    same(
      "where another was expected",
      await set(TASK, "k", { expected: "1 ", value: second }, expires),
      false,
    );
    same("the value that stays", (await one.get(TASK, "k"))?.value, first);
    const never = { expiresAt: null, updatedAt: 6 };
    same(
      "where it was expected",
      await set(TASK, "k", { expected: first, value: second }, never),
      true,
    );
    same("the entry afterwards", await one.get(TASK, "k"), {
      key: "k",
      value: second,
      expiresAt: null,
      updatedAt: 6,
      writer: { kind: "api" },
    });
    const mapped = taskInstance({ mapIndex: 4 });
    same(
      "in another scope",
      await set(mapped, "k", { expected: second, value: first }, never),
      false,
    );
    await one.delete(TASK, "k");
    same("after a delete", await set(TASK, "k", { expected: second, value: first }, never), false);
  }),
  example("compareAndSet() lets one of two clients win", async ({ one, other }) => {
    if (one.compareAndSet === undefined || other.compareAndSet === undefined) return;
    let expected: string | null = null;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const [left, right] = [`"left ${round}"`, `"right ${round}"`];
      const won: readonly boolean[] = await Promise.all([
        one.compareAndSet(TASK, "k", { expected, value: left }, { expiresAt: null }),
        other.compareAndSet(TASK, "k", { expected, value: right }, { expiresAt: null }),
      ]);
      same("how many wrote", won.filter(Boolean).length, 1);
      const value: string = won[0] === true ? left : right;
      same("the value", (await one.get(TASK, "k"))?.value, value);
      expected = value;
    }
  }),
  example("a watermark that is raised never falls", async ({ one, other, clock }) => {
    if (one.compareAndSet === undefined || other.compareAndSet === undefined) return;
    const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
    const [left, right] = [one, other].map((each) => new StateModel(each, scope, { clock })) as [
      StateModel,
      StateModel,
    ];
    const marks = [3, 1, 4, 1, 5, 9, 2, 6];
    await Promise.all(marks.map((mark, at) => (at % 2 === 0 ? left : right).raise(mark)));
    same("the watermark", await left.get(), Math.max(...marks));
  }),
  example(
    "clearRun() takes a run's task instances and nothing else (A61)",
    async ({ one, store }) => {
      if (one.clearRun === undefined) return;
      const long = "d".repeat(600);
      const gone = [
        TASK,
        taskInstance({ mapIndex: 4 }),
        taskInstance({ taskId: "other" }),
        taskInstance({ taskId: "" }),
      ];
      const kept = [
        taskInstance({ runId: "r" }),
        taskInstance({ runId: "r10" }),
        taskInstance({ runId: 'r1","load' }),
        taskInstance({ dagId: "etl2" }),
        taskInstance({ dagId: long }),
      ];
      for (const scope of [...gone, ...kept]) await store(scope).set("k", 1);
      await store({ kind: "task", dagId: "etl", taskId: "r1" }).set("k", 1);
      await one.clearRun({ dagId: "etl", runId: "r1" });
      for (const scope of gone)
        same(`get in ${JSON.stringify(scope)}`, await store(scope).get("k"), null);
      for (const scope of kept)
        same(`get in ${JSON.stringify(scope)}`, await store(scope).get("k"), 1);
      same(
        "the task over all runs",
        await store({ kind: "task", dagId: "etl", taskId: "r1" }).get("k"),
        1,
      );
      await one.clearRun({ dagId: long, runId: "r1" });
      same("a run with a long name", await store(taskInstance({ dagId: long })).get("k"), null);
    },
  ),
  example("listScopes() names each scope that holds something, once", async ({ one, store }) => {
    if (one.listScopes === undefined) return;
    const long = taskInstance({ dagId: "d".repeat(600) });
    for (const key of ["a", "b"]) await store().set(key, 1);
    await store(long).set("a", 1);
    await store(taskInstance({ mapIndex: 2 })).set("a", 1);
    await store(taskInstance({ mapIndex: 3 })).set("a", 1);
    await store(taskInstance({ mapIndex: 3 })).delete("a");
    const { scopes, total } = await one.listScopes({ limit: 10, offset: 0 });
    same("the number", total, 3);
    same("the scopes", scopes, [
      { scope: long, entries: 1 },
      { scope: TASK, entries: 2 },
      { scope: taskInstance({ mapIndex: 2 }), entries: 1 },
    ]);
    same("the last page", await one.listScopes({ limit: 5, offset: 2 }), {
      scopes: scopes.slice(2),
      total,
    });
  }),
];
