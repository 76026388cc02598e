import { expect, test } from "vitest";
import { watchAsyncResources } from "../../src/platform/mod.ts";

test("a runtime that reports resources has each told when it is created and when it is done", () => {
  const types = new Map<number, string>();
  const done = new Set<number>();
  const watch = watchAsyncResources({
    created: (type, id) => void types.set(id, type),
    done: (id) => void done.add(id),
  });
  expect(watch).toBeDefined();
  clearTimeout(setTimeout(() => undefined, 60_000));
  expect(types.size).toBe(0);
  watch?.enable();
  const timer = setTimeout(() => undefined, 60_000);
  void Promise.resolve();
  watch?.disable();
  clearTimeout(timer);
  clearTimeout(setTimeout(() => undefined, 60_000));
  expect([...types.values()]).toEqual(["Timeout"]);
  expect(done.size).toBe(0);
});

test("a resource is done after its callback", async () => {
  const types = new Map<number, string>();
  const done: (string | undefined)[] = [];
  const watch = watchAsyncResources({
    created: (type, id) => void types.set(id, type),
    done: (id) => void done.push(types.get(id)),
  });
  watch?.enable();
  await new Promise<void>((resolve) => {
    setImmediate(() => resolve());
  });
  watch?.disable();
  expect(done).toContain("Immediate");
});
