import {
  MemoryStateBackend,
  type ScopePage,
  type StateBackend,
  type StateEntry,
  type StoreScope,
} from "../../src/store/mod.ts";
import type { CreateStateBackend } from "../../sim/check/backend/check-state-backend.ts";
import type { PlantedBug } from "./broken-backends.ts";

const EVERYTHING = { limit: 1_000, offset: 0 };

type Methods = Required<Omit<StateBackend, "storedChars">>;

/** The methods of a backend, of which some may be replaced; `taken` takes one scope for another. */
export function methodsOf(
  inner: MemoryStateBackend,
  taken: (scope: StoreScope) => StoreScope = (scope) => scope,
): Methods {
  return {
    get: (scope, key) => inner.get(taken(scope), key),
    set: (scope, ...rest) => inner.set(taken(scope), ...rest),
    delete: (scope, key) => inner.delete(taken(scope), key),
    clear: (scope, options) => inner.clear(taken(scope), options),
    list: (scope, page) => inner.list(taken(scope), page),
    setMany: (scope, ...rest) => inner.setMany(taken(scope), ...rest),
    getMany: (scope, keys) => inner.getMany(taken(scope), keys),
    update: (scope, ...rest) => inner.update(taken(scope), ...rest),
    compareAndSet: (scope, ...rest) => inner.compareAndSet(taken(scope), ...rest),
    clearRun: (run) => inner.clearRun(run),
    listScopes: (page) => inner.listScopes(page),
    sweepExpired: (request) => inner.sweepExpired(request),
  };
}

function confusing(taken: (scope: StoreScope) => StoreScope): CreateStateBackend {
  return () => methodsOf(new MemoryStateBackend(), taken);
}

/** A backend in memory that lists scopes otherwise. */
function listing(
  change: (listed: ScopePage, page: Parameters<MemoryStateBackend["listScopes"]>[0]) => ScopePage,
): CreateStateBackend {
  return () => {
    const inner = new MemoryStateBackend();
    const all = inner.listScopes.bind(inner);
    return Object.assign(inner, {
      listScopes: async (page: Parameters<typeof all>[0]) => change(await all(page), page),
    });
  };
}

/** A backend in memory whose getMany is another one. */
function finding(
  getMany: (
    inner: MemoryStateBackend,
    scope: StoreScope,
    keys: readonly string[],
  ) => Promise<readonly StateEntry[]>,
): CreateStateBackend {
  return () => {
    const inner = new MemoryStateBackend();
    const whole = inner.getMany.bind(inner);
    const reached = Object.assign(Object.create(null) as MemoryStateBackend, {
      get: inner.get.bind(inner),
      getMany: whole,
    });
    return Object.assign(inner, {
      getMany: (scope: StoreScope, keys: readonly string[]) => getMany(reached, scope, keys),
    });
  };
}

