import { systemClock } from "../../../src/platform/mod.ts";
import type { StateBackend, StoreScope } from "../../../src/store/mod.ts";
import { sleep } from "../../../src/time/mod.ts";
import {
  example,
  inWords,
  keysIn,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

const NEVER = { expiresAt: null } as const;

/** More than a database takes in one request, be it 25, 128 or 1,000. */
const MANY = 1_100;
/** So many that a sweep, one by one, is not over before it is stopped. */
const EXPIRED = 200;
/** Reads between two pauses: some calls yield to promises alone, others to timers or sockets. */
const READS_BEFORE_A_PAUSE = 12;
/** Longer than what a client does behind its caller's back begins after, in real milliseconds. */
const SOON_MS = 25;
/** More writes than a client is likely to treat alike. */
const WRITES = 24;
/** Each but the first says more, or something else, than a pattern of a database would. */
const NAMES = ["a_c", "abc", "a%c", "axyzc", "a*c", "a?c", "a.c", "A_C"];
/** The task instance of `TASK`, and its siblings. */
const SIBLINGS: readonly StoreScope[] = [-1, 0, 1].map((mapIndex) => taskInstance({ mapIndex }));

/** What takes the entries of all siblings; undefined where a backend leaves it out. */
const TAKES: readonly (readonly [
  words: string,
  take: (one: StateBackend) => Promise<unknown> | undefined,
])[] = [
  ["a clear of all map indices", (one) => one.clear(TASK, { allMapIndices: true })],
  ["a clear of the run", (one) => one.clearRun?.({ dagId: "etl", runId: "r1" })],
  ["a sweep", (one) => one.sweepExpired({ now: 11 })],
];

/** What takes effect as a whole, and for everybody. */
export const WHOLE_LAWS: readonly StateBackendLaw[] = [
  example("nobody reads some keys of a setMany() and not the others", async ({ one, other }) => {
    if (one.setMany === undefined) return;
    const keys = Array.from({ length: MANY }, (_, at) => `key-${String(at).padStart(4, "0")}`);
    const entries = keys.map((key) => [key, "1"] as const);
    // Whoever reads has connected before, so that it reads between two steps of the write.
    same("the number of keys before", await countIn(other), 0);
    const progress = { isOver: false };
    const writing = one.setMany(TASK, entries, NEVER).finally(() => (progress.isOver = true));
    try {
      for (let reads = 1; !progress.isOver; reads += 1) {
        const { total } = await other.list(TASK, { limit: 1, offset: 0 });
        if (total > 0) same("the number of keys that are there meanwhile", total, MANY);
        // Lets go on what the write waits for, be it a timer or a socket.
        if (reads % READS_BEFORE_A_PAUSE > 0) continue;
        const count = await countIn(other);
        if (count > 0) same("the number of keys that are read meanwhile", count, MANY);
        await sleep(systemClock, 0);
      }
    } finally {
      await writing;
    }
    same("the number of keys afterwards", await countIn(other), MANY);
  }),
  example("what is stored stays as it is until somebody changes it", async ({ one, other }) => {
    const [left, cleared] = [TASK, taskInstance({ mapIndex: 0 })];
    for (const scope of [left, cleared]) {
      for (const key of ["kept", "deleted"]) {
        for (let at = 1; at <= WRITES; at += 1) {
          await one.set(scope, key, String(at), { expiresAt: 10 });
        }
      }
    }
    await one.delete(left, "deleted");
    await one.clear(cleared);
    await sleep(systemClock, SOON_MS);
    for (const reader of [one, other]) {
      const later = "a little later, when nobody has changed it";
      same(`the value ${later}`, (await reader.get(left, "kept"))?.value, String(WRITES));
      same(`what was deleted, ${later}`, await reader.get(left, "deleted"), undefined);
      same(`what was cleared, ${later}`, await reader.get(cleared, "kept"), undefined);
    }
  }),
  example("what is cleared is gone for those who have read it, too", async ({ one, other }) => {
    for (const [words, take] of TAKES) {
      for (const scope of SIBLINGS) await one.set(scope, "k", "1", { expiresAt: 10 });
      for (const scope of SIBLINGS) {
        for (const reader of [one, other]) {
          same(`the value in ${inWords(scope)}`, (await reader.get(scope, "k"))?.value, "1");
          await reader.getMany?.(scope, ["k"]);
        }
      }
      const taken = take(one);
      if (taken === undefined) continue;
      await taken;
      for (const scope of SIBLINGS) {
        for (const reader of [one, other]) {
          const what = `in ${inWords(scope)} after ${words}`;
          same(`the entry ${what}`, await reader.get(scope, "k"), undefined);
          if (reader.getMany === undefined) continue;
          same(`what getMany() finds ${what}`, await reader.getMany(scope, ["k"]), []);
        }
      }
    }
  }),
  example("clearRun() takes a run for what it is, and not for a pattern", async ({ one }) => {
    if (one.clearRun === undefined) return;
    for (const part of ["dagId", "runId"] as const) {
      const scopeOf = (name: string): StoreScope => taskInstance({ [part]: name });
      for (const name of NAMES) await one.set(scopeOf(name), "k", "1", NEVER);
      for (const [nth, name] of NAMES.entries()) {
        await one.clearRun({ dagId: "etl", runId: "r1", [part]: name });
        for (const [at, left] of NAMES.entries()) {
          const what = `the number of keys of ${part} ${inWords(left)} after a clear of ${inWords(name)}`;
          same(what, (await keysIn(one, scopeOf(left))).length, at > nth ? 1 : 0);
        }
      }
    }
  }),
  example("a sweep that is stopped amid its batches deletes no more of them", async (bench) => {
    const { one, other } = bench;
    for (let at = 0; at < EXPIRED; at += 1) await one.set(TASK, `k${at}`, "1", { expiresAt: 10 });
    const stopped = new AbortController();
    const progress = { isOver: false };
    const sweeping = one
      .sweepExpired({ now: 11, batchSize: 1, signal: stopped.signal })
      .then(
        () => "returns",
        () => "is stopped",
      )
      .finally(() => (progress.isOver = true));
    let left = EXPIRED;
    for (let reads = 1; left === EXPIRED && !progress.isOver; reads += 1) {
      left = (await other.list(TASK, { limit: 1, offset: 0 })).total;
      // Lets go on what the sweep waits for, be it a timer or a socket.
      if (reads % READS_BEFORE_A_PAUSE === 0) await sleep(systemClock, 0);
    }
    stopped.abort(new Error("stop"));
    const end = await sweeping;
    // A sweep that is almost over may end before it notices.
    if (left > EXPIRED / 2) same("what a sweep does that is stopped", end, "is stopped");
  }),
];

async function countIn(backend: StateBackend): Promise<number> {
  return (await backend.list(TASK, { limit: 2 * MANY, offset: 0 })).entries.length;
}
