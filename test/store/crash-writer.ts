import { writeSync } from "node:fs";
import { PostgresStateBackend } from "../../src/platform/postgres-state-backend.ts";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";
import { systemClock } from "../../src/platform/mod.ts";
import { TaskStateStore } from "../../src/store/mod.ts";
import { batchKeys, keyOf, numberedValue, scopeOf } from "./crash-protocol.ts";

// A worker that writes numbered keys until it is killed, and prints each number once its write is
// acknowledged. Arguments: database, address, name of the worker, first number, how many to write.
const [kind, address = "", writer = "", first = "0", count = "Infinity"] = process.argv.slice(2);

const backend =
  kind === "postgres"
    ? new PostgresStateBackend(address, { connectionsMax: 1 })
    : new SqliteStateBackend(address);
const store = new TaskStateStore(backend, scopeOf(writer), { clock: systemClock });

for (let written = 0; written < Number(count); written += 1) {
  const n = Number(first) + written;
  if (n % 5 === 0) {
    await store.setMany(batchKeys.map((key) => [key, numberedValue(n)]));
  } else {
    await store.set(keyOf(n), numberedValue(n));
  }
  writeSync(1, `${n}\n`);
}
await backend.close();
