import { Pool } from "pg";
import { expect, test } from "vitest";
import { PostgresDriver } from "../../src/platform/postgres-driver.ts";
import { PostgresStateBackend } from "../../src/platform/postgres-state-backend.ts";

/** Nobody listens there; a pool that nobody asks does not find that out. */
const NOWHERE = "postgres://nobody@127.0.0.1:1/none";

/** A pool whose statements return nothing, and are kept as they were sent. */
class RecordingPool extends Pool {
  readonly sent: { readonly text: string; readonly name?: string }[] = [];

  override connect = (() =>
    Promise.resolve({
      query: () => Promise.resolve({ rows: [{ version: null }] }),
      release: () => undefined,
    })) as unknown as Pool["connect"];

  override query = ((statement: { readonly text: string }) => {
    this.sent.push(statement);
    return Promise.resolve({ rows: [], rowCount: 0 });
  }) as unknown as Pool["query"];
}

test.each([
  ["", '""'],
  [undefined, "undefined"],
  [null, "null"],
  [5432, "5432"],
  [{}, "[object Object]"],
])("a store at %j is refused", (server, shown) => {
  expect(() => new PostgresStateBackend(server as string)).toThrow(
    new TypeError(
      `Cannot open a store at ${shown}: write postgres://user@host/database, or give a pool`,
    ),
  );
});

test("a pool of the caller's is left open", async () => {
  const pool = new Pool({ connectionString: NOWHERE });
  await new PostgresDriver(pool, {}).close();
  expect(pool.ended).toBe(false);
  await pool.end();
});

test("a pool of its own is closed once, however often close() is called", async () => {
  const driver = new PostgresDriver(NOWHERE, {});
  await driver.close();
  await driver.close();
  await expect(driver.rows({ name: "one", text: "SELECT 1" }, [])).rejects.toThrow(
    "Cannot use a pool after calling end on the pool",
  );
});

test.each([
  [{}, ["one"]],
  [{ prepare: true }, ["one"]],
  [{ prepare: false }, [undefined]],
])("with %o a statement is prepared under the name %o", async (options, names) => {
  const pool = new RecordingPool({ connectionString: NOWHERE });
  const driver = new PostgresDriver(pool, options);
  await driver.rows({ name: "one", text: "SELECT 1" }, []);
  expect(pool.sent.map(({ name }) => name)).toEqual(names);
  expect(pool.sent.map(({ text }) => text)).toEqual(["SELECT 1"]);
});
