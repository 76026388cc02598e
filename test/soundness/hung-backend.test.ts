import { expect, test } from "vitest";
import { checkStateBackend } from "../../sim/check/backend/check-state-backend.ts";
import { MemoryStateBackend, type StoreScope } from "../../src/store/mod.ts";

const options = { numRuns: 2, callTimeoutMs: 20 };
const textLike = (expected: string | RegExp): unknown => expect.stringMatching(expected) as unknown;
const NEVER = new Promise<never>(() => undefined);

/** A backend whose `get` waits for what `wait` returns. */
function backendThat(wait: (call: number) => Promise<unknown>): () => MemoryStateBackend {
  let calls = 0;
  class Waiting extends MemoryStateBackend {
    override async get(scope: StoreScope, key: string): ReturnType<MemoryStateBackend["get"]> {
      await wait((calls += 1));
      return await super.get(scope, key);
    }
  }
  return () => new Waiting();
}

test("checkStateBackend() names the call that never settles, in the first sequences", async () => {
  await expect(
    checkStateBackend(
      backendThat(() => NEVER),
      options,
    ),
  ).rejects.toMatchObject({
    name: "StateBackendViolation",
    law: "every call settles",
    counterexample: textLike(
      /^get\(\{.*\}, "a"\) had not settled after 20 ms, in the first sequences of calls, which run twice, after createBackend\(\), list\(.*\)$/,
    ),
  });
});

test("checkStateBackend() names the law in which a call never settles", async () => {
  class Waiting extends MemoryStateBackend {
    override async get(scope: StoreScope, key: string): ReturnType<MemoryStateBackend["get"]> {
      if (key.length > 1) await NEVER;
      return await super.get(scope, key);
    }
  }
  await expect(checkStateBackend(() => new Waiting(), options)).rejects.toMatchObject({
    name: "StateBackendViolation",
    counterexample: textLike(/had not settled after 20 ms, in the law ".*"/),
  });
});

test("checkStateBackend() does not accuse a backend of a call that hung only once", async () => {
  const create = backendThat((call) => (call === 50 ? NEVER : Promise.resolve()));
  await expect(checkStateBackend(create, options)).rejects.toMatchObject({
    name: "NotDeterministic",
    first: [expect.stringContaining("had not settled")],
    second: ["holds"],
  });
});

test.each<[what: string, create: () => unknown]>([
  ["createBackend()", () => NEVER],
  ["close()", () => ({ clients: [new MemoryStateBackend()], close: () => NEVER })],
])("checkStateBackend() reports a %s that never settles", async (what, create) => {
  const check = checkStateBackend(create as () => MemoryStateBackend, options);
  await expect(check).rejects.toMatchObject({
    law: "every call settles",
    counterexample: expect.stringContaining(`${what} had not settled`) as unknown,
  });
});

test("checkStateBackend() closes the store of a call that hung before it tries again", async () => {
  const calls: string[] = [];
  class Waiting extends MemoryStateBackend {
    override get(): Promise<never> {
      calls.push("get");
      return NEVER;
    }
  }
  const create = () => {
    calls.push("create");
    return { clients: [new Waiting()] as const, close: async () => void calls.push("close") };
  };
  await expect(checkStateBackend(create, options)).rejects.toThrow("every call settles");
  expect(calls).toEqual(["create", "get", "close", "create", "get", "close"]);
});

test("checkStateBackend() does not count time in which the whole process stood still", async () => {
  const create = backendThat(async (call) => {
    if (call > 3) return;
    const waited = new Promise((resolve) => setTimeout(resolve, 0));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * options.callTimeoutMs);
    await waited;
  });
  await expect(checkStateBackend(create, options)).resolves.toMatchObject({ numRuns: 2 });
});

test("checkStateBackend() calls a query's then() once", async () => {
  let sent = 0;
  class Query extends MemoryStateBackend {
    override get(scope: StoreScope, key: string): ReturnType<MemoryStateBackend["get"]> {
      const result = super.get(scope, key);
      const query = new Proxy(result, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== "function") return member;
          return (...args: unknown[]): unknown => {
            if (name === "then") sent += 1;
            return Reflect.apply(member, target, args) as unknown;
          };
        },
      });
      got += 1;
      return query;
    }
  }
  let got = 0;
  await checkStateBackend(() => new Query(), options);
  expect(sent).toBe(got);
});

test("checkStateBackend() refuses a time limit that is none", async () => {
  const check = checkStateBackend(() => new MemoryStateBackend(), { callTimeoutMs: 0 });
  await expect(check).rejects.toThrow("Cannot wait 0 ms for a call: callTimeoutMs is from 1");
});
