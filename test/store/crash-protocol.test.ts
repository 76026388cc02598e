import { expect, test } from "vitest";
import { MemoryStateBackend } from "../../src/store/mod.ts";
import { batchKeys, findingsAfterKill, keyOf, numberedValue, scopeOf } from "./crash-protocol.ts";

const NEVER = { expiresAt: null } as const;

/** Returns a correct store to which every number up to `last` was written. */
async function writtenUpTo(last: number): Promise<MemoryStateBackend> {
  const backend = new MemoryStateBackend();
  for (let n = 0; n <= last; n += 1) {
    const text = JSON.stringify(numberedValue(n));
    for (const key of n % 5 === 0 ? batchKeys : [keyOf(n)])
      await backend.set(scopeOf("w"), key, text, NEVER);
  }
  return backend;
}

test("the check of the crash tests finds each kind of loss", async () => {
  const backend = await writtenUpTo(103);
  expect(await findingsAfterKill(backend, "w", 103)).toEqual([]);
  expect(await findingsAfterKill(backend, "w", 104)).toEqual([
    "k4 lost acknowledged write 104: it holds 84",
  ]);
  await backend.set(
    scopeOf("w"),
    "k3",
    JSON.stringify(numberedValue(103)).replace("xx", ""),
    NEVER,
  );
  await backend.set(scopeOf("w"), "batch-1", JSON.stringify(numberedValue(105)), NEVER);
  expect(await findingsAfterKill(backend, "w", 103)).toEqual([
    "k3 is half written",
    "a batch is half written: 100, 105",
  ]);
});
