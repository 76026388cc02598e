import { MemoryStateBackend, type StateBackend, type StoreScope } from "../../../src/store/mod.ts";
import {
  example,
  inWords,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

/** After how many changes a client comes back: before and after a log is compacted, or a cache full. */
const IDLE_FOR = [1, 9, 40, 5, 150, 17, 70, 33] as const;
const KEYS = ["a", "b", "c"] as const;
const SCOPES: readonly StoreScope[] = [
  TASK,
  ...[0, 1, 10].map((mapIndex) => taskInstance({ mapIndex })),
  taskInstance({ runId: "r2" }),
  { kind: "asset", name: "orders" },
];
const SWEPT_AT = 11;

/** One change, by the number of the change. */
type Change = (
  by: StateBackend,
  at: { readonly scope: StoreScope; readonly key: string; readonly nth: number },
) => Promise<unknown> | undefined;

const CHANGES: readonly Change[] = [
  (by, { scope, key, nth }) => by.set(scope, key, String(nth), writtenAt(nth)),
  (by, { scope, key, nth }) => by.set(scope, key, `"${nth}"`, { expiresAt: 10, updatedAt: nth }),
  (by, { scope, key, nth }) => by.update?.(scope, key, `[${nth}]`, { updatedAt: nth }),
  (by, { scope, nth }) => by.setMany?.(scope, entriesOf(nth), writtenAt(nth)),
  (by, { scope, key }) => by.delete(scope, key),
  (by, { scope, key, nth }) => by.set(scope, key, String(nth), writtenAt(nth)),
  (by, { scope, nth }) => by.clear(scope, { allMapIndices: nth % 2 === 0 }),
  (by, { scope, nth }) => by.setMany?.(scope, entriesOf(nth), writtenAt(nth)),
  (by, { scope, key, nth }) => by.update?.(scope, key, `{"a":${nth}}`, { updatedAt: nth }),
  (by) => by.sweepExpired({ now: SWEPT_AT }),
  (by, { nth }) => by.clearRun?.({ dagId: "etl", runId: nth % 3 === 0 ? "r2" : "none" }),
];

/** What holds for a client that has not called for a while. */
export const IDLE_LAWS: readonly StateBackendLaw[] = [
  example("a client finds whatever others have done since its last call", async (bench) => {
    // Who is idle has called before, and each is so in turn.
    const clients = [bench.one, bench.other] as const;
    const model = new MemoryStateBackend();
    for (const client of clients) await client.get(TASK, "a");
    let nth = 0;
    for (const [round, changes] of IDLE_FOR.entries()) {
      const [busy, idle] = round % 2 === 0 ? clients : [clients[1], clients[0]];
      for (let made = 0; made < changes; made += 1) {
        nth += 1;
        await change(busy, model, nth);
      }
      await sameEverywhere(idle, model, `what one client finds after ${changes} calls of another,`);
    }
  }),
];

/** Makes a change in the store and in its model, unless the backend leaves the method out. */
async function change(by: StateBackend, model: StateBackend, nth: number): Promise<void> {
  // The strides share no factor with the lengths, so that each change meets each scope and key.
  const make = CHANGES[(nth * 7) % CHANGES.length] as Change;
  const scope = SCOPES[(nth * 5 + Math.floor(nth / 6)) % SCOPES.length] as StoreScope;
  const at = { scope, key: KEYS[Math.floor(nth / 3) % KEYS.length] as string, nth };
  const made = make(by, at);
  if (made === undefined) return;
  await made;
  await make(model, at);
}

async function sameEverywhere(
  found: StateBackend,
  model: StateBackend,
  who: string,
): Promise<void> {
  for (const scope of SCOPES) {
    for (const key of KEYS) {
      const what = `${who} ${inWords(key)} of ${inWords(scope)},`;
      same(what, await found.get(scope, key), await model.get(scope, key));
    }
    const page = { limit: 9, offset: 0 };
    same(
      `${who} a list of ${inWords(scope)},`,
      await found.list(scope, page),
      await model.list(scope, page),
    );
  }
}

/** Each third write says who makes it. */
function writtenAt(nth: number): {
  expiresAt: null;
  updatedAt: number;
  writer?: { kind: "watcher" | "api" };
} {
  const written = { expiresAt: null, updatedAt: nth };
  if (nth % 3 === 1) return written;
  return { ...written, writer: { kind: nth % 3 === 0 ? "watcher" : "api" } };
}

function entriesOf(nth: number): readonly (readonly [key: string, value: string])[] {
  return KEYS.map((key) => [key, `"${key} ${nth}"`] as const);
}