/** Backends that take more or less than a name, a number or a moment says. */
export const INEXACT_BUGS: readonly PlantedBug[] = [
  {
    name: "a key that is deleted is a pattern of LIKE",
    caughtBy: /not for a pattern/,
    create: () => {
      const inner = new MemoryStateBackend();
      const take = inner.delete.bind(inner);
      return Object.assign(inner, {
        delete: async (scope: StoreScope, key: string) => {
          const exact = key.replace(/[.*?[\]]/g, "\\$&");
          const like = exact.replaceAll("_", ".").replaceAll("%", ".*");
          const pattern = new RegExp(`^${like}$`, "su");
          const { entries } = await inner.list(scope, EVERYTHING);
          for (const entry of entries) if (pattern.test(entry.key)) await take(scope, entry.key);
          await take(scope, key);
        },
      });
    },
  },
  {
    name: "an asset is known by its name alone",
    caughtBy: /each part of a scope/,
    create: confusing((scope) =>
      scope.kind === "asset" && scope.name !== undefined
        ? { kind: "asset", name: scope.name }
        : scope,
    ),
  },
  {
    name: "a process is known without its namespace",
    caughtBy: /each part of a scope/,
    create: confusing((scope) =>
      scope.kind === "process" ? { ...scope, namespace: "default" } : scope,
    ),
  },
  {
    name: "getMany returns entries in the order of the keys that it is given",
    caughtBy: /getMany\(\) returns what get\(\) does/,
    create: finding(async (inner, scope, keys) => {
      const entries: StateEntry[] = [];
      for (const key of keys) {
        const entry = await inner.get(scope, key);
        if (entry !== undefined) entries.push(entry);
      }
      return entries;
    }),
  },
  {
    name: "getMany asks for the first hundred keys only",
    caughtBy: /getMany\(\) returns what get\(\) does/,
    create: finding((inner, scope, keys) => inner.getMany(scope, keys.slice(0, 100))),
  },
  {
    name: "getMany hides what expires",
    caughtBy: /getMany\(\) returns what get\(\) does/,
    create: finding(async (inner, scope, keys) => {
      const entries = await inner.getMany(scope, keys);
      return entries.filter(({ expiresAt }) => expiresAt === null || expiresAt > 60_000);
    }),
  },
  {
    name: "listScopes counts two entries at most",
    caughtBy: /listScopes\(\) counts/,
    create: listing(({ scopes, total }) => ({
      scopes: scopes.map((one) => ({ ...one, entries: Math.min(one.entries, 2) })),
      total,
    })),
  },
  {
    name: "listScopes counts no more than it has read",
    caughtBy: /listScopes\(\) pages/,
    create: listing(({ scopes, total }, { offset, limit }) => ({
      scopes,
      total: Math.min(total, offset + limit),
    })),
  },
  {
    name: "the time of the last write that said one stays",
    caughtBy: /leaves no earlier time/,
    create: () => {
      const inner = new MemoryStateBackend();
      const write = inner.set.bind(inner);
      return Object.assign(inner, {
        set: async (...[scope, key, value, options]: Parameters<typeof write>) => {
          const before = (await inner.get(scope, key))?.updatedAt ?? undefined;
          const said = before === undefined ? {} : { updatedAt: before };
          await write(scope, key, value, { ...said, ...options });
        },
      });
    },
  },
  {
    name: "an expiry of 0 counts as none",
    caughtBy: /first instant/,
    create: () => {
      const inner = new MemoryStateBackend();
      const write = inner.set.bind(inner);
      return Object.assign(inner, {
        set: (...[scope, key, value, options]: Parameters<typeof write>) =>
          write(scope, key, value, { ...options, expiresAt: options.expiresAt || null }),
      });
    },
  },
  {
    name: "update reads first and writes afterwards",
    caughtBy: /brings nothing back/,
    create: () => {
      const inner = new MemoryStateBackend();
      return Object.assign(inner, {
        update: async (
          ...[scope, key, value, options]: Parameters<NonNullable<StateBackend["update"]>>
        ) => {
          const before = await inner.get(scope, key);
          if (before === undefined) return false;
          await Promise.resolve();
          await inner.set(scope, key, value, { ...options, expiresAt: before.expiresAt });
          return true;
        },
      });
    },
  },
  {
    name: "getMany asks for the first five hundred keys only",
    caughtBy: /getMany\(\) returns all that it is asked for/,
    create: () => {
      const inner = new MemoryStateBackend();
      return {
        ...methodsOf(inner),
        getMany: (scope, keys) => inner.getMany(scope, keys.slice(0, 500)),
      };
    },
  },
  {
    name: "setMany writes fifty entries at a time",
    caughtBy: /nobody reads some keys of a setMany/,
    create: () => {
      const inner = new MemoryStateBackend();
      return {
        ...methodsOf(inner),
        async setMany(scope, entries, options) {
          for (let at = 0; at < entries.length; at += 50) {
            await inner.setMany(scope, entries.slice(at, at + 50), options);
          }
        },
      };
    },
  },
  {
    name: "the id of a task is cut to two hundred characters",
    caughtBy: /scopes differ by a single character/,
    create: confusing((scope) =>
      scope.kind === "task-instance" ? { ...scope, taskId: scope.taskId.slice(0, 200) } : scope,
    ),
  },
  {
    name: "a sweep without batches ends after five thousand entries",
    caughtBy: /a sweep without batches/,
    create: () => {
      const inner = new MemoryStateBackend();
      return {
        ...methodsOf(inner),
        async sweepExpired(request) {
          if (request.batchSize !== 0 || request.dryRun === true) {
            return inner.sweepExpired(request);
          }
          const stop = new AbortController();
          const options = { now: request.now, batchSize: 5_000, signal: stop.signal };
          const swept = inner.sweepExpired(options);
          stop.abort();
          return swept.catch(() => ({ expired: 5_000, batches: 1, entries: [] }));
        },
      };
    },
  },
  {
    name: "a clear of one map index takes the large values of all",
    caughtBy: /each large value is its key's/,
    create: () => {
      const inner = new MemoryStateBackend();
      const large = new Map<string, string>();
      const groupOf = (scope: StoreScope): string =>
        JSON.stringify({ ...scope, mapIndex: undefined });
      const nameOf = (scope: StoreScope, key: string): string =>
        `${groupOf(scope)} ${"mapIndex" in scope ? scope.mapIndex : ""} ${key}`;
      return {
        ...methodsOf(inner),
        set(scope, key, value, options) {
          large.set(nameOf(scope, key), value);
          return inner.set(scope, key, value, options);
        },
        async get(scope, key) {
          const entry = await inner.get(scope, key);
          const isLost = (entry?.value.length ?? 0) > 100 && !large.has(nameOf(scope, key));
          return isLost ? undefined : entry;
        },
        async clear(scope, options) {
          await inner.clear(scope, options);
          for (const name of large.keys()) {
            if (name.startsWith(groupOf(scope))) large.delete(name);
          }
        },
      };
    },
  },
  {
    name: "what has a $ref is read from where large values are",
    caughtBy: /no value is taken for a reference/,
    create: () => offloading((value) => (value as { $ref?: string } | null)?.$ref),
  },
  {
    name: "a text that begins like a reference is read from where large values are",
    caughtBy: /no value is taken for a reference/,
    create: () =>
      offloading((value) =>
        typeof value === "string" && value.startsWith("s3://") ? value : undefined,
      ),
  },
];

/** A backend in memory that keeps nothing elsewhere yet, and looks there for what it refers to. */
function offloading(refIn: (value: unknown) => string | undefined): MemoryStateBackend {
  const inner = new MemoryStateBackend();
  const get = inner.get.bind(inner);
  return Object.assign(inner, {
    get: async (scope: StoreScope, key: string): Promise<StateEntry | undefined> => {
      const entry = await get(scope, key);
      return entry === undefined || refIn(JSON.parse(entry.value)) === undefined
        ? entry
        : undefined;
    },
  });
}
