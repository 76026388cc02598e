import { expect, test } from "vitest";
import { checkStateBackend } from "../../sim/check/backend/check-state-backend.ts";
import { MemoryStateBackend, type StoreScope } from "../../src/store/mod.ts";

const numRuns = 2;

function backendThat(act: () => void): () => MemoryStateBackend {
  class Odd extends MemoryStateBackend {
    override get(scope: StoreScope, key: string): ReturnType<MemoryStateBackend["get"]> {
      act();
      return super.get(scope, key);
    }
  }
  return () => new Odd();
}

function fail(): never {
  throw new RangeError("boom");
}

test.each<[what: string, act: () => void, error: string]>([
  ["a timer", () => void setTimeout(fail, 1), "RangeError: boom"],
  ["a microtask", () => queueMicrotask(fail), "RangeError: boom"],
  ["a rejection", () => void Promise.reject(new RangeError("boom")), "RangeError: boom"],
  ["process.exit", () => process.exit(0), "ProcessExited: the code called process.exit(0)"],
])("checkStateBackend() reports an exception that nobody catches in %s", async (_, act, error) => {
  await expect(checkStateBackend(backendThat(act), { numRuns })).rejects.toMatchObject({
    name: "StateBackendViolation",
    counterexample: `it threw ${error}, which nobody caught`,
  });
});

test("checkStateBackend() does not accuse a backend of an exception that does not come again", async () => {
  let calls = 0;
  const once = (): void => {
    calls += 1;
    if (calls === 50) queueMicrotask(fail);
  };
  await expect(checkStateBackend(backendThat(once), { numRuns })).rejects.toMatchObject({
    name: "NotDeterministic",
    first: ["it threw RangeError: boom, which nobody caught"],
    second: ["holds"],
  });
});
