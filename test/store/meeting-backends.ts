import { systemClock } from "../../src/platform/mod.ts";
import {
  MemoryStateBackend,
  type StateBackend,
  type StateEntry,
  type SweepReport,
} from "../../src/store/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import type { CreateStateBackend } from "../../sim/check/backend/check-state-backend.ts";
import type { PlantedBug } from "./broken-backends.ts";
import { methodsOf } from "./inexact-backends.ts";

/** A backend in memory whose calls reach the store a moment after they are made, as over a wire. */
function remote(overrides: (inner: MemoryStateBackend) => Partial<StateBackend>): StateBackend {
  const inner = new MemoryStateBackend();
  const methods = Object.entries(methodsOf(inner)).map(([name, method]) => [
    name,
    async (...args: unknown[]): Promise<unknown> => {
      await onTheWay();
      return (method as (...given: unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return { ...(Object.fromEntries(methods) as StateBackend), ...overrides(inner) };
}

function onTheWay(): Promise<void> {
  return sleep(systemClock, 0);
}

/** Two clients of one store, each with what it has read, until anybody writes. */
function cached(isKept: (since: number, now: number) => boolean): CreateStateBackend {
  return () => {
    const inner = new MemoryStateBackend();
    const written = { times: 0 };
    const client = (): StateBackend => {
      const read = new Map<string, StateEntry | undefined>();
      let seen = -1;
      const methods = Object.entries(methodsOf(inner)).map(([name, method]) => [
        name,
        async (...args: unknown[]): Promise<unknown> => {
          await onTheWay();
          written.times += 1;
          return (method as (...given: unknown[]) => Promise<unknown>)(...args);
        },
      ]);
      return {
        ...(Object.fromEntries(methods) as StateBackend),
        get: async (scope, key) => {
          if (seen !== written.times) read.clear();
          const since = written.times;
          seen = since;
          const id = JSON.stringify([scope, key]);
          if (read.has(id)) return read.get(id);
          const found = await inner.get(scope, key);
          await onTheWay();
          if (isKept(since, written.times)) read.set(id, found);
          seen = written.times;
          return found;
        },
      };
    };
    return { clients: [client(), client()] };
  };
}

/** A cache that is right: it keeps nothing that a write has overtaken. */
export const carefulCache: CreateStateBackend = cached((since, now) => since === now);

const NOTHING: SweepReport = { expired: 0, batches: 0, entries: [] };

/** A sweep that is right: it passes over everything while another call is under way. */
export const shySweep: CreateStateBackend = () => {
  const inner = new MemoryStateBackend();
  let underWay = 0;
  const methods = Object.entries(methodsOf(inner)).map(([name, method]) => [
    name,
    async (...args: unknown[]): Promise<unknown> => {
      underWay += 1;
      await onTheWay();
      underWay -= 1;
      return (method as (...given: unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  const shy: StateBackend = {
    ...(Object.fromEntries(methods) as StateBackend),
    sweepExpired: async (options) => (underWay > 0 ? NOTHING : await inner.sweepExpired(options)),
  };
  return shy;
};

/** Backends that are right unless two calls meet, and lists that follow something else than keys. */
export const MEETING_BUGS: readonly PlantedBug[] = [
  {
    name: "an update puts back the expiry that it has read, though a set came in between",
    caughtBy: /two calls that meet/,
    create: () =>
      remote((inner) => ({
        update: async (scope, key, value, options) => {
          const before = await inner.get(scope, key);
          await onTheWay();
          if ((await inner.get(scope, key)) === undefined || before === undefined) return false;
          await inner.set(scope, key, value, { ...options, expiresAt: before.expiresAt });
          return true;
        },
      })),
  },
  {
    name: "what is compared and found may be deleted before it is exchanged",
    caughtBy: /two calls that meet/,
    create: () =>
      remote((inner) => ({
        compareAndSet: async (scope, key, { expected, value }, options) => {
          const before = await inner.get(scope, key);
          if ((before?.value ?? null) !== expected) return false;
          await onTheWay();
          const now = await inner.get(scope, key);
          if (now !== undefined && now.value !== expected) return false;
          await inner.set(scope, key, value, options);
          return true;
        },
      })),
  },
  {
    name: "a read that a write has overtaken is kept for the next one",
    caughtBy: /two calls that meet/,
    create: cached(() => true),
  },
  {
    name: "a clear leaves what is changed while it looks for what to take",
    caughtBy: /two calls that meet|brings nothing back/,
    create: () =>
      remote((inner) => ({
        clear: async (scope, options) => {
          const { entries } = await inner.list(scope, { limit: 1_000, offset: 0 });
          await onTheWay();
          if (options?.allMapIndices === true || entries.length > 100) {
            await inner.clear(scope, options);
            return;
          }
          for (const before of entries) {
            const now = await inner.get(scope, before.key);
            if (now?.value === before.value) await inner.delete(scope, before.key);
          }
        },
      })),
  },
  {
    name: "a list is in the order of the times of its entries",
    caughtBy: /ordered by key/,
    create: () => {
      const inner = new MemoryStateBackend();
      return {
        ...methodsOf(inner),
        list: async (scope, page) => {
          const { entries, total } = await inner.list(scope, { ...page, limit: 20_000, offset: 0 });
          const byTime = entries.toSorted(
            (one, other) => (one.updatedAt ?? 0) - (other.updatedAt ?? 0),
          );
          return { entries: byTime.slice(page.offset, page.offset + page.limit), total };
        },
      };
    },
  },
];
