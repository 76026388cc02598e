import type { StateEntry, StoreScope } from "../../../src/store/mod.ts";
import {
  example,
  inWords,
  keysIn,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

const NEVER = { expiresAt: null } as const;

/** Each but the first says more, less or something else than a pattern of a database would. */
const LIKE_PATTERNS = ["a_c", "abc", "a%c", "axyzc", "a*c", "a?c", "a[b]c", "a.c", "a_"];
/** More than fit a page, a batch or a list of parameters that somebody thought large enough. */
const MANY = 300;
const LARGE = 5_000;
/**
 * By which stores mark what they keep elsewhere, and formats what is no plain JSON. A value with
 * such a member is a user's all the same.
 */
const MARKERS = [
  ...["$ref", "ref", "__ref__", "_ref", "@ref", "$reference", "reference", "pointer", "$pointer"],
  ...["$blob", "blob", "blobId", "blob_id", "__blob__", "href", "link", "$link", "url", "uri"],
  ...["path", "file", "key", "id", "s3", "s3Key", "s3_key", "bucket", "external", "$external"],
  ...["offloaded", "__offloaded__", "payload", "payloadRef", "payload_ref", "$payload", "chunks"],
  ...["__chunks__", "parts", "compressed", "__compressed__", "gzip", "encrypted", "ciphertext"],
  ...["$date", "$oid", "$binary", "$numberLong", "$type", "__type", "__type__", "__class__"],
  ...["__classname__", "__data__", "__var", "__version__", "__json__", "toJSON", "value", "data"],
] as const;
/** The same as texts, and what a reader may take for something else than a text. */
const MARKED_TEXTS = [
  ...["ref:1", "ref-1", "blob:1", "blob-1", "@1", "#1", "$1", "&1", "*1", "->1", "s3://b/k"],
  ...["gs://b/k", "file:///k", "xcom://k", "data:;base64,AAAA", "gzip:AAAA", "H4sIAAAAAAAA"],
  ...["null", "undefined", "NaN", "true", "1", "{}", "[]", '{"$ref":"1"}', "__undefined__"],
  ...["2026-01-01T00:00:00.000Z", "2026-01-01"],
] as const;
/** How often an update and a delete meet. */
const ROUNDS = 4;

/** Scopes that differ in one part each, and have the same key. */
const SCOPES: readonly StoreScope[] = [
  { kind: "asset", name: "orders" },
  { kind: "asset", uri: "orders" },
  { kind: "asset", name: "orders", uri: "s3://one" },
  { kind: "asset", name: "orders", uri: "s3://other" },
  { kind: "asset", name: "clicks", uri: "s3://one" },
  { kind: "process", namespace: "one", processName: "load" },
  { kind: "process", namespace: "other", processName: "load" },
  { kind: "process", namespace: "one", processName: "store" },
  { kind: "task", dagId: "one", taskId: "load" },
  { kind: "task", dagId: "other", taskId: "load" },
];

function byNumber(left: unknown, right: unknown): number {
  return Number(left) - Number(right);
}

/** What is taken by one name, one number or one moment, and neither more nor less. */
export const EXACT_LAWS: readonly StateBackendLaw[] = [
  example("a scope is what it says at a call, whatever it said before", async ({ one }) => {
    const scope = { ...TASK, mapIndex: 3 };
    await one.set(scope, "k", "3", NEVER);
    scope.mapIndex = 4;
    same("what is found in the scope of another index", await one.get(scope, "k"), undefined);
    await one.set(scope, "k", "4", NEVER);
    for (const mapIndex of [3, 4]) {
      const what = `the value of map index ${mapIndex}`;
      same(what, (await one.get(taskInstance({ mapIndex }), "k"))?.value, String(mapIndex));
    }
  }),
  example("delete() takes a key for what it is, and not for a pattern", async ({ one }) => {
    for (const pattern of LIKE_PATTERNS) {
      for (const key of LIKE_PATTERNS) await one.set(TASK, key, "1", NEVER);
      await one.delete(TASK, pattern);
      const left = (await keysIn(one, TASK)).length;
      same(`the number of keys without ${inWords(pattern)}`, left, LIKE_PATTERNS.length - 1);
      same(`the entry of ${inWords(pattern)}`, await one.get(TASK, pattern), undefined);
    }
  }),
  example("each part of a scope counts (A56, D1, D9)", async ({ one }) => {
    for (const [at, scope] of SCOPES.entries()) await one.set(scope, "k", String(at), NEVER);
    for (const [at, scope] of SCOPES.entries()) {
      same(`the value in ${inWords(scope)}`, (await one.get(scope, "k"))?.value, String(at));
    }
    for (const [at, scope] of SCOPES.entries()) {
      await one.clear(scope);
      const rest = SCOPES.slice(at + 1);
      for (const other of rest) {
        const what = `the number of keys in ${inWords(other)} after a clear of ${inWords(scope)}`;
        same(what, (await keysIn(one, other)).length, 1);
      }
    }
  }),
  example("no value is taken for a reference, a date or anything but itself", async (bench) => {
    const { one } = bench;
    // Where large values are kept elsewhere, there is something now that can be referred to.
    await one.set(TASK, "large", JSON.stringify("x".repeat(LARGE)), NEVER);
    const objects = MARKERS.map((marker, at) => ({ [marker]: at % 2 === 0 ? "1" : 1 }));
    const whole = Object.fromEntries(MARKERS.map((marker) => [marker, "1"]));
    for (const [at, value] of [...objects, whole, ...MARKED_TEXTS].entries()) {
      const text = JSON.stringify(value);
      await one.set(TASK, `key-${at}`, text, NEVER);
      same("the value", (await one.get(TASK, `key-${at}`))?.value, text);
    }
  }),
  example("getMany() returns what get() does, each once, ordered by key", async ({ one }) => {
    if (one.getMany === undefined) return;
    const keys = Array.from({ length: MANY }, (_, at) => `key-${String(at).padStart(3, "0")}`);
    for (const [at, key] of keys.entries()) {
      await one.set(TASK, key, String(at), { expiresAt: at % 2 === 0 ? null : at });
    }
    const expected: (StateEntry | undefined)[] = [];
    for (const key of keys) expected.push(await one.get(TASK, key));
    const asked = ["none", ...keys.toReversed(), "key-007", "key-008"];
    const found = await one.getMany(TASK, asked);
    same("the number of entries", found.length, MANY);
    same("the entries", found, expected);
    same("the entries of no key", await one.getMany(TASK, []), []);
  }),
  example("listScopes() counts the entries of each scope, expired or not", async ({ one }) => {
    if (one.listScopes === undefined) return;
    const counts = [1, 2, 3, 7, 40];
    for (const [mapIndex, count] of counts.entries()) {
      for (let at = 0; at < count; at += 1) {
        const expiresAt = at % 2 === 0 ? null : at;
        await one.set(taskInstance({ mapIndex }), `key-${at}`, "1", { expiresAt });
      }
    }
    const { scopes, total } = await one.listScopes({ limit: 10, offset: 0 });
    const found = scopes.map(({ entries }) => entries);
    same("the counts", { total, found }, { total: counts.length, found: counts });
  }),
  example("listScopes() pages over all scopes, and counts them on each page", async ({ one }) => {
    if (one.listScopes === undefined) return;
    const indices = [-1, 0, 1, 2, 10, 11, 100];
    for (const mapIndex of indices) await one.set(taskInstance({ mapIndex }), "k", "1", NEVER);
    const found: unknown[] = [];
    for (let offset = 0; offset < indices.length; offset += 2) {
      const { scopes, total } = await one.listScopes({ limit: 2, offset });
      same(`the number on the page from ${offset} on`, total, indices.length);
      found.push(...scopes.map(({ scope }) => ("mapIndex" in scope ? scope.mapIndex : scope.kind)));
    }
    same("the map indices, on all pages", found.toSorted(byNumber), indices);
  }),
  example("a write that does not say when leaves no earlier time", async ({ one }) => {
    const dated = { expiresAt: null, updatedAt: 5 };
    await one.set(TASK, "k", "1", dated);
    await one.set(TASK, "k", "2", NEVER);
    same("the time after a set", (await one.get(TASK, "k"))?.updatedAt, null);
    await one.set(TASK, "k", "3", dated);
    await one.update?.(TASK, "k", "4", {});
    const updated = one.update === undefined ? 5 : null;
    same("the time after an update", (await one.get(TASK, "k"))?.updatedAt, updated);
    await one.setMany?.(TASK, [["k", "5"]], NEVER);
    const written = one.setMany === undefined ? updated : null;
    same("the time after a setMany", (await one.get(TASK, "k"))?.updatedAt, written);
  }),
  example("an expiry at the first instant of all is one", async ({ one }) => {
    await one.set(TASK, "k", "1", { expiresAt: 0 });
    same("the expiry", (await one.get(TASK, "k"))?.expiresAt, 0);
    same("a sweep a millisecond later", (await one.sweepExpired({ now: 1 })).expired, 1);
  }),
  example("update() brings nothing back that is deleted meanwhile (A46)", async (bench) => {
    const { one, other } = bench;
    if (one.update === undefined) return;
    for (let round = 0; round < ROUNDS; round += 1) {
      await one.set(TASK, "k", "1", NEVER);
      // Whichever of the two takes effect first, nothing is left.
      const update = async (): Promise<unknown> => one.update?.(TASK, "k", "2", {});
      const take = (): Promise<void> =>
        round < ROUNDS / 2 ? other.delete(TASK, "k") : other.clear(TASK);
      await Promise.all(round % 2 === 0 ? [update(), take()] : [take(), update()]);
      same("the entry after an update and a delete", await one.get(TASK, "k"), undefined);
    }
  }),
];
