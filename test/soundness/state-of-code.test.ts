import { expect, test } from "vitest";
import { AddedMembers } from "../../sim/realm/added-members.ts";
import { contentOf } from "../../sim/realm/content-of.ts";

class Held {
  static calls = 0;
  readonly seen = new Map<string, readonly number[]>();
}

const CHANGES: readonly (readonly [name: string, value: object, change: () => void])[] = (() => {
  const held = new Held();
  const list = [1, 2];
  const bytes = new Uint8Array(4);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const set = new Set<object>();
  const date = new Date(0);
  const nested = { a: { b: { c: 1 } } };
  return [
    ["a map in an instance", held, () => held.seen.set("a", [1])],
    ["a static member", Held, () => (Held.calls += 1)],
    ["a list", list, () => list.push(3)],
    ["bytes", bytes, () => (bytes[3] = 1)],
    ["shared memory", shared, () => Atomics.add(shared, 0, 1)],
    ["a set of objects", set, () => set.add({})],
    ["a date", date, () => date.setTime(1)],
    ["a nested member", nested, () => (nested.a.b.c = 2)],
  ];
})();

test.each(CHANGES)("contentOf() changes with %s", (_name, value, change) => {
  const before = contentOf(value);
  expect(contentOf(value)).toBe(before);
  change();
  expect(contentOf(value)).not.toBe(before);
});

test("contentOf() calls no getter, and ends with what is circular, large or throws", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  circle["list"] = Array.from({ length: 9_000 }, () => ({}));
  Object.defineProperty(circle, "read", {
    enumerable: true,
    get: () => expect.unreachable("a getter was called"),
  });
  const throwing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("nobody may look");
      },
    },
  );
  expect(contentOf(circle).startsWith("{self: …; list: {0: {}; ")).toBe(true);
  expect(contentOf(circle).length).toBeLessThan(30_000);
  expect(contentOf([throwing])).toContain("unreadable");
});

test("contentOf() refers to nothing outside of itself", () => {
  // oxlint-disable-next-line typescript/no-implied-eval -- so the inspector evaluates it
  const again = new Function("value", `return (${contentOf.toString()})(value);`) as (
    value: unknown,
  ) => string;
  for (const [, value] of CHANGES) expect(again(value)).toBe(contentOf(value));
});

test("AddedMembers names what was added to globals and built-in objects, and removes it", () => {
  const added = new AddedMembers();
  const cache = new Map<string, number>();
  const holders = [globalThis, Array.prototype, Map, Math] as unknown as Record<string, unknown>[];
  for (const holder of holders) {
    Object.defineProperty(holder, "kept", { value: cache, configurable: true });
  }
  const names = ["globalThis.kept", "Array.prototype.kept", "Map.kept", "Math.kept"];
  const before = added.contents();
  expect([...before.keys()].filter((name) => name.endsWith(".kept")).toSorted()).toEqual(
    names.toSorted(),
  );
  cache.set("a", 1);
  const after = added.contents();
  for (const name of names) expect(after.get(name)).not.toBe(before.get(name));

  const putBack = added.forget();
  expect(Object.hasOwn(Map, "kept")).toBe(false);
  Object.defineProperty(Map, "since", { value: 1, configurable: true });
  putBack();
  expect(Object.hasOwn(Map, "since")).toBe(false);
  expect(added.contents().get("Map.kept")).toBe(after.get("Map.kept"));
  added.forget();
});
