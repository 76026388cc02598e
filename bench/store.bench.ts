/**
 * The state store next to the bare driver, which does the same SQL in the same run.
 *
 * `node --expose-gc bench/store.bench.ts [--json] [--rows 1000000]`; PostgreSQL takes part when
 * `--postgres <url>` says where it is.
 */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bench, do_not_optimize, group, run } from "mitata";
import { Pool } from "pg";
import { systemClock } from "../src/platform/mod.ts";
import { PostgresStateBackend } from "../src/platform/postgres-state-backend.ts";
import { SqliteStateBackend } from "../src/platform/sqlite-state-backend.ts";
import {
  MemoryStateBackend,
  scopeAddressFrom,
  type StateBackend,
  TaskStateStore,
} from "../src/store/mod.ts";
import { type SqlParam, sqlStatements } from "../src/store/sql/mod.ts";

const SCOPE = {
  kind: "task-instance",
  dagId: "bench",
  runId: "r",
  taskId: "t",
  mapIndex: -1,
} as const;
const VALUE = { job: "spark-0001", page: 17, status: "running", rows: [1, 2, 3] };
const TEXT = JSON.stringify(VALUE);
/** Few enough to stay in a cache, many enough that a write is not always to the same page. */
const KEYS = Array.from({ length: 1_000 }, (_, at) => `key-${at}`);
const BATCH = KEYS.slice(0, 100);

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    rows: { type: "string", default: "1000000" },
    postgres: { type: "string" },
  },
});
const ROWS = Number(values.rows);
const print = (line: string): void => void process.stderr.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), "faultlane-bench-"));

/** The same statement as the store's, by a driver that does nothing else. */
interface Bare {
  get(key: string): unknown;
  set(key: string): unknown;
  setMany(keys: readonly string[]): unknown;
  sweep(now: number, limit: number): number | Promise<number>;
}

function bareSqlite(path: string): Bare {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const sql = sqlStatements("sqlite");
  const prepared = (name: keyof typeof sql): StatementSync =>
    database.prepare(sql[name].text.replace(/\$\d+/g, "?"));
  const [get, set, setMany, sweep] = [
    prepared("get"),
    prepared("set"),
    prepared("setMany"),
    prepared("sweep"),
  ];
  return {
    get: (key) => get.all(...place(), key),
    set: (key) => set.run(...row(key)),
    setMany: (keys) => setMany.run(...rows(keys)),
    sweep: (now, limit) => Number(sweep.run(now, limit, now).changes),
  };
}

function barePostgres(pool: Pool): Bare {
  const sql = sqlStatements("postgres");
  return {
    get: (key) => pool.query({ ...sql.get, values: [...place(), key] }),
    set: (key) => pool.query({ ...sql.set, values: row(key) }),
    setMany: (keys) => pool.query({ ...sql.setMany, values: rows(keys) }),
    sweep: async (now, limit) =>
      (await pool.query({ ...sql.sweep, values: [now, limit, now] })).rowCount ?? 0,
  };
}

/** What a careful user would write for memory: a map of maps, and JSON. */
function bareMemory(): Bare {
  const entries = new Map<string, { readonly value: string; readonly expiresAt: number | null }>();
  return {
    get: (key) => JSON.parse(entries.get(key)?.value ?? "null") as unknown,
    set: (key) => entries.set(key, { value: JSON.stringify(VALUE), expiresAt: expiry() }),
    setMany: (keys) => {
      for (const key of keys)
        entries.set(key, { value: JSON.stringify(VALUE), expiresAt: expiry() });
    },
    sweep: () => 0,
  };
}

function place(): [string, number] {
  const { group, mapIndex } = scopeAddressFrom(SCOPE);
  return [group, mapIndex];
}

function expiry(): number {
  return Date.now() + 30 * 86_400_000;
}

function row(key: string): SqlParam[] {
  return [...place(), key, null, null, JSON.stringify(VALUE), expiry(), Date.now(), null];
}

function rows(keys: readonly string[]): SqlParam[] {
  const list = JSON.stringify(keys.map((key) => [key, null, JSON.stringify(VALUE)]));
  return [...place(), null, expiry(), Date.now(), null, list];
}

