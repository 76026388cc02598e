import { expect } from "vitest";
import {
  type SqlDriver,
  type SqlParam,
  type SqlStatement,
  SqlStateBackend,
} from "../../src/store/sql/mod.ts";

/** A database with the table of the shipped release. */
export interface UpgradedDatabase {
  /** Opens a driver of its own, as a process has it. */
  openDriver(): SqlDriver;
  /** Runs one statement of a migration. */
  exec(sql: string): Promise<unknown>;
}

/** How a release uses the column `updated_at`, and `written_at`, which is to take its place. */
interface Release {
  readonly migration: readonly string[];
  readonly reads: "updated_at" | "written_at";
  readonly writes: "both" | "written_at";
}

const SCOPE = { kind: "task", dagId: "etl", taskId: "load" } as const;
const KEYS = ["one", "two", "three"];
const ROUNDS = 3;
const STEPS = 10;

/** The releases after the shipped one; each runs for a while beside the one before it. */
const RELEASES: readonly Release[] = [
  {
    migration: [
      "ALTER TABLE faultlane_state ADD COLUMN written_at BIGINT",
      ...serving({ newest: 2, oldest: 1 }),
    ],
    reads: "updated_at",
    writes: "both",
  },
  {
    migration: [
      "UPDATE faultlane_state SET written_at = updated_at",
      ...serving({ newest: 3, oldest: 2 }),
    ],
    reads: "written_at",
    writes: "both",
  },
  { migration: serving({ newest: 4, oldest: 3 }), reads: "written_at", writes: "written_at" },
  {
    migration: [
      "ALTER TABLE faultlane_state DROP COLUMN updated_at",
      ...serving({ newest: 5, oldest: 4 }),
    ],
    reads: "written_at",
    writes: "written_at",
  },
];

function serving(versions: {
  readonly newest: number;
  readonly oldest: number;
}): readonly string[] {
  const rows = `(${versions.newest}), (${versions.oldest})`;
  return ["DELETE FROM faultlane_schema", `INSERT INTO faultlane_schema (version) VALUES ${rows}`];
}

/** A process of a later release: the shipped driver with other statements to read and to write. */
function openRelease(driver: SqlDriver, { reads, writes }: Release, version: number): SqlDriver {
  const named = ({ name, text }: SqlStatement, change: (text: string) => string): SqlStatement => ({
    name: `${name}_${version}`,
    text: change(text),
  });
  const intoBoth = (text: string): string =>
    text
      .replace("updated_at, writer)", "updated_at, writer, written_at)")
      .replace("$9)", "$9, $10)")
      .replace("writer = coalesce", "written_at = excluded.written_at, writer = coalesce");
  const renamed = (text: string): string => text.replaceAll("updated_at", "written_at");
  return {
    dialect: driver.dialect,
    async rows(statement, params) {
      if (reads === "updated_at") return driver.rows(statement, params);
      const rows = await driver.rows(named(statement, renamed), params);
      return rows.map((row) => ({ ...row, updated_at: row["written_at"] }));
    },
    changes(statement, params) {
      if (writes === "written_at") return driver.changes(named(statement, renamed), params);
      if (statement.name !== "faultlane_set") return driver.changes(statement, params);
      return driver.changes(named(statement, intoBoth), [...params, params[7] as SqlParam]);
    },
    pause: () => driver.pause(),
    digest: (text) => driver.digest(text),
    migrate: () => driver.migrate(),
    close: () => driver.close(),
  };
}

/** Processes write every key in turn; all of them see the last write, whoever made it. */
async function writeInTurn(processes: readonly SqlStateBackend[]): Promise<void> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const [nth, process] of processes.entries()) {
      const updatedAt = round * 10 + nth;
      const value = `"${round}.${nth}"`;
      const write = { expiresAt: null, updatedAt };
      await Promise.all(KEYS.map((key) => process.set(SCOPE, key, value, write)));
      for (const reader of processes) {
        for (const key of KEYS) {
          expect(await reader.get(SCOPE, key)).toMatchObject({ value, updatedAt });
        }
      }
    }
  }
}

/** Processes count in one key at once, and none of their steps is lost. */
async function countTogether(processes: readonly SqlStateBackend[]): Promise<void> {
  const write = { expiresAt: null };
  const count = async (process: SqlStateBackend): Promise<void> => {
    for (let added = 0; added < STEPS;) {
      const expected = (await process.get(SCOPE, "count"))?.value ?? null;
      const value = String(Number(expected ?? 0) + 1);
      if (await process.compareAndSet(SCOPE, "count", { expected, value }, write)) added += 1;
    }
  };
  await Promise.all(processes.map(count));
  const value = String(STEPS * processes.length);
  for (const one of processes) expect(await one.get(SCOPE, "count")).toMatchObject({ value });
}

/**
 * Replaces the shipped release by one after the other on one database. Two of them write beside
 * each other at each step, and processes of the older one are opened anew.
 */
export async function upgradeInSteps({ openDriver, exec }: UpgradedDatabase): Promise<void> {
  const shipped = new SqlStateBackend(openDriver());
  await shipped.set(SCOPE, "before", "1", { expiresAt: null, updatedAt: 5 });
  const later = RELEASES.map((release, at) => {
    return new SqlStateBackend(openRelease(openDriver(), release, at + 2));
  });
  // Their own migrations are those above, and not those of the shipped driver under them.
  for (const process of later) await process.migrate();
  let older = [shipped];
  for (const [at, { migration }] of RELEASES.entries()) {
    for (const statement of migration) await exec(statement);
    const newer = later[at] as SqlStateBackend;
    const anew = at === 0 ? [new SqlStateBackend(openDriver())] : [];
    await writeInTurn([...older, ...anew, newer]);
    await countTogether([...older, ...anew, newer]);
    expect(await newer.get(SCOPE, "before")).toMatchObject({ value: "1", updatedAt: 5 });
    await newer.delete(SCOPE, "count");
    for (const process of [...older, ...anew]) await process.close();
    older = [newer];
  }
  const late = new SqlStateBackend(openDriver());
  await expect(late.get(SCOPE, "before")).rejects.toThrow(
    "Cannot open a store of schema version 5, which serves versions from 4: this package knows versions up to 1, use a newer one",
  );
  for (const process of [late, ...older]) await process.close();
}

/** Renames the column at once, beside a process of the shipped release, which can do nothing then. */
export async function upgradeAtOnce({ openDriver, exec }: UpgradedDatabase): Promise<void> {
  const shipped = new SqlStateBackend(openDriver());
  await shipped.set(SCOPE, "job_id", "7", { expiresAt: null, updatedAt: 5 });
  await exec("ALTER TABLE faultlane_state RENAME COLUMN updated_at TO written_at");
  const write = shipped.set(SCOPE, "job_id", "8", { expiresAt: null, updatedAt: 6 });
  await expect(write).rejects.toThrow("updated_at");
  await expect(shipped.get(SCOPE, "job_id")).rejects.toThrow("updated_at");
  await exec("ALTER TABLE faultlane_state RENAME COLUMN written_at TO updated_at");
  expect(await shipped.get(SCOPE, "job_id")).toMatchObject({ value: "7", updatedAt: 5 });
  await shipped.close();
}
