import {
  AssetStateStore,
  clearOnSuccess,
  clearTaskInstances,
  NEVER_EXPIRE,
  sweepStore,
} from "../../../src/store/mod.ts";
import {
  DAY_MS,
  example,
  HOUR_MS,
  keysIn,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

const SIX_HOURS = { retention: { hours: 6 } } as const;

/** How long entries live, what a sweep takes, and what success and a person's clear do. */
export const EXPIRY_LAWS: readonly StateBackendLaw[] = [
  example(
    "get() sees a key until its expiry and not from then on, swept or not (A10, A38)",
    async ({ one, store, passes }) => {
      await store().set("k", 1, SIX_HOURS);
      await passes(6 * HOUR_MS - 1);
      same("get a moment before", await store().get("k"), 1);
      await passes(1);
      same("get at the expiry", await store().get("k"), null);
      same("get with a default", await store().get("k", "d"), "d");
      const before = { limit: 9, offset: 0, now: 0 };
      same("a list of what has not expired long before", (await one.list(TASK, before)).total, 1);
      const now = { limit: 9, offset: 0, now: Number.MAX_SAFE_INTEGER };
      same("a list of what never expires", await one.list(TASK, now), { entries: [], total: 0 });
    },
  ),
  example(
    "the default retention is 30 days, and zero means never (A35, A36, A42)",
    async ({ one, store, clock }) => {
      await store().set("default", 1);
      await store(TASK, { defaultRetention: { days: 0 } }).set("zero", 1);
      await store(TASK, { defaultRetention: { days: -1 } }).set("never", 1, {
        retention: NEVER_EXPIRE,
      });
      same(
        "by default",
        (await one.get(TASK, "default"))?.expiresAt,
        clock.wallNow() + 30 * DAY_MS,
      );
      same("a default of zero", (await one.get(TASK, "zero"))?.expiresAt, null);
      same("never", (await one.get(TASK, "never"))?.expiresAt, null);
    },
  ),
  example(
    "a retention of zero writes, and expires at once (A39)",
    async ({ one, store, clock, passes }) => {
      await store().set("k", 1, { retention: { seconds: 0 } });
      same("get", await store().get("k"), null);
      same("sweep at the same instant", (await sweepStore(one, { clock })).expired, 0);
      await passes(1);
      same("sweep a moment later", (await sweepStore(one, { clock })).expired, 1);
    },
  ),
  example(
    "a sweep takes what expired strictly before, never what never expires (A65, A66, A74, A75)",
    async ({ one, store, clock, passes }) => {
      await store().set("soon", 1, SIX_HOURS);
      await store().set("never", 1, { retention: NEVER_EXPIRE });
      await store(taskInstance({ taskId: "other" })).set("later", 1);
      await new AssetStateStore(one, { name: "orders" }, { clock }).set("watermark", 1);
      await passes(6 * HOUR_MS);
      same("a sweep at the expiry", (await sweepStore(one, { clock })).expired, 0);
      await passes(1);
      same("a sweep after it", (await sweepStore(one, { clock })).expired, 1);
      await passes(4_000 * DAY_MS);
      same("a sweep after years", (await sweepStore(one, { clock })).expired, 1);
      same("what is left", await keysIn(one, TASK), ["never"]);
      same("the asset", await keysIn(one, { kind: "asset", name: "orders" }), ["watermark"]);
    },
  ),
  example("a sweep goes by the time that it is given and no other clock (E10)", async ({ one }) => {
    for (const expiresAt of [1, 1_000, 2_000, 250_000_000_000_000]) {
      await one.set(TASK, `at ${expiresAt}`, "1", { expiresAt });
    }
    same("a sweep of 1970", (await one.sweepExpired({ now: 1_000 })).expired, 1);
    same("what is left", await keysIn(one, TASK), ["at 1000", "at 2000", "at 250000000000000"]);
    same(
      "a sweep of the far future",
      (await one.sweepExpired({ now: 250_000_000_000_001 })).expired,
      3,
    );
  }),
  example("a sweep takes batch by batch (A67, A68)", async ({ one }) => {
    async function sweepOfFive(batchSize: number): Promise<{ expired: number; batches: number }> {
      for (let at = 0; at < 5; at += 1)
        await one.set(taskInstance({ mapIndex: at % 3 }), `k${at}`, "1", { expiresAt: 10 });
      const { expired, batches } = await one.sweepExpired({ now: 11, batchSize });
      return { expired, batches };
    }
    same("batches of 2", await sweepOfFive(2), { expired: 5, batches: 3 });
    same("one batch", await sweepOfFive(0), { expired: 5, batches: 1 });
    same("batches of 5", await sweepOfFive(5), { expired: 5, batches: 1 });
    same("nothing to sweep", await one.sweepExpired({ now: 11 }), {
      expired: 0,
      batches: 0,
      entries: [],
    });
  }),
  example(
    "a sweep that was stopped keeps what it did, and the next goes on (A69)",
    async ({ one }) => {
      for (let at = 0; at < 6; at += 1) await one.set(TASK, `k${at}`, "1", { expiresAt: 10 });
      const stopped = new AbortController();
      const reason = new Error("stop");
      stopped.abort(reason);
      let thrown: unknown;
      await one
        .sweepExpired({ now: 11, batchSize: 2, signal: stopped.signal })
        .catch((error: unknown) => {
          thrown = error;
        });
      same("the reason of the stop comes out as it went in", thrown === reason, true);
      same("what is left", (await keysIn(one, TASK)).length, 6);
      same("the next sweep", (await one.sweepExpired({ now: 11, batchSize: 2 })).expired, 6);
    },
  ),
  example("a dry run names what would go, and deletes nothing (A71)", async ({ one }) => {
    await one.set(TASK, "k1", "1", { expiresAt: 10 });
    await one.set(taskInstance({ mapIndex: 3 }), "k2", "1", { expiresAt: 9 });
    await one.set(TASK, "kept", "1", { expiresAt: 11 });
    const report = await one.sweepExpired({ now: 11, dryRun: true });
    const named = report.entries.toSorted((left, right) => left.expiresAt - right.expiresAt);
    same(
      "the report",
      { ...report, entries: named },
      {
        expired: 2,
        batches: 0,
        entries: [
          { scope: taskInstance({ mapIndex: 3 }), key: "k2", expiresAt: 9 },
          { scope: TASK, key: "k1", expiresAt: 10 },
        ],
      },
    );
    same("what is left", await keysIn(one, TASK), ["k1", "kept"]);
  }),
  example(
    "a key that is refreshed while a sweep runs survives it (A72, E9)",
    async ({ one, other }) => {
      for (let round = 0; round < 10; round += 1) {
        const keys = Array.from({ length: 12 }, (_, at) => `k${at}`);
        for (const key of keys) await one.set(TASK, key, '"old"', { expiresAt: 10 });
        const sweep = one.sweepExpired({ now: 11, batchSize: 1 + (round % 4) });
        for (const key of keys) await other.set(TASK, key, '"fresh"', { expiresAt: 99 });
        await sweep;
        for (const key of keys)
          same(`${key}, refreshed during the sweep`, (await one.get(TASK, key))?.value, '"fresh"');
        await one.clear(TASK);
      }
    },
  ),
  example(
    "a key that is refreshed at the instant of a sweep survives it (A72, E9)",
    async ({ one, other }) => {
      for (let round = 0; round < 20; round += 1) {
        await one.set(TASK, "k", '"old"', { expiresAt: 10 });
        await Promise.all([
          one.sweepExpired({ now: 11 }),
          other.set(TASK, "k", '"fresh"', { expiresAt: 99 }),
        ]);
        same("the key", (await one.get(TASK, "k"))?.value, '"fresh"');
      }
    },
  ),
  example("two sweeps at once take each entry once (F13)", async ({ one, other }) => {
    for (let at = 0; at < 40; at += 1)
      await one.set(TASK, `k${at}`, "1", { expiresAt: at < 30 ? 10 : 12 });
    const reports = await Promise.all(
      [one, other].map((by) => by.sweepExpired({ now: 11, batchSize: 4 })),
    );
    const rest = await one.sweepExpired({ now: 11 });
    const sum = reports.reduce((total, report) => total + report.expired, rest.expired);
    same("entries taken by both together", sum, 30);
    same("what is left", (await keysIn(one, TASK)).length, 10);
  }),
  example(
    "success clears that map index only, and no other outcome does (A76, A77, A80, A82, A83)",
    async ({ one, store, clock }) => {
      const [zero, first] = [taskInstance({ mapIndex: 0 }), taskInstance({ mapIndex: 1 })];
      const asset = new AssetStateStore(one, { name: "orders" }, { clock });
      await asset.set("watermark", 1);
      for (const scope of [zero, first]) await store(scope).set("k", 1);
      for (const state of ["failed", "skipped", "up_for_retry", "deferred"]) {
        await clearOnSuccess(one, zero, { state });
        same(`the key after ${state}`, await store(zero).get("k"), 1);
      }
      await clearOnSuccess(one, zero, { state: "success" });
      same("the key after success", await store(zero).get("k"), null);
      same("the key of another index", await store(first).get("k"), 1);
      same("the asset", await asset.get("watermark"), 1);
    },
  ),
  example(
    "clearing a task keeps its state, or discards it after the reset (A84, A85, A86)",
    async ({ one, store }) => {
      const scopes = [taskInstance({ mapIndex: 0 }), taskInstance({ mapIndex: 1 })];
      for (const scope of [...scopes, TASK]) await store(scope).set("k", 1);
      await clearTaskInstances(one, scopes, { reset: () => Promise.resolve() });
      same("the key, kept", await store(scopes[0]).get("k"), 1);
      const failed = clearTaskInstances(one, scopes, {
        keepTaskState: false,
        reset: () => Promise.reject(new Error("no")),
      });
      await failed.catch(() => undefined);
      same("the key after a reset that failed", await store(scopes[0]).get("k"), 1);
      await clearTaskInstances(one, scopes, {
        keepTaskState: false,
        reset: () => Promise.resolve(),
      });
      for (const scope of scopes) same("the key, discarded", await store(scope).get("k"), null);
      same("the key of a task that was not cleared", await store().get("k"), 1);
    },
  ),
];
