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

/** More than a database takes in one request, be it 25, 100 or 128. */
const MANY = 300;
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
    const keys = Array.from({ length: MANY }, (_, at) => `key-${String(at).padStart(3, "0")}`);
    const entries = keys.map((key) => [key, "1"] as const);
    const progress = { isOver: false };
    const writing = one.setMany(TASK, entries, NEVER).finally(() => (progress.isOver = true));
    try {
      while (!progress.isOver) {
        const count = (await keysIn(other, TASK)).length;
        if (count > 0) same("the number of keys that are read meanwhile", count, MANY);
        // Lets go on what the write waits for, be it a timer or a socket.
        await sleep(systemClock, 0);
      }
    } finally {
      await writing;
    }
    same("the number of keys afterwards", (await keysIn(other, TASK)).length, MANY);
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
];
