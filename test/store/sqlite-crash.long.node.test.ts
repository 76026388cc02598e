import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";
import { CrashChild, seeded } from "./crash-child.ts";
import { findingsAfterKill, scopeOf } from "./crash-protocol.ts";

const folder = await mkdtemp(join(tmpdir(), "faultlane-crash-"));
afterAll(() => rm(folder, { recursive: true }));

const ROUNDS = 30;
const WRITERS = ["one", "other"] as const;

test("SQLite loses no acknowledged write of two processes over 60 kills, and can be opened again (A30, F18)", async () => {
  const address = join(folder, "killed.db");
  const next = seeded(1);
  const acked = new Map<string, number>(WRITERS.map((writer) => [writer, -1]));
  let kills = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const children = WRITERS.map((writer) => {
      const first = (acked.get(writer) ?? -1) + 1;
      return { writer, child: new CrashChild({ kind: "sqlite", address, writer, first }) };
    });
    // Every fifth round kills while the store is being opened, the others during writes.
    if (round % 5 === 0) await wait(30 + next(60));
    else await Promise.all(children.map(({ child }) => child.untilAcked(1 + next(40))));
    await wait(next(4));
    const signals = await Promise.all(children.map(({ child }) => child.kill()));
    kills += signals.filter((signal) => signal === "SIGKILL").length;
    await using backend = new SqliteStateBackend(address);
    for (const { writer, child } of children) {
      expect(child.errors).toBe("");
      expect(await findingsAfterKill(backend, writer, child.acked)).toEqual([]);
      acked.set(writer, child.acked);
    }
  }
  expect(kills).toBe(ROUNDS * WRITERS.length);
  expect(Math.min(...acked.values())).toBeGreaterThan(ROUNDS);
  console.info(`SQLite: ${kills} kills, ${sum(acked)} acknowledged writes, 0 lost`);
});

test("SQLite can be opened for the first time by four processes at once", async () => {
  for (let round = 0; round < 3; round += 1) {
    const address = join(folder, `fresh-${round}.db`);
    const children = ["a", "b", "c", "d"].map(
      (writer) => new CrashChild({ kind: "sqlite", address, writer, first: 0, count: 25 }),
    );
    expect(await Promise.all(children.map((child) => child.ended()))).toEqual([0, 0, 0, 0]);
    await using backend = new SqliteStateBackend(address);
    for (const writer of ["a", "b", "c", "d"]) {
      expect(await findingsAfterKill(backend, writer, 24)).toEqual([]);
    }
  }
});

test("SQLite keeps its content when it is opened repeatedly", async () => {
  const address = join(folder, "again.db");
  for (let time = 0; time < 3; time += 1) {
    await using backend = new SqliteStateBackend(address);
    await backend.migrate();
    await backend.set(scopeOf("w"), `k${time}`, "1", { expiresAt: null });
    expect((await backend.list(scopeOf("w"), { limit: 9, offset: 0 })).total).toBe(time + 1);
  }
});

function sum(acked: ReadonlyMap<string, number>): number {
  return [...acked.values()].reduce((total, last) => total + last + 1, 0);
}
