import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "vitest";
import { SqliteDriver } from "../../src/platform/sqlite-driver.ts";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";
import { upgradeAtOnce, upgradeInSteps } from "./rolling-upgrade.ts";
import { stateBackendContract } from "./state-backend.contract.ts";

/** A new file for each store, with two connections, as two processes would have. */
async function twoConnections(): Promise<{
  clients: [SqliteStateBackend, SqliteStateBackend];
  close: () => Promise<void>;
  interrupt: () => Promise<() => void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "faultlane-sqlite-"));
  const path = join(folder, "state.db");
  const options = { synchronous: "normal", busyTimeoutMs: 200 } as const;
  const clients: [SqliteStateBackend, SqliteStateBackend] = [
    new SqliteStateBackend(path, options),
    new SqliteStateBackend(path, options),
  ];
  return {
    clients,
    close: async () => {
      for (const client of clients) await client.close();
      await rm(folder, { recursive: true });
    },
    interrupt: async () => {
      const locker = new DatabaseSync(path);
      locker.exec("BEGIN EXCLUSIVE");
      return () => locker.close();
    },
  };
}

stateBackendContract("SqliteStateBackend on a file", twoConnections, 60);
stateBackendContract("SqliteStateBackend in memory", () => new SqliteStateBackend(":memory:"), 100);

test.each([
  ["in steps, with two releases at a time beside each other", upgradeInSteps],
  ["at once, which stops the processes of the shipped release", upgradeAtOnce],
])("SqliteStateBackend: a column is replaced %s", async (_, upgrade) => {
  const folder = await mkdtemp(join(tmpdir(), "faultlane-sqlite-"));
  const path = join(folder, "state.db");
  await upgrade({
    openDriver: () => new SqliteDriver(path, { synchronous: "normal" }),
    exec: async (sql) => {
      const migrator = new DatabaseSync(path, { timeout: 5_000 });
      migrator.exec(sql.replace("BIGINT", "INTEGER"));
      migrator.close();
    },
  });
  await rm(folder, { recursive: true });
});
