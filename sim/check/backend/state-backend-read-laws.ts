import type { StateBackend } from "../../../src/store/mod.ts";
import {
  type Bench,
  essence,
  example,
  inWords,
  LawBroken,
  same,
  type StateBackendLaw,
  TASK,
} from "./state-backend-subject.ts";

const OLD = { value: '"old"', expiresAt: 10 } as const;
const NEW = { value: '"new"', expiresAt: null } as const;
/** When the old entry has expired, and a sweep takes it. */
const SWEPT_AT = 11;
/** How often somebody reads while one call writes. */
const READS = 8;
/** How often a write and reads meet. */
const ROUNDS = 4;
/** What `setMany` writes at once, for a reader who counts. */
const TOGETHER = ["a", "b", "c", "d", "e"];

/** A way to change the entry under "k", and what of it is to be read afterwards. */
interface Change {
  readonly method: keyof StateBackend;
  readonly act: (by: StateBackend) => Promise<unknown> | undefined;
  readonly after: { readonly value: string; readonly expiresAt: number | null } | undefined;
}

const CHANGES: readonly Change[] = [
  { method: "set", act: (by) => by.set(TASK, "k", NEW.value, NEW), after: NEW },
  { method: "setMany", act: (by) => by.setMany?.(TASK, [["k", NEW.value]], NEW), after: NEW },
  {
    method: "update",
    act: (by) => by.update?.(TASK, "k", NEW.value, {}),
    after: { ...OLD, value: NEW.value },
  },
  {
    method: "compareAndSet",
    act: (by) => by.compareAndSet?.(TASK, "k", { expected: OLD.value, value: NEW.value }, NEW),
    after: NEW,
  },
  { method: "delete", act: (by) => by.delete(TASK, "k"), after: undefined },
  { method: "clear", act: (by) => by.clear(TASK), after: undefined },
  { method: "clearRun", act: (by) => by.clearRun?.(TASK), after: undefined },
  {
    method: "sweepExpired",
    act: (by) => by.sweepExpired({ now: SWEPT_AT }),
    after: undefined,
  },
];

/** What a reader sees of a write: before, meanwhile and afterwards. */
export const READ_LAWS: readonly StateBackendLaw[] = [
  example("what was read before a write is not read after it, by any client", async (bench) => {
    for (const by of ["one", "other"] as const) {
      for (const change of CHANGES) await readsAnew(bench, bench[by], change);
      await readsWhatIsNew(bench, bench[by]);
    }
  }),
  example("a reader sees an entry before a set() or after it, never half of it", async (bench) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await bench.one.set(TASK, "k", OLD.value, OLD);
      await beside(bench.one.set(TASK, "k", NEW.value, NEW), async () => {
        const found = essence(await bench.other.get(TASK, "k"));
        if (inWords(found) === inWords(OLD) || inWords(found) === inWords(NEW)) return;
        throw new LawBroken(
          `what get() returns during a set() is ${inWords(found)}, expected ${inWords(OLD)} or ${inWords(NEW)}`,
        );
      });
    }
  }),
  example("a reader sees all that a setMany() writes or nothing of it", async (bench) => {
    const { one, other } = bench;
    if (one.setMany === undefined) return;
    for (let round = 0; round < ROUNDS; round += 1) {
      await one.clear(TASK);
      const entries = TOGETHER.map((key) => [key, NEW.value] as const);
      await beside(one.setMany(TASK, entries, NEW), async () => {
        const page = await other.list(TASK, { limit: 10, offset: 0 });
        const keys = page.entries.map(({ key }) => key);
        if (keys.length === 0 || keys.length === TOGETHER.length) return;
        throw new LawBroken(
          `what list() returns during a setMany() is ${inWords(keys)}, expected [] or ${inWords(TOGETHER)}`,
        );
      });
    }
  }),
  example("the last write counts, whatever its writer's clock says", async ({ one }) => {
    const [late, early] = [
      { expiresAt: null, updatedAt: 2_000 },
      { expiresAt: null, updatedAt: 1_000 },
    ];
    await one.set(TASK, "k", "1", late);
    await one.set(TASK, "k", "2", early);
    same("the entry, set by a slow clock", essence(await one.get(TASK, "k"))?.value, "2");
    await one.set(TASK, "k", "3", late);
    await one.update?.(TASK, "k", "4", { updatedAt: 1_000 });
    const updated = one.update === undefined ? "3" : "4";
    same("the entry, updated by a slow clock", (await one.get(TASK, "k"))?.value, updated);
    await one.set(TASK, "k", "5", late);
    await one.delete(TASK, "k");
    await one.set(TASK, "k", "6", early);
    same("the entry, set after its delete", (await one.get(TASK, "k"))?.value, "6");
    await one.set(TASK, "k", "7", late);
    await one.clear(TASK);
    await one.set(TASK, "k", "8", early);
    same("the entry, set after a clear", (await one.get(TASK, "k"))?.value, "8");
  }),
  example("a call that is refused leaves the next ones as they are", async ({ one, other }) => {
    await one.set(TASK, "k", "1", NEW);
    const refused: readonly (() => unknown)[] = [
      () => one.set(TASK, "", "2", NEW),
      () => one.get(TASK, ""),
      () => one.list(TASK, { limit: -1, offset: 0 }),
      () => one.sweepExpired({ now: Number.NaN }),
      () => one.clear({ ...TASK, mapIndex: 0.5 }),
    ];
    for (const call of refused) await settled(call);
    for (const by of [one, other]) {
      same("the entry afterwards", (await by.get(TASK, "k"))?.value, "1");
      await by.set(TASK, "k", "1", NEW);
    }
  }),
];

