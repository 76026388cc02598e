import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { SqliteDriver, type SqliteOptions } from "../../src/platform/sqlite-driver.ts";

/** Runs `use` with drivers of one file, and with another connection to it. */
async function withFile(
  use: (driverWith: (options: SqliteOptions) => SqliteDriver, path: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "faultlane-sqlite-"));
  const drivers: SqliteDriver[] = [];
  const path = join(folder, "store.db");
  try {
    await use((options) => {
      drivers.push(new SqliteDriver(path, options));
      return drivers.at(-1) as SqliteDriver;
    }, path);
  } finally {
    for (const driver of drivers) await driver.close();
    rmSync(folder, { recursive: true });
  }
}

test.for([
  [{}, 2],
  [{ synchronous: "full" }, 2],
  [{ synchronous: "normal" }, 1],
] as const)("what a write survives is asked of SQLite: %j", async ([options, level]) => {
  await withFile(async (driverWith) => {
    const rows = await driverWith(options).rows({ name: "s", text: "PRAGMA synchronous" }, []);
    expect(rows).toEqual([{ synchronous: level }]);
  });
});

test("what is neither does not mean the weaker of the two", () => {
  const shouted = { synchronous: "FULL" } as unknown as SqliteOptions;
  expect(() => new SqliteDriver(":memory:", shouted)).toThrow(
    new TypeError('Cannot use FULL as synchronous: write "full" or "normal"'),
  );
});

test("a store that is up to date opens while somebody writes", async () => {
  await withFile(async (driverWith, path) => {
    await driverWith({}).migrate();
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const rows = await driverWith({ busyTimeoutMs: 0 }).rows({ name: "one", text: "SELECT 1" }, []);
    expect(rows).toEqual([{ "1": 1 }]);
  });
});

test("a store that has no tables yet waits for the writer, and says so when it waits in vain", async () => {
  await withFile(async (driverWith, path) => {
    using other = new DatabaseSync(path);
    other.exec("PRAGMA journal_mode = WAL");
    other.exec("BEGIN IMMEDIATE");
    await expect(driverWith({ busyTimeoutMs: 0 }).migrate()).rejects.toThrow("database is locked");
    const driver = driverWith({});
    const migrated = driver.migrate();
    other.exec("COMMIT");
    await migrated;
    expect(await driver.rows({ name: "one", text: "SELECT 1" }, [])).toEqual([{ "1": 1 }]);
  });
});

test("a migration that fails leaves nothing behind, and the next call tries again", async () => {
  await withFile(async (driverWith, path) => {
    using other = new DatabaseSync(path);
    other.exec("CREATE TABLE faultlane_state (mine TEXT)");
    const driver = driverWith({});
    await expect(driver.migrate()).rejects.toThrow("already exists");
    const tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
    expect(other.prepare(tables).all()).toEqual([{ name: "faultlane_state" }]);
    other.exec("DROP TABLE faultlane_state");
    await driver.migrate();
    const rows = await driver.rows({ name: "all", text: "SELECT * FROM faultlane_state" }, []);
    expect(rows).toEqual([]);
  });
});

test("a store that is closed while it opens lets go of its file", async () => {
  await withFile(async (driverWith, path) => {
    const driver = driverWith({});
    const migrated = driver.migrate();
    await driver.close();
    await migrated.catch(() => undefined);
    // With the last connection SQLite takes the log away.
    expect(existsSync(`${path}-wal`)).toBe(false);
    await expect(driver.migrate()).rejects.toThrow("The database is closed");
  });
});

test("a store that is closed while it cannot be opened stays closed", async () => {
  await withFile(async (driverWith, path) => {
    using other = new DatabaseSync(path);
    other.exec("PRAGMA journal_mode = WAL");
    other.exec("BEGIN IMMEDIATE");
    const driver = driverWith({ busyTimeoutMs: 0 });
    const migrated = driver.migrate();
    await driver.close();
    await expect(migrated).rejects.toThrow("database is locked");
    other.exec("COMMIT");
    await expect(driver.migrate()).rejects.toThrow("The database is closed");
  });
});

test("a store that cannot be opened lets go of its file each time", async () => {
  await withFile(async (driverWith, path) => {
    using other = new DatabaseSync(path);
    other.exec("PRAGMA journal_mode = WAL");
    other.exec("CREATE TABLE faultlane_state (mine TEXT)");
    const driver = driverWith({ busyTimeoutMs: 0 });
    await expect(driver.migrate()).rejects.toThrow("already exists");
    other.close();
    // With the last connection SQLite takes the log away.
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});

test.each([0, 10_000])(
  "a statement that writes waits for the writer for so many milliseconds at most: %i",
  async (busyTimeoutMs) => {
    await withFile(async (driverWith, path) => {
      const driver = driverWith({ busyTimeoutMs });
      await driver.migrate();
      using other = new DatabaseSync(path);
      other.exec("CREATE TABLE seen (n INTEGER)");
      const insert = "INSERT INTO seen VALUES (1)";
      const ask = (): Promise<unknown>[] => [
        driver.rows({ name: "rows", text: `${insert} RETURNING n` }, []),
        driver.changes({ name: "changes", text: insert }, []),
      ];
      other.exec("BEGIN IMMEDIATE");
      const asked = Promise.allSettled(ask());
      if (busyTimeoutMs === 0) await asked;
      other.exec("COMMIT");
      const told = (await asked).map((one) =>
        one.status === "fulfilled" ? one.value : (one.reason as Error).message,
      );
      const locked = "database is locked";
      expect(told).toEqual(busyTimeoutMs === 0 ? [locked, locked] : [[{ n: 1 }], 1]);
      const wrong = driver.rows({ name: "wrong", text: "SELECT n FROM nowhere" }, []);
      await expect(wrong).rejects.toThrow("no such table: nowhere");
      const amiss = driver.changes({ name: "amiss", text: "DELETE FROM nowhere" }, []);
      await expect(amiss).rejects.toThrow("no such table: nowhere");
    });
  },
);