function compare(name: string, backend: StateBackend, bare: Bare): void {
  const store = new TaskStateStore(backend, SCOPE, { clock: systemClock });
  const entries = BATCH.map((key) => [key, VALUE] as const);
  let turn = 0;
  const nextKey = (): string => KEYS[(turn += 1) % KEYS.length] ?? "";
  measure(`${name}: get`, (what) => {
    bench(`${what}, bare driver`, async () => do_not_optimize(await bare.get(nextKey()))).baseline(
      true,
    );
    bench(`${what}, store`, async () => do_not_optimize(await store.get(nextKey())));
  });
  measure(`${name}: set`, (what) => {
    bench(`${what}, bare driver`, async () => do_not_optimize(await bare.set(nextKey()))).baseline(
      true,
    );
    bench(`${what}, store`, () => store.set(nextKey(), VALUE));
  });
  measure(`${name}: set ${BATCH.length} keys at once`, (what) => {
    bench(`${what}, bare driver`, async () => do_not_optimize(await bare.setMany(BATCH))).baseline(
      true,
    );
    bench(`${what}, store`, () => store.setMany(entries));
  });
}

function measure(what: string, benches: (what: string) => void): void {
  group(what, () => benches(what));
}

interface SweepTimes {
  readonly name: string;
  readonly rows: number;
  readonly storeMs: number;
  readonly bareMs?: number;
}

const SWEEP_BATCH = 5_000;

/**
 * Once each, since a million rows are gone afterwards: the store first, then the bare driver on as
 * many new ones.
 */
async function sweepTimes(name: string, backend: StateBackend, bare?: Bare): Promise<SweepTimes> {
  await fill(backend);
  const storeMs = await timed(async () => {
    const { expired } = await backend.sweepExpired({ now: 2, batchSize: SWEEP_BATCH });
    if (expired !== ROWS) throw new Error(`swept ${expired} of ${ROWS}`);
  });
  if (bare === undefined) return { name, rows: ROWS, storeMs };
  await fill(backend);
  const bareMs = await timed(async () => {
    while ((await bare.sweep(2, SWEEP_BATCH)) === SWEEP_BATCH);
  });
  return { name, rows: ROWS, storeMs, bareMs };
}

async function fill(backend: StateBackend): Promise<void> {
  const CHUNK = 10_000;
  for (let first = 0; first < ROWS; first += CHUNK) {
    const count = Math.min(CHUNK, ROWS - first);
    const entries = Array.from({ length: count }, (_, at) => [keyName(first + at), TEXT] as const);
    await backend.setMany?.({ ...SCOPE, taskId: "swept" }, entries, { expiresAt: 1 });
  }
}

/** Keys in no order, as real ones come. */
function keyName(at: number): string {
  return createHash("md5").update(String(at)).digest("base64url");
}

async function timed(act: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await act();
  return Math.round(performance.now() - begin);
}

const sqlitePath = join(folder, "bench.db");
const sqlite = new SqliteStateBackend(sqlitePath);
const memory = new MemoryStateBackend();
await sqlite.migrate();
const contestants: [string, StateBackend, Bare][] = [
  ["memory", memory, bareMemory()],
  ["SQLite", sqlite, bareSqlite(sqlitePath)],
];
const { postgres: url } = values;
const pool = url === undefined ? undefined : new Pool({ connectionString: url });
const postgres = url === undefined ? undefined : new PostgresStateBackend(url);
if (pool !== undefined && postgres !== undefined) {
  await postgres.migrate();
  contestants.push(["PostgreSQL", postgres, barePostgres(pool)]);
} else {
  print("PostgreSQL is left out: say where it is with --postgres <url>");
}

for (const [name, backend, bare] of contestants) {
  for (const key of KEYS) await bare.set(key);
  await backend.setMany?.(
    SCOPE,
    KEYS.map((key) => [key, TEXT] as const),
    { expiresAt: null },
  );
  compare(name, backend, bare);
}
const times = await run(values.json ? { format: "quiet" } : {});
const sweeps: SweepTimes[] = [];
for (const [name, backend, bare] of contestants) {
  sweeps.push(await sweepTimes(name, backend, name === "memory" ? undefined : bare));
  const { storeMs, bareMs } = sweeps.at(-1) ?? {};
  print(
    `${name}: sweep of ${ROWS} expired rows ${storeMs} ms${bareMs === undefined ? "" : `, bare driver ${bareMs} ms`}`,
  );
}
if (values.json) {
  const calls = times.benchmarks.flatMap(({ runs }) =>
    runs.map(({ name, stats }) => ({ name, nsMedian: stats?.p50 })),
  );
  process.stdout.write(`${JSON.stringify({ calls, sweeps })}\n`);
}
await pool?.end();
await sqlite.close();
await postgres?.close();
await rm(folder, { recursive: true });
