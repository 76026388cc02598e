import { expect, test } from "vitest";
import { scopeAddressFrom } from "../../src/store/mod.ts";

test("the address of a scope is kept for one that cannot change, and only then", () => {
  const parts = { kind: "task", dagId: "etl", taskId: "load" } as const;
  const frozen = Object.freeze({ ...parts });
  expect(scopeAddressFrom(frozen)).toBe(scopeAddressFrom(frozen));
  const open: { kind: "task"; dagId: string; taskId: string } = { ...parts };
  const before = scopeAddressFrom(open);
  open.taskId = "store";
  expect(scopeAddressFrom(open)).not.toEqual(before);
  expect(scopeAddressFrom(frozen)).toEqual(before);
});
