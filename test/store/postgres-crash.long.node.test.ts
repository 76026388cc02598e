import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { PostgresStateBackend } from "../../src/platform/postgres-state-backend.ts";
import { describeOnServer, startPostgres } from "../contracts/postgres-server.ts";
import { CrashChild, seeded } from "./crash-child.ts";
import { findingsAfterKill } from "./crash-protocol.ts";

const ROUNDS = 27;
const SERVER_CRASHES = 3;
const WRITERS = ["one", "other"] as const;

describeOnServer("PostgreSQL", await startPostgres(), (server) => {
  const address = server.url;
  afterAll(() => server.stop());

  const next = seeded(2);
  const acked = new Map<string, number>(WRITERS.map((writer) => [writer, -1]));

  async function verify(children: readonly CrashChild[]): Promise<void> {
    await using backend = new PostgresStateBackend(address);
    for (const [at, writer] of WRITERS.entries()) {
      const last = children[at]?.acked ?? -1;
      expect(await findingsAfterKill(backend, writer, last)).toEqual([]);
      acked.set(writer, last);
    }
  }

  function startWriters(): CrashChild[] {
    return WRITERS.map((writer) => {
      const first = (acked.get(writer) ?? -1) + 1;
      return new CrashChild({ kind: "postgres", address, writer, first });
    });
  }

  test("loses no acknowledged write of two processes over 54 kills (A30, F18)", async () => {
    let kills = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const children = startWriters();
      if (round % 5 === 0) await wait(40 + next(80));
      else await Promise.all(children.map((child) => child.untilAcked(1 + next(40))));
      await wait(next(4));
      const signals = await Promise.all(children.map((child) => child.kill()));
      kills += signals.filter((signal) => signal === "SIGKILL").length;
      for (const child of children) expect(child.errors).toBe("");
      await verify(children);
    }
    expect(kills).toBe(ROUNDS * WRITERS.length);
    expect(Math.min(...acked.values())).toBeGreaterThan(ROUNDS);
    const writes = [...acked.values()].reduce((total, last) => total + last + 1, 0);
    console.info(`PostgreSQL: ${kills} kills, ${writes} acknowledged writes, 0 lost`);
  });

  test("loses no acknowledged write when the server itself crashes and restarts", async () => {
    for (let round = 0; round < SERVER_CRASHES; round += 1) {
      const children = startWriters();
      await Promise.all(children.map((child) => child.untilAcked(20 + next(40))));
      await server.crashAndRestart();
      for (const child of children) expect(await child.ended()).toBe(1);
      await verify(children);
    }
  });
});
