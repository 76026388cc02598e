import type { StateBackend } from "../../../src/store/mod.ts";
import {
  example,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

/** More than a search, a page or a cache holds by default, be it 1,000, 5,000 or 10,000. */
const MUCH = 10_001;
/** The same for a backend that takes its entries one by one. */
const MUCH_ONE_BY_ONE = 1_100;
const AT_A_TIME = 1_000;
/** More than a request takes, be it 100, 500 or 1,000 keys. */
const MUCH_AT_ONCE = 1_100;
const OTHER = taskInstance({ mapIndex: 0 });
const EXPIRES_AT = 10;

/** What holds for many entries as it does for a few. */
export const SIZE_LAWS: readonly StateBackendLaw[] = [
  example("all that is stored is there, however much it is", async ({ one, other }) => {
    const keys = await filled(one);
    for (const reader of [one, other]) {
      for (const at of [0, keys.length >> 1, keys.length - 1]) {
        const key = keys[at] ?? "";
        same(`the value of "${key}"`, (await reader.get(TASK, key))?.value, "1");
      }
      same("the number of keys on all pages", await countIn(reader), keys.length);
    }
  }),
  example("a clear takes all that is there, however much it is", async ({ one }) => {
    await filled(one);
    await one.set(OTHER, "kept", "1", { expiresAt: EXPIRES_AT });
    await one.clear(TASK);
    same("the number of keys after it", await countIn(one), 0);
    same("the value of a sibling", (await one.get(OTHER, "kept"))?.value, "1");
  }),
  example("a sweep takes all that has expired, however much it is", async ({ one }) => {
    const keys = await filled(one);
    const { expired } = await one.sweepExpired({ now: EXPIRES_AT + 1 });
    same("the number of entries that it says it deleted", expired, keys.length);
    same("the number of keys after it", await countIn(one), 0);
  }),
  example("a sweep without batches takes all that has expired, too", async ({ one }) => {
    const keys = await filled(one);
    const { expired } = await one.sweepExpired({ now: EXPIRES_AT + 1, batchSize: 0 });
    same("the number of entries that it says it deleted", expired, keys.length);
    same("the number of keys after it", await countIn(one), 0);
  }),
  example("getMany() returns all that it is asked for, however much it is", async ({ one }) => {
    if (one.getMany === undefined) return;
    const asked = (await filled(one)).slice(0, MUCH_AT_ONCE);
    const found = (await one.getMany(TASK, asked.toReversed())).map(({ key }) => key);
    same("the number of entries", found.length, asked.length);
    same("the last key", found.at(-1), asked.at(-1));
  }),
];

/** Returns the keys of a scope that it has filled. */
async function filled(backend: StateBackend): Promise<readonly string[]> {
  const length = backend.setMany === undefined ? MUCH_ONE_BY_ONE : MUCH;
  const keys = Array.from({ length }, (_, at) => `key-${String(at).padStart(5, "0")}`);
  const options = { expiresAt: EXPIRES_AT };
  for (let at = 0; at < length; at += AT_A_TIME) {
    const some = keys.slice(at, at + AT_A_TIME);
    if (backend.setMany !== undefined) {
      await backend.setMany(
        TASK,
        some.map((key) => [key, "1"]),
        options,
      );
    } else for (const key of some) await backend.set(TASK, key, "1", options);
  }
  return keys;
}

/** Counts what is listed, and checks that each page says how many there are. */
async function countIn(backend: StateBackend): Promise<number> {
  let count = 0;
  for (;;) {
    const { entries, total } = await backend.list(TASK, { limit: AT_A_TIME, offset: count });
    count += entries.length;
    if (entries.length < AT_A_TIME) {
      same("the number of entries that the last page says there are", total, count);
      return count;
    }
  }
}
