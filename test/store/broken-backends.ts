import type {
  ClearOptions,
  EntryPage,
  ListPage,
  StateBackend,
  StateEntry,
  StoreScope,
  SweepReport,
  SweepRequest,
  WriteOptions,
} from "../../src/store/mod.ts";
import { MemoryStateBackend, scopeAddressFrom } from "../../src/store/mod.ts";
import type { CreateStateBackend } from "../../sim/check/backend/check-state-backend.ts";

/** A bug that a backend may have, and part of the title of the law that must catch it. */
export interface PlantedBug {
  readonly name: string;
  readonly create: CreateStateBackend;
  readonly caughtBy: RegExp;
}

/** A backend in memory with the six required methods only. */
class Plain implements StateBackend {
  readonly inner = new MemoryStateBackend();

  get(scope: StoreScope, key: string): Promise<StateEntry | undefined> {
    return this.inner.get(scope, key);
  }

  set(scope: StoreScope, key: string, value: string, options: WriteOptions): Promise<void> {
    return this.inner.set(scope, key, value, options);
  }

  delete(scope: StoreScope, key: string): Promise<void> {
    return this.inner.delete(scope, key);
  }

  clear(scope: StoreScope, options?: ClearOptions): Promise<void> {
    return this.inner.clear(scope, options);
  }

  list(scope: StoreScope, page: ListPage): Promise<EntryPage> {
    return this.inner.list(scope, page);
  }

  sweepExpired(request: SweepRequest): Promise<SweepReport> {
    return this.inner.sweepExpired(request);
  }
}

type Overrides = (plain: Plain) => Partial<StateBackend>;

function broken(overrides: Overrides): () => StateBackend {
  return () => {
    const plain = new Plain();
    return Object.assign(plain, overrides(plain));
  };
}

/** The same without a bug, which no law may reject. */
export const plainBackend: CreateStateBackend = broken(() => ({}));

const EVERYTHING = { limit: 1_000, offset: 0 };

