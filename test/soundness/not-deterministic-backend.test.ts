import { expect, test } from "vitest";
import {
  checkStateBackend,
  type CreateStateBackend,
} from "../../sim/check/backend/check-state-backend.ts";
import { MemoryStateBackend, type StateEntry, type StoreScope } from "../../src/store/mod.ts";

const numRuns = 20;

test("checkStateBackend() does not judge backends that share one store", async () => {
  const shared = new MemoryStateBackend();
  const check = checkStateBackend(() => shared, { numRuns });
  await expect(check).rejects.toMatchObject({
    name: "NotDeterministic",
    subject: "state backend",
    likely: "state-outlives-run",
  });
  await expect(check).rejects.toThrow(
    /^Cannot judge the state backend: two runs from seed 1 differ at call \d+: .*; create it in createBackend\n/,
  );
});

test("checkStateBackend() does not judge a backend with a cache of the module", async () => {
  const cache = new Map<string, StateEntry>();
  class Cached extends MemoryStateBackend {
    override async get(scope: StoreScope, key: string) {
      const found = await super.get(scope, key);
      const place = JSON.stringify([scope, key]);
      if (found !== undefined) cache.set(place, found);
      return found ?? cache.get(place);
    }

    override async delete(scope: StoreScope, key: string) {
      cache.delete(JSON.stringify([scope, key]));
      await super.delete(scope, key);
    }

    override async clear(...args: Parameters<MemoryStateBackend["clear"]>) {
      const [{ kind }] = args;
      for (const place of cache.keys()) if (place.includes(kind)) cache.delete(place);
      await super.clear(...args);
    }
  }
  const check = checkStateBackend(() => new Cached(), { numRuns });
  await expect(check).rejects.toMatchObject({
    name: "NotDeterministic",
    likely: "state-outlives-run",
  });
});

test("checkStateBackend() does not accuse a backend of what does not come again", async () => {
  let clears = 0;
  class Forgetful extends MemoryStateBackend {
    override async clear(...args: Parameters<MemoryStateBackend["clear"]>) {
      clears += 1;
      if (clears !== 40) await super.clear(...args);
    }
  }
  const check = checkStateBackend(() => new Forgetful(), { numRuns: 100 });
  await expect(check).rejects.toMatchObject({
    name: "NotDeterministic",
    first: [expect.stringContaining("is")],
    second: ["holds"],
    likely: "unknown",
  });
});

test("checkStateBackend() reports the law that a backend breaks now and then", async () => {
  let calls = 0;
  class Unordered extends MemoryStateBackend {
    override async list(...args: Parameters<MemoryStateBackend["list"]>) {
      const page = await super.list(...args);
      calls += 1;
      return calls % 3 === 0 ? { ...page, entries: page.entries.toReversed() } : page;
    }
  }
  const check = checkStateBackend(() => new Unordered(), { numRuns: 100 });
  await expect(check).rejects.toMatchObject({ name: "StateBackendViolation" });
});

test.each<[name: string, create: () => CreateStateBackend]>([
  [
    "a cache that only saves time",
    () => {
      const seen = new Map<string, string>();
      const keyOf = (scope: StoreScope): string => {
        const text = JSON.stringify(scope);
        return seen.get(text) ?? seen.set(text, text).get(text) ?? text;
      };
      class Cached extends MemoryStateBackend {
        override get(scope: StoreScope, key: string) {
          keyOf(scope);
          return super.get(scope, key);
        }
      }
      return () => new Cached();
    },
  ],
])("checkStateBackend() judges a backend with %s", async (_name, create) => {
  await expect(checkStateBackend(create(), { numRuns })).resolves.toMatchObject({ numRuns });
});
