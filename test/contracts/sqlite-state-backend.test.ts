import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";
import { stateBackendContract } from "./state-backend.contract.ts";

/** A new file for each store, with two connections, as two processes would have. */
async function twoConnections(): Promise<{
  clients: [SqliteStateBackend, SqliteStateBackend];
  close: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "faultlane-sqlite-"));
  const path = join(folder, "state.db");
  const options = { synchronous: "normal" } as const;
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
  };
}

stateBackendContract("SqliteStateBackend on a file", twoConnections, 60);
stateBackendContract("SqliteStateBackend in memory", () => new SqliteStateBackend(":memory:"), 100);
