import { systemClock } from "../../../src/platform/mod.ts";
import type { StateBackend, StateEntry, StoreScope } from "../../../src/store/mod.ts";
import { sleep } from "../../../src/time/mod.ts";
import {
  type Bench,
  equal,
  essence,
  example,
  inWords,
  LawBroken,
  same,
  type StateBackendLaw,
  TASK,
  taskInstance,
} from "./state-backend-subject.ts";

const OLD = { value: '"old"', expiresAt: 10 } as const;
const NEW = { value: '"new"', expiresAt: null } as const;
const NEWEST = { value: '"newest"', expiresAt: null } as const;
const SWEPT_AT = 11;
/** How long an outage lasts at most, in real milliseconds: longer than a timeout in a test. */
const OUTAGE_MS = 500;
/** How long a client may take to find its store again, and how often it is asked. */
const RECOVERY_MS = 5_000;
const RETRY_MS = 50;
/** How long a call that has failed may go on where it got to, in real milliseconds. */
const LATE_MS = 150;
/** Longer than a client waits before it makes a call again behind its caller's back. */
const BEHIND_MS = 600;

/** A call that changes the entry under "k" of a scope, and what is left of that afterwards. */
interface Change {
  readonly method: keyof StateBackend;
  readonly make: (by: StateBackend, scope: StoreScope) => Promise<unknown> | undefined;
  readonly after: { readonly value: string; readonly expiresAt: number | null } | undefined;
}

/** The sweep comes last: one that takes effect late takes what is there for the others. */
const CHANGES: readonly Change[] = [
  { method: "set", make: (by, scope) => by.set(scope, "k", NEW.value, NEW), after: NEW },
  {
    method: "setMany",
    make: (by, scope) => by.setMany?.(scope, [["k", NEW.value]], NEW),
    after: NEW,
  },
  {
    method: "update",
    make: (by, scope) => by.update?.(scope, "k", NEW.value, {}),
    after: { ...OLD, value: NEW.value },
  },
  {
    method: "compareAndSet",
    make: (by, scope) =>
      by.compareAndSet?.(scope, "k", { expected: OLD.value, value: NEW.value }, NEW),
    after: NEW,
  },
  { method: "delete", make: (by, scope) => by.delete(scope, "k"), after: undefined },
  { method: "clear", make: (by, scope) => by.clear(scope), after: undefined },
  {
    method: "sweepExpired",
    make: async (by) => (await by.sweepExpired({ now: SWEPT_AT })).expired > 0,
    after: undefined,
  },
];

/** What holds where nobody reaches the store for a while; of a subject that can bring that about. */
export const OUTAGE_LAWS: readonly StateBackendLaw[] = [
  example("what is reported as written in an outage is there after it", async (bench) => {
    if (bench.interrupt === undefined) return;
    for (const [mapIndex, change] of CHANGES.entries()) {
      // A call that has failed may take effect late: what comes next has a scope of its own.
      await changesInOutage(bench, taskInstance({ mapIndex }), change);
    }
  }),
  example("after an outage all clients find the same", async (bench) => {
    const { one, other, interrupt } = bench;
    if (interrupt === undefined) return;
    const scopes = await callsInOutage(bench, interrupt);
    for (const [nth, scope] of scopes.entries()) {
      const [mine, others] = [await one.get(scope, "k"), await other.get(scope, "k")];
      const what = `the entry for a client that called ${CHANGES[nth]?.method}() in an outage`;
      same(what, essence(others), essence(mine));
    }
  }),
  example("a call that has failed in an outage replaces nothing newer", async (bench) => {
    const { one, other, interrupt } = bench;
    if (interrupt === undefined) return;
    const scopes = await callsInOutage(bench, interrupt);
    for (const scope of scopes) await recovered(() => one.set(scope, "k", NEWEST.value, NEWEST));
    await sleep(systemClock, BEHIND_MS);
    for (const [nth, scope] of scopes.entries()) {
      const what = `what was written after an outage, in which ${CHANGES[nth]?.method}() was called,`;
      for (const reader of [one, other]) same(what, essence(await reader.get(scope, "k")), NEWEST);
    }
  }),
  example("no read of an outage takes what is there for absent", async (bench) => {
    const { one, other, interrupt } = bench;
    if (interrupt === undefined) return;
    await one.set(TASK, "k", OLD.value, OLD);
    // The other has connected, and knows nothing of the entry.
    await other.get(TASK, "other");
    for (const read of readsOf(other)) {
      const found = await inOutage(interrupt, read);
      if (found.isDone) same("what is read in an outage", essence(found.value), OLD);
    }
  }),
  example("no read of an outage finds what another client has replaced before", async (bench) => {
    const { one, other, interrupt } = bench;
    if (interrupt === undefined) return;
    await one.set(TASK, "k", OLD.value, OLD);
    await other.get(TASK, "k");
    await one.set(TASK, "k", NEW.value, NEW);
    for (const read of readsOf(other)) {
      const found = await inOutage(interrupt, read);
      if (found.isDone) same("what is read in an outage", essence(found.value), NEW);
    }
  }),
  example("a client that is first used in an outage works after it", async (bench) => {
    const { one, other, interrupt } = bench;
    if (interrupt === undefined) return;
    await inOutage(interrupt, () => other.get(TASK, "k"));
    await inOutage(interrupt, () => one.set(TASK, "in the outage", OLD.value, OLD));
    for (const client of [one, other]) {
      await recovered(() => client.set(TASK, "k", NEW.value, NEW));
      same("the entry", essence(await recovered(() => client.get(TASK, "k"))), NEW);
    }
  }),
];