/** A backend in memory whose compareAndSet is another one. */
function comparing(
  compareAndSet: (inner: MemoryStateBackend) => NonNullable<StateBackend["compareAndSet"]>,
): CreateStateBackend {
  return broken(({ inner }) => ({ compareAndSet: compareAndSet(inner) }));
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: "compareAndSet reads first and writes afterwards",
    caughtBy: /lets one of two clients win|never falls/,
    create: comparing((inner) => async (scope, key, { expected, value }, options) => {
      const before = await inner.get(scope, key);
      if ((before?.value ?? null) !== expected) return false;
      await later(2);
      await inner.set(scope, key, value, options);
      return true;
    }),
  },
  {
    name: "compareAndSet takes any value for the expected one",
    caughtBy: /writes only what is expected/,
    create: comparing((inner) => async (scope, key, { expected, value }, options) => {
      const before = await inner.get(scope, key);
      if ((before === undefined) !== (expected === null)) return false;
      await inner.set(scope, key, value, options);
      return true;
    }),
  },
  {
    name: "compareAndSet creates an entry where another was expected",
    caughtBy: /writes only what is expected/,
    create: comparing((inner) => async (scope, key, { expected, value }, options) => {
      const before = await inner.get(scope, key);
      if (before !== undefined && before.value !== expected) return false;
      await inner.set(scope, key, value, options);
      return true;
    }),
  },
  {
    name: "compareAndSet keeps the expiry of the entry",
    caughtBy: /writes only what is expected/,
    create: comparing((inner) => async (scope, key, change, options) => {
      const expiresAt = (await inner.get(scope, key))?.expiresAt ?? options.expiresAt;
      return inner.compareAndSet(scope, key, change, { ...options, expiresAt });
    }),
  },
  {
    name: "compareAndSet reports that it wrote, and did not",
    caughtBy: /writes only what is expected|lets one of two clients win|never falls/,
    create: comparing((inner) => async (scope, key, { expected }) => {
      return ((await inner.get(scope, key))?.value ?? null) === expected;
    }),
  },
  {
    name: "E9: the sweep deletes by ids that it read earlier",
    caughtBy: /refreshed/,
    create: broken(({ inner }) => ({
      sweepExpired: async (request) => {
        const { entries, expired } = await inner.sweepExpired({ ...request, dryRun: true });
        if (request.dryRun === true) return { expired, entries, batches: 0 };
        request.signal?.throwIfAborted();
        const size = request.batchSize === 0 ? expired : (request.batchSize ?? 5_000);
        for (const { scope, key } of entries) await inner.delete(scope, key);
        return { expired, batches: expired === 0 ? 0 : Math.ceil(expired / size), entries: [] };
      },
    })),
  },
  {
    name: "E10: the sweep reads its own clock",
    caughtBy: /strictly before|by the time that it is given|expires at once/,
    create: broken(({ inner }) => ({
      sweepExpired: (request) => inner.sweepExpired({ ...request, now: Date.now() }),
    })),
  },
  {
    name: "E11: clear treats the map index -1 as a wildcard",
    caughtBy: /clear\(\) takes every key of exactly its scope|-1 is no clear of all/,
    create: broken(({ inner }) => ({
      clear: (scope, options) => {
        const isUnmapped = scope.kind === "task-instance" && scope.mapIndex === -1;
        return inner.clear(scope, isUnmapped ? { allMapIndices: true } : options);
      },
    })),
  },
  {
    name: "E12: a clear of all indices continues after it was acknowledged",
    caughtBy: /allMapIndices/,
    create: broken(({ inner }) => ({
      clear: async (scope, options) => {
        await inner.clear(scope, options);
        if (options?.allMapIndices !== true) return;
        void later(4).then(() => inner.clear(scope, options));
      },
    })),
  },
  {
    name: "E36: text is decoded and encoded again",
    caughtBy: /verbatim|default, falsy/,
    create: broken(({ inner }) => ({
      set: (scope, key, value, options) =>
        inner.set(scope, key, JSON.stringify(JSON.parse(value)), options),
    })),
  },
  {
    name: "E39: two clients of one store have a store each",
    caughtBy: /seen by every client/,
    create: () => ({ clients: [new MemoryStateBackend(), new MemoryStateBackend()] }),
  },
  {
    name: "E41: a write without an expiry gets a default of the backend",
    caughtBy: /replaces value, expiry and time/,
    create: broken(({ inner }) => ({
      set: (scope, key, value, options) =>
        inner.set(scope, key, value, { ...options, expiresAt: options.expiresAt ?? 86_400_000 }),
    })),
  },
  {
    name: "E43: never is stored as the largest possible date",
    caughtBy: /replaces value, expiry and time/,
    create: broken(({ inner }) => ({
      set: (scope, key, value, options) =>
        inner.set(scope, key, value, { ...options, expiresAt: options.expiresAt ?? 8.64e15 }),
    })),
  },
  {
    name: "E55: clearing a task instance clears an asset that has the name of its dag",
    caughtBy: /exactly its scope|scopes of their own/,
    create: broken(({ inner }) => ({
      clear: async (scope, options) => {
        await inner.clear(scope, options);
        if (scope.kind === "task-instance") await inner.clear({ kind: "asset", name: scope.dagId });
      },
    })),
  },
  {
    name: "A29: value and expiry are written one after the other",
    caughtBy: /two sets at once/,
    create: broken(({ inner }) => ({
      set: async (scope, key, value, options) => {
        const slow = value.includes('"by":1') ? 3 : 0;
        await inner.set(scope, key, value, options);
        await later(slow);
        const now = await inner.get(scope, key);
        if (slow > 0 && now !== undefined) await inner.set(scope, key, now.value, options);
      },
    })),
  },
  {
    name: "A30: a write is acknowledged before it took effect",
    caughtBy: /never the default|any key works/,
    create: broken(({ inner }) => ({
      set: async (scope, key, value, options) => {
        void later(8).then(() => inner.set(scope, key, value, options));
      },
    })),
  },
  {
    name: "A32: a key is cut to 255 characters",
    caughtBy: /any key works/,
    create: broken(({ inner }) => ({
      get: async (scope, key) => {
        const entry = await inner.get(scope, key.slice(0, 255));
        return entry === undefined ? undefined : { ...entry, key };
      },
      set: (scope, key, value, options) => inner.set(scope, key.slice(0, 255), value, options),
    })),
  },
  {
    name: "A33: keys that differ in case are one",
    caughtBy: /any key works/,
    create: broken(({ inner }) => ({
      get: (scope, key) => inner.get(scope, key.toLowerCase()),
      set: (scope, key, value, options) => inner.set(scope, key.toLowerCase(), value, options),
    })),
  },
  {
    name: "A45: a second write keeps the first one's expiry",
    caughtBy: /replaces value, expiry and time/,
    create: broken(({ inner }) => ({
      set: async (scope, key, value, options) => {
        const before = await inner.get(scope, key);
        await inner.set(scope, key, value, {
          ...options,
          expiresAt: before?.expiresAt ?? options.expiresAt,
        });
      },
    })),
  },
  {
    name: "A54: clearing all indices clears every task whose id has the same beginning",
    caughtBy: /no other task/,
    create: broken(({ inner }) => ({
      clear: async (scope, options) => {
        await inner.clear(scope, options);
        if (options?.allMapIndices !== true || scope.kind !== "task-instance") return;
        await inner.clear({ ...scope, taskId: `${scope.taskId}er`, mapIndex: -1 }, options);
      },
    })),
  },
  {
    name: "A59: the parts of a scope are joined with a separator",
    caughtBy: /for every two scopes|scopes of their own/,
    create: broken(({ inner }) => {
      const originals = new Map<string, StoreScope>();
      const joined = (scope: StoreScope): StoreScope => {
        const { group, mapIndex } = scopeAddressFrom(scope);
        const parts = (JSON.parse(group) as (string | null)[]).join(",");
        originals.set(`${parts} ${mapIndex}`, scope);
        return { kind: "task-instance", dagId: parts, runId: "", taskId: "", mapIndex };
      };
      const original = (scope: StoreScope): StoreScope =>
        scope.kind === "task-instance"
          ? (originals.get(`${scope.dagId} ${scope.mapIndex}`) ?? scope)
          : scope;
      return {
        get: (scope, key) => inner.get(joined(scope), key),
        set: (scope, key, value, options) => inner.set(joined(scope), key, value, options),
        delete: (scope, key) => inner.delete(joined(scope), key),
        clear: (scope, options) => inner.clear(joined(scope), options),
        list: (scope, page) => inner.list(joined(scope), page),
        sweepExpired: async (request) => {
          const report = await inner.sweepExpired(request);
          const entries = report.entries.map((entry) => ({
            ...entry,
            scope: original(entry.scope),
          }));
          return { ...report, entries };
        },
      };
    }),
  },
  {
    name: "A65: the sweep deletes what expires at this very instant",
    caughtBy: /strictly before|expires at once/,
    create: broken(({ inner }) => ({
      sweepExpired: (request) => inner.sweepExpired({ ...request, now: request.now + 1 }),
    })),
  },
  {
    name: "A69: the sweep ignores its signal",
    caughtBy: /stopped/,
    create: broken(({ inner }) => ({
      sweepExpired: ({ now, batchSize = 5_000, dryRun = false }) =>
        inner.sweepExpired({ now, batchSize, dryRun }),
    })),
  },
  {
    name: "A71: a dry run deletes",
    caughtBy: /dry run/,
    create: broken(({ inner }) => ({
      sweepExpired: async (request) => {
        const report = await inner.sweepExpired(request);
        if (request.dryRun === true) await inner.sweepExpired({ now: request.now });
        return report;
      },
    })),
  },
  {
    name: "A92: the total is the length of the page",
    caughtBy: /pages by key|any key works/,
    create: broken(({ inner }) => ({
      list: async (scope, page) => {
        const { entries } = await inner.list(scope, page);
        return { entries, total: entries.length };
      },
    })),
  },
  {
    name: "A92: the list is ordered by time of writing",
    caughtBy: /pages by key/,
    create: broken(({ inner }) => {
      const written: string[] = [];
      return {
        set: (scope, key, value, options) => {
          if (!written.includes(key)) written.push(key);
          return inner.set(scope, key, value, options);
        },
        list: async (scope, page) => {
          const { entries, total } = await inner.list(scope, { ...page, ...EVERYTHING });
          const ordered = entries.toSorted(
            (left, right) => written.indexOf(left.key) - written.indexOf(right.key),
          );
          return { entries: ordered.slice(page.offset, page.offset + page.limit), total };
        },
      };
    }),
  },
];

/** Resolves after `hops` microtasks; no clock is involved. */
async function later(hops: number): Promise<void> {
  for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
}
