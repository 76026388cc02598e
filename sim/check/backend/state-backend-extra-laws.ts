import {
  example,
  keysIn,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

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
    same("keys after one that cannot be", await keysIn(one, TASK), []);
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
