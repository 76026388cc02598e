import { DRY_RUN_ENTRIES_MAX, EXPIRES_AT_MAX_MS, type StoreScope } from "../../../src/store/mod.ts";
import {
  essence,
  example,
  inWords,
  keysIn,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

const NEVER = { expiresAt: null } as const;

/** Past and future, with odd milliseconds, on both sides of what fits 31 or 32 bits of seconds. */
const EXPIRIES = [
  ...[1, 1_001, 2_147_483_647_999, 2_147_483_648_001, 4_294_967_296_001],
  EXPIRES_AT_MAX_MS,
];
/** On both sides of what a column of one, two or three bytes holds, to the largest one. */
const MAP_INDICES = [
  ...[-1, 0, 1, 11, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536],
  ...[8_388_608, 2_147_483_647],
];
/** Lengths that a store may think too large for its table. */
const LENGTHS = [400, 5_000, 65_000];
/** The longest names and URIs that Airflow's database has room for. */
const NAME_CHARS_MAX = 250;
const URI_CHARS_MAX = 1_500;
/** More than fit a page of a list that somebody thought large enough. */
const MANY = 300;
const PAGE = 70;
/** Each but the first says more, or something else, than a pattern of a database would. */
const NAMES = ["a_c", "abc", "a%c", "axyzc", "a*c", "a?c", "a.c", "A_C"];

/** Values of which each replaces the one before as a whole. */
const WHOLES = ['{"a":1,"b":2}', '{"b":3}', "[1,2,3]", "[4]", '{"c":{"d":1}}', '{"c":{"e":2}}'];

/** What holds to the end of a range: of times, indices, sizes and names. */
export const REACH_LAWS: readonly StateBackendLaw[] = [
  example("an expiry comes back to the millisecond, up to the year 9999", async ({ one }) => {
    for (const expiresAt of EXPIRIES) {
      await one.set(TASK, "k", "1", { expiresAt });
      same("the expiry", (await one.get(TASK, "k"))?.expiresAt, expiresAt);
    }
  }),
  example("map indices differ up to the largest, whatever the key", async ({ one }) => {
    const keys = ["k", "1", "1k", "1:k"];
    const valueOf = (mapIndex: number, key: string): string => inWords(`${mapIndex} ${key}`);
    for (const mapIndex of MAP_INDICES) {
      const scope = taskInstance({ mapIndex });
      for (const key of keys) await one.set(scope, key, valueOf(mapIndex, key), NEVER);
    }
    for (const mapIndex of MAP_INDICES) {
      const scope = taskInstance({ mapIndex });
      for (const key of keys) {
        const what = `${inWords(key)} of map index ${mapIndex}`;
        same(what, (await one.get(scope, key))?.value, valueOf(mapIndex, key));
      }
    }
    for (const [nth, mapIndex] of MAP_INDICES.entries()) {
      await one.clear(taskInstance({ mapIndex }));
      for (const [at, left] of MAP_INDICES.entries()) {
        const what = `the number of keys of map index ${left} after a clear of ${mapIndex}`;
        const found = await keysIn(one, taskInstance({ mapIndex: left }));
        same(what, found.length, at > nth ? keys.length : 0);
      }
    }
  }),
  example("a set() replaces the value and the writer, and merges neither", async ({ one }) => {
    const task = { kind: "task", dagId: "d", runId: "r", taskId: "t", mapIndex: 0 } as const;
    const writers = [task, { kind: "watcher" } as const];
    for (const [at, value] of WHOLES.entries()) {
      const writer = writers[at % 2] as (typeof writers)[number];
      await one.set(TASK, "k", value, { ...NEVER, writer });
      const found = await one.get(TASK, "k");
      same("the value", found?.value, value);
      same("the writer", found?.writer, writer);
    }
  }),
  example("each large value is its key's and its scope's alone", async ({ one }) => {
    const [left, right] = [taskInstance({ mapIndex: 0 }), taskInstance({ runId: "r2" })];
    const sibling = taskInstance({ mapIndex: 1 });
    for (const length of LENGTHS) {
      const [first, second] = [textOf("a", length), textOf("b", length)];
      await one.set(left, "k", first, NEVER);
      await one.set(right, "k", second, NEVER);
      for (const key of ["twin", "other twin"]) await one.set(left, key, first, NEVER);
      const values = async (): Promise<unknown[]> => {
        const found = [await one.get(left, "k"), await one.get(right, "k")];
        found.push(await one.get(left, "other twin"));
        return found.map((entry) => entry?.value?.[1]);
      };
      same(`the letter of each value of ${length}`, await values(), ["a", "b", "a"]);
      await one.delete(left, "twin");
      same("the letters after a delete of the same value", await values(), ["a", "b", "a"]);
      await one.clear(right);
      same("the letters after a clear of another scope", await values(), ["a", undefined, "a"]);
      await one.set(sibling, "k", second, NEVER);
      await one.clear(sibling);
      same("the letters after a clear of another index", await values(), ["a", undefined, "a"]);
      await one.set(left, "k", "1", NEVER);
      same("the letter after another has shrunk", (await values())[2], "a");
      await one.clear(left);
    }
  }),
  example("scopes differ by a single character, however long they are", async ({ one }) => {
    const scopes = ["a", "b"].flatMap((letter) => longScopesOf(letter));
    for (const [at, scope] of scopes.entries()) await one.set(scope, "k", String(at), NEVER);
    for (const [at, scope] of scopes.entries()) {
      const what = `the value in the scope ${at} of ${scopes.length}, ${inWords(scope)}`;
      same(what, (await one.get(scope, "k"))?.value, String(at));
    }
  }),
  example("list() returns as many as it is asked for, and each on one page", async ({ one }) => {
    const keys = Array.from({ length: MANY }, (_, at) => `key-${String(at).padStart(3, "0")}`);
    for (const key of keys) await one.set(TASK, key, "1", NEVER);
    same("the number of keys on one page", (await keysIn(one, TASK)).length, MANY);
    const paged: string[] = [];
    for (let offset = 0; offset < MANY; offset += PAGE) {
      const { entries } = await one.list(TASK, { limit: PAGE, offset });
      paged.push(...entries.map(({ key }) => key));
    }
    same("the number of keys on all pages", paged.length, MANY);
    same("the keys on all pages", paged, keys);
  }),
  example("clear() takes a scope for what it is, and not for a pattern", async ({ one }) => {
    const scopesOf: readonly ((name: string) => StoreScope)[] = [
      (dagId) => taskInstance({ dagId }),
      (runId) => taskInstance({ runId }),
      (taskId) => taskInstance({ taskId }),
      (name) => ({ kind: "asset", name }),
    ];
    const options = [{}, { allMapIndices: true }];
    for (const [at, scopeOf] of scopesOf.entries()) {
      for (const name of NAMES) await one.set(scopeOf(name), "k", "1", NEVER);
      for (const [nth, name] of NAMES.entries()) {
        await one.clear(scopeOf(name), options[(at + nth) % 2]);
        for (const [other, left] of NAMES.entries()) {
          const what = `the number of keys in ${inWords(scopeOf(left))} after a clear of ${inWords(scopeOf(name))}`;
          same(what, (await keysIn(one, scopeOf(left))).length, other > nth ? 1 : 0);
        }
      }
    }
  }),
  example("listScopes() names scopes of every kind", async ({ one }) => {
    if (one.listScopes === undefined) return;
    const scopes: readonly StoreScope[] = [
      { kind: "asset", name: "orders" },
      { kind: "asset", uri: "orders" },
      { kind: "process", namespace: "etl", processName: "load" },
      { kind: "task", dagId: "etl", taskId: "load" },
      TASK,
    ];
    for (const scope of scopes) await one.set(scope, "k", "1", NEVER);
    const page = await one.listScopes({ limit: 10, offset: 0 });
    const kindsOf = (found: readonly StoreScope[]): string[] =>
      found.map(({ kind }) => kind).toSorted();
    same("the kinds", kindsOf(page.scopes.map(({ scope }) => scope)), kindsOf(scopes));
    same("their number", page.total, scopes.length);
  }),
  example("compareAndSet() compares with what is there, expired or not", async ({ one }) => {
    if (one.compareAndSet === undefined) return;
    const now = { expiresAt: null, updatedAt: 2_000 };
    const past = { expiresAt: 10, updatedAt: 5 };
    // A store may compare only what compareAndSet has written.
    await one.compareAndSet(TASK, "k", { expected: null, value: "1" }, past);
    const asIfGone = await one.compareAndSet(TASK, "k", { expected: null, value: "2" }, now);
    same("where none was expected and one has expired", asIfGone, false);
    const asItIs = await one.compareAndSet(TASK, "k", { expected: "1", value: "3" }, now);
    same("where the expired one was expected", asItIs, true);
    same("the entry", essence(await one.get(TASK, "k")), { value: "3", expiresAt: null });
  }),
  example("a dry run counts all, and names the first thousand", async ({ one }) => {
    if (one.setMany === undefined) return;
    const count = DRY_RUN_ENTRIES_MAX + 3;
    for (const mapIndex of [0, 1, 2]) {
      const keys = Array.from({ length: Math.ceil(count / 3) }, (_, at) => `k${at}`);
      const entries = keys.map((key) => [key, "1"] as const);
      await one.setMany(taskInstance({ mapIndex }), entries, { expiresAt: 10 });
    }
    const { expired, entries } = await one.sweepExpired({ now: 11, dryRun: true, batchSize: 2 });
    same("how many it counts", expired, 3 * Math.ceil(count / 3));
    same("how many it names", entries.length, DRY_RUN_ENTRIES_MAX);
  }),
];

/** Returns scopes of the longest names, with `letter` as the last or the first character of one. */
function longScopesOf(letter: string): readonly StoreScope[] {
  const rest = "x".repeat(NAME_CHARS_MAX - 1);
  const [ends, begins] = [`${rest}${letter}`, `${letter}${rest}`];
  const all = { dagId: `${rest}x`, runId: `${rest}x`, taskId: `${rest}x` };
  return [
    ...(["dagId", "runId", "taskId"] as const).flatMap((part) => [
      taskInstance({ ...all, [part]: ends }),
      taskInstance({ ...all, [part]: begins }),
    ]),
    { kind: "asset", name: "long", uri: `${"u".repeat(URI_CHARS_MAX - 1)}${letter}` },
  ];
}

/** A JSON text of `length` characters. */
function textOf(letter: string, length: number): string {
  return `"${letter.repeat(length - 2)}"`;
}