/** The ways in which a client reads the entry under "k". */
function readsOf(by: StateBackend): readonly (() => Promise<StateEntry | undefined>)[] {
  return [
    () => by.get(TASK, "k"),
    async () => (await by.list(TASK, { limit: 9, offset: 0 })).entries[0],
    async () => (by.getMany === undefined ? by.get(TASK, "k") : (await by.getMany(TASK, ["k"]))[0]),
  ];
}

/**
 * Makes every change by the other client in one outage, each in a scope of its own, and waits until
 * none of them goes on. Returns the scopes.
 */
async function callsInOutage(
  { one, other }: Bench,
  interrupt: NonNullable<Bench["interrupt"]>,
): Promise<readonly StoreScope[]> {
  const scopes = CHANGES.map((_, mapIndex) => taskInstance({ mapIndex }));
  for (const scope of scopes) {
    // A store may compare only what compareAndSet has written.
    const isThere = one.compareAndSet?.(scope, "k", { expected: null, value: OLD.value }, OLD);
    await (isThere ?? one.set(scope, "k", OLD.value, OLD));
    await other.get(scope, "k");
  }
  await inOutage(interrupt, () =>
    Promise.allSettled(
      CHANGES.map(async ({ make }, nth) => make(other, scopes[nth] as StoreScope)),
    ),
  );
  await recovered(() => other.get(TASK, "k"));
  await sleep(systemClock, LATE_MS);
  return scopes;
}

async function changesInOutage(
  { one, other, interrupt }: Bench,
  scope: StoreScope,
  { method, make, after }: Change,
): Promise<void> {
  if (interrupt === undefined || other[method] === undefined) return;
  // A store may compare only what compareAndSet has written.
  const isThere = one.compareAndSet?.(scope, "k", { expected: null, value: OLD.value }, OLD);
  await (isThere ?? one.set(scope, "k", OLD.value, OLD));
  await other.get(scope, "k");
  const call = await inOutage(interrupt, async () => make(other, scope));
  const what = `the entry after an outage, in which a call of ${method}()`;
  for (const reader of [one, other]) {
    const found = essence(await recovered(() => reader.get(scope, "k")));
    if (call.isDone && call.value !== false) same(`${what} succeeded,`, found, after);
    else if (!equal(found, OLD) && !equal(found, after)) {
      const either = `${inWords(OLD)} or ${inWords(after)}`;
      throw new LawBroken(`${what} failed, is ${inWords(found)}, expected ${either}`);
    }
  }
}

type Settled<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false };

/** Makes a call in an outage, which ends when the call has settled or after a while. */
async function inOutage<T>(
  interrupt: NonNullable<Bench["interrupt"]>,
  call: () => Promise<T>,
): Promise<Settled<T>> {
  const end = await interrupt();
  const settled = call().then(
    (value): Settled<T> => ({ isDone: true, value }),
    (): Settled<T> => ({ isDone: false }),
  );
  await Promise.race([settled, sleep(systemClock, OUTAGE_MS)]);
  await end();
  return settled;
}

/** Makes a call after an outage, again and again for a while: a client may have to connect anew. */
async function recovered<T>(call: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      return await call();
    } catch (cause) {
      if (waitedMs >= RECOVERY_MS) {
        throw new LawBroken(
          `what a client does ${RECOVERY_MS} ms after an outage is to fail, expected that it works: ${String(cause)}`,
          { what: "what a client does after an outage", cause },
        );
      }
    }
    await sleep(systemClock, RETRY_MS);
  }
}