/** Reads by both clients, changes by one of them, and reads again. */
async function readsAnew(
  { one, other }: Bench,
  by: StateBackend,
  { method, act, after }: Change,
): Promise<void> {
  if (by[method] === undefined) return;
  await one.clear(TASK);
  // A store may compare only what compareAndSet has written.
  if (method !== "compareAndSet") await one.set(TASK, "k", OLD.value, OLD);
  else await by.compareAndSet?.(TASK, "k", { expected: null, value: OLD.value }, OLD);
  for (const reader of [one, other]) {
    same("the entry", essence(await reader.get(TASK, "k")), OLD);
    same("the list", (await reader.list(TASK, { limit: 9, offset: 0 })).total, 1);
    await reader.getMany?.(TASK, ["k"]);
  }
  await act(by);
  for (const reader of [one, other]) {
    const who = reader === by ? "its own client" : "the other client";
    const what = `after ${method}(), for ${who}, who had read it before,`;
    same(`${what} the entry`, essence(await reader.get(TASK, "k")), after);
    const { entries } = await reader.list(TASK, { limit: 9, offset: 0 });
    const expected = after === undefined ? [] : [after];
    same(`${what} the list`, entries.map(essence), expected);
    const many = await reader.getMany?.(TASK, ["k"]);
    if (many !== undefined) same(`${what} the result of getMany()`, many.map(essence), expected);
  }
}

/** As `readsAnew`, where no entry was there before. */
async function readsWhatIsNew({ one, other }: Bench, by: StateBackend): Promise<void> {
  const exchange = { expected: null, value: NEW.value };
  const writes: Readonly<Record<string, () => Promise<unknown> | undefined>> = {
    set: () => by.set(TASK, "k", NEW.value, NEW),
    setMany: () => by.setMany?.(TASK, [["k", NEW.value]], NEW),
    compareAndSet: () => by.compareAndSet?.(TASK, "k", exchange, NEW),
  };
  for (const [method, write] of Object.entries(writes)) {
    await one.clear(TASK);
    for (const reader of [one, other]) {
      same("the entry", essence(await reader.get(TASK, "k")), undefined);
      await reader.list(TASK, { limit: 9, offset: 0 });
    }
    const isThere = write();
    if (isThere === undefined) continue;
    await isThere;
    for (const reader of [one, other]) {
      const what = `after ${method}() of a key that was looked for before,`;
      same(`${what} the entry`, essence(await reader.get(TASK, "k")), NEW);
    }
  }
}

/** Reads again and again while `write` is under way. */
async function beside(write: Promise<unknown>, read: () => Promise<void>): Promise<void> {
  const reading = async (): Promise<void> => {
    for (let nth = 0; nth < READS; nth += 1) await read();
  };
  const [written, found] = await Promise.allSettled([write, reading()]);
  if (written.status === "rejected") throw written.reason;
  if (found.status === "rejected") throw found.reason;
}

/** Waits for a call that may be refused, at once or later. */
async function settled(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch {
    // Whether a store refuses it is its own business.
  }
}
