import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import type { StateBackendSubject } from "../../sim/check/backend/check-state-backend.ts";
import { PostgresDriver } from "../../src/platform/postgres-driver.ts";
import { PostgresStateBackend } from "../../src/platform/postgres-state-backend.ts";
import { describeOnServer, startPostgres } from "./postgres-server.ts";
import { upgradeAtOnce, upgradeInSteps } from "./rolling-upgrade.ts";
import { stateBackendContract } from "./state-backend.contract.ts";

describeOnServer("on a real server", await startPostgres(["fsync=off"]), (server) => {
  const { url } = server;
  const impatient = `${url}?options=-clock_timeout%3D200`;
  const clients: [PostgresStateBackend, PostgresStateBackend] = [
    new PostgresStateBackend(impatient),
    new PostgresStateBackend(impatient),
  ];
  const admin = new Client({ connectionString: url });
  let connected: Promise<unknown> | undefined;

  /** Empties one table for each store; creating databases would take most of the time. */
  async function emptyStore(): Promise<StateBackendSubject> {
    connected ??= admin.connect();
    await connected;
    await clients[0].migrate();
    await admin.query("DELETE FROM faultlane_state");
    return { clients, interrupt: lockTable };
  }

  async function lockTable(): Promise<() => Promise<void>> {
    await admin.query("BEGIN");
    await admin.query("LOCK TABLE faultlane_state IN ACCESS EXCLUSIVE MODE");
    return async () => void (await admin.query("ROLLBACK"));
  }

  afterAll(async () => {
    for (const client of [...clients, admin])
      await ("end" in client ? client.end() : client.close());
    await server.stop();
  });

  stateBackendContract("PostgresStateBackend", emptyStore, 40);

  test("migrate() has the same effect from eight clients at once, and again, as once", async () => {
    await admin.query("CREATE SCHEMA fresh");
    const fresh = `${url}?options=-csearch_path%3Dfresh`;
    const many = Array.from({ length: 8 }, () => new PostgresStateBackend(fresh));
    await Promise.all(many.map((backend) => backend.migrate()));
    await Promise.all(many.map((backend) => backend.close()));
    const again = new PostgresStateBackend(fresh);
    await again.migrate();
    await again.close();
    const { rows } = await admin.query("SELECT version FROM fresh.faultlane_schema");
    expect(rows).toEqual([{ version: 1 }]);
  });

  test.each([
    ["in steps, with two releases at a time beside each other", upgradeInSteps],
    ["at once, which stops the processes of the shipped release", upgradeAtOnce],
  ])("a column is replaced %s", async (_, upgrade) => {
    await admin.query("DROP SCHEMA IF EXISTS upgraded CASCADE");
    await admin.query("CREATE SCHEMA upgraded");
    const upgraded = `${url}?options=-csearch_path%3Dupgraded`;
    const migrator = new Client({ connectionString: upgraded });
    await migrator.connect();
    await upgrade({
      openDriver: () => new PostgresDriver(upgraded, { connectionsMax: 2 }),
      exec: (sql) => migrator.query(sql),
    });
    await migrator.end();
  });

  test("migrate() refuses a schema of a newer version, and tries again at the next call", async () => {
    await admin.query("CREATE SCHEMA newer");
    const backend = new PostgresStateBackend(`${url}?options=-csearch_path%3Dnewer`);
    await backend.migrate();
    await admin.query("UPDATE newer.faultlane_schema SET version = 99");
    const late = new PostgresStateBackend(`${url}?options=-csearch_path%3Dnewer`);
    await expect(late.migrate()).rejects.toThrow(
      "Cannot open a store of schema version 99: this package knows versions up to 1, use a newer one",
    );
    await admin.query("UPDATE newer.faultlane_schema SET version = 1");
    await late.migrate();
    for (const each of [backend, late]) await each.close();
  });
});
