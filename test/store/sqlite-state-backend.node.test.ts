import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";
import type { StoreScope } from "../../src/store/mod.ts";

const SCOPE: StoreScope = {
  kind: "task-instance",
  dagId: "d",
  runId: "r",
  taskId: "t",
  mapIndex: -1,
};

/** A backend with an entry in a file of its own, and another connection to that file. */
class SharedFile implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "faultlane-sqlite-"));
  readonly backend: SqliteStateBackend;
  readonly other: DatabaseSync;

  static async open(): Promise<SharedFile> {
    const file = new SharedFile();
    await file.backend.set(SCOPE, "k", "1", { expiresAt: null });
    return file;
  }

  constructor() {
    const path = join(this.#folder, "store.db");
    this.backend = new SqliteStateBackend(path);
    this.other = new DatabaseSync(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.other.close();
    await this.backend[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }
}

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
  expect(await backend.get(SCOPE, "k")).toBeUndefined();
  await backend[Symbol.asyncDispose]();
  await backend[Symbol.asyncDispose]();
  await expect(backend.get(SCOPE, "k")).rejects.toThrow("The database is closed");
});

test("a store that is closed while a call waits for the database refuses the call", async () => {
  await using file = await SharedFile.open();
  file.other.exec("BEGIN IMMEDIATE");
  const write = file.backend.set(SCOPE, "k", "2", { expiresAt: null });
  const refusal = write.then(() => "written", String);
  await file.backend[Symbol.asyncDispose]();
  file.other.exec("COMMIT");
  expect(await refusal).toBe("Error: The database is closed");
});

test("what is indexed is short, however long scopes and keys are", async () => {
  await using file = await SharedFile.open();
  const long = "x".repeat(5_000);
  const scope: StoreScope = { ...SCOPE, dagId: long };
  await file.backend.set(scope, "y".repeat(200), "1", { expiresAt: null });
  expect((await file.backend.get(scope, "y".repeat(200)))?.value).toBe("1");
  const indexes = file.other.prepare("PRAGMA index_list(faultlane_state)").all();
  const columns = indexes.flatMap(({ name }) =>
    file.other.prepare(`PRAGMA index_info("${String(name)}")`).all(),
  );
  expect(columns.length).toBeGreaterThan(0);
  for (const { name } of columns) {
    const { longest } = file.other
      .prepare(
        `SELECT max(length(coalesce("${String(name)}", ''))) AS longest FROM faultlane_state`,
      )
      .get() as { longest: number };
    expect(longest).toBeLessThanOrEqual(600);
  }
});
