import { expect, test } from "vitest";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";

test.for([
  ["", '""'],
  [undefined, "undefined"],
  [7, "7"],
] as const)("a store at %s is refused before anything is opened", ([path, shown]) => {
  expect(() => new SqliteStateBackend(path as string)).toThrow(
    new TypeError(`Cannot open a store at ${shown}: write the path of a file`),
  );
});

test("a store that is closed refuses calls, and closes twice", async () => {
  const backend = new SqliteStateBackend(":memory:");
  const scope = {
    kind: "task-instance",
    dagId: "d",
    runId: "r",
    taskId: "t",
    mapIndex: -1,
  } as const;
  expect(await backend.get(scope, "k")).toBeUndefined();
  await backend[Symbol.asyncDispose]();
  await backend[Symbol.asyncDispose]();
  await expect(backend.get(scope, "k")).rejects.toThrow("The database is closed");
});
