import {
  MemoryStateBackend,
  type StateBackend,
  type StateEntry,
  type StoreScope,
  type WriteOptions,
} from "../../src/store/mod.ts";
import { systemClock } from "../../src/platform/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import { taskInstance } from "../../sim/check/backend/state-backend-subject.ts";
import type { CreateStateBackend } from "../../sim/check/backend/check-state-backend.ts";
import type { PlantedBug } from "./broken-backends.ts";
import { methodsOf } from "./inexact-backends.ts";

const EVERYTHING = { limit: 1_000, offset: 0 };

type Overrides = (inner: MemoryStateBackend) => Partial<StateBackend>;
type Set = Parameters<StateBackend["set"]>;

/** A backend in memory with some other methods; what these call is the store as it is. */
function altered(overrides: Overrides): CreateStateBackend {
  return () => {
    const inner = new MemoryStateBackend();
    return { ...methodsOf(inner), ...overrides(inner) };
  };
}

/** A backend that changes what is written before it is. */
function writing(
  change: (...set: Set) => readonly [value: string, options: WriteOptions],
): CreateStateBackend {
  return altered((inner) => ({
    set: (scope, key, value, options) =>
      inner.set(scope, key, ...change(scope, key, value, options)),
  }));
}

/** A backend under other names of keys. */
function naming(nameOf: (scope: StoreScope, key: string) => string): CreateStateBackend {
  return altered((inner) => {
    const names = new Map<string, string>();
    const idOf = (scope: StoreScope, key: string): string => {
      const id = JSON.stringify([scope.kind, nameOf(scope, key)]);
      const known = names.get(id) ?? JSON.stringify({ scope, key });
      names.set(id, known);
      return known;
    };
    const placeOf = (scope: StoreScope, key: string): [StoreScope, string] => {
      const place = JSON.parse(idOf(scope, key)) as { scope: StoreScope; key: string };
      return [place.scope, place.key];
    };
    return {
      get: (scope, key) => inner.get(...placeOf(scope, key)),
      set: (scope, key, ...rest) => inner.set(...placeOf(scope, key), ...rest),
    };
  });
}

/** Two clients of one store, each of which remembers what it has read. */
function remembering(forgets: readonly (keyof StateBackend)[]): CreateStateBackend {
  return () => {
    const inner = new MemoryStateBackend();
    const client = (): StateBackend => {
      const read = new Map<string, StateEntry | undefined>();
      const methods = methodsOf(inner);
      const forgetful = Object.fromEntries(
        forgets.map((name) => {
          const method = methods[name as "set"] as (...args: unknown[]) => Promise<unknown>;
          const forgetting = async (...args: unknown[]): Promise<unknown> => {
            read.clear();
            return method(...args);
          };
          return [name, forgetting];
        }),
      );
      return {
        ...methods,
        ...forgetful,
        get: async (scope, key) => {
          const id = JSON.stringify([scope, key]);
          if (!read.has(id)) read.set(id, await inner.get(scope, key));
          return read.get(id);
        },
      };
    };
    return { clients: forgets.length === WRITES.length ? [client(), client()] : [client()] };
  };
}

const WRITES = [
  ...(["set", "setMany", "update", "compareAndSet"] as const),
  ...(["delete", "clear", "clearRun", "sweepExpired"] as const),
];

function without(method: keyof StateBackend): readonly (keyof StateBackend)[] {
  return WRITES.filter((name) => name !== method);
}

/** Large texts under names of their own; `nameOf` is what is wrong with them. */
function offloading(nameOf: (key: string, value: string) => string): CreateStateBackend {
  return altered((inner) => {
    const payloads = new Map<string, string>();
    const whole = (entry: StateEntry | undefined): StateEntry | undefined => {
      if (entry?.value.startsWith("@") !== true) return entry;
      return { ...entry, value: payloads.get(entry.value) ?? '""' };
    };
    return {
      get: async (scope, key) => whole(await inner.get(scope, key)),
      set: async (scope, key, value, options) => {
        const name = value.length > 300 ? `@${nameOf(key, value)}` : value;
        if (name !== value) payloads.set(name, value);
        await inner.set(scope, key, name, options);
      },
      delete: async (scope, key) => {
        payloads.delete((await inner.get(scope, key))?.value ?? "");
        await inner.delete(scope, key);
      },
    };
  });
}

/** Whether `name` is what a pattern of LIKE stands for. */
function isLike(name: string, pattern: string): boolean {
  const exact = pattern.replace(/[$()*+.?[\]^{|}]/g, "\\$&");
  return new RegExp(`^${exact.replaceAll("_", ".").replaceAll("%", ".*")}$`, "su").test(name);
}

/** Backends that are right as long as one call follows another, and everything is small. */
export const HASTY_BUGS: readonly PlantedBug[] = [
  ...(["setMany", "update", "compareAndSet", "delete", "clear", "sweepExpired"] as const).map(
    (method) => ({
      name: `a cache that ${method} does not know about`,
      caughtBy: /what was read before|writes only what is expected|takes every key|scopes of their/,
      create: remembering(without(method)),
    }),
  ),
  {
    name: "a cache in each client, of which the others do not know",
    caughtBy: /is seen by every client|what was read before/,
    create: remembering(WRITES),
  },
  {
    name: "the newest 10,000 entries are kept",
    caughtBy: /all that is stored is there/,
    create: altered((inner) => ({
      setMany: async (scope, entries, options) => {
        await inner.setMany(scope, entries, options);
        const { total } = await inner.list(scope, { limit: 1, offset: 0 });
        const surplus = await inner.list(scope, { limit: Math.max(0, total - 10_000), offset: 0 });
        for (const { key } of surplus.entries) await inner.delete(scope, key);
      },
    })),
  },
  {
    name: "a list knows of 10,000 entries",
    caughtBy: /all that is stored is there/,
    create: altered((inner) => ({
      list: async (scope, page) => {
        const limit = Math.max(0, Math.min(page.limit, 10_000 - page.offset));
        const { entries, total } = await inner.list(scope, { ...page, limit });
        return { entries, total: Math.min(total, 10_000) };
      },
    })),
  },
  {
    name: "a clear deletes what a first page of 10,000 shows",
    caughtBy: /a clear takes all that is there/,
    create: altered((inner) => ({
      clear: async (scope, options) => {
        const { entries, total } = await inner.list(scope, { limit: 10_000, offset: 0 });
        if (total <= 10_000) return await inner.clear(scope, options);
        for (const { key } of entries) await inner.delete(scope, key);
      },
    })),
  },
  {
    name: "a sweep ends after five batches",
    caughtBy: /a sweep takes all that has expired/,
    create: altered((inner) => ({
      sweepExpired: async (request) => {
        const { expired } = await inner.sweepExpired({ ...request, dryRun: true });
        if (expired <= 5_000 || request.dryRun === true) return await inner.sweepExpired(request);
        const { entries } = await inner.list(taskInstance({}), { limit: 5_000, offset: 0 });
        for (const { key } of entries) await inner.delete(taskInstance({}), key);
        return { expired: 5_000, batches: 5, entries: [] };
      },
    })),
  },
  {
    name: "a value is written first and its expiry afterwards",
    caughtBy: /never half of it/,
    create: altered((inner) => ({
      set: async (scope, key, value, options) => {
        const before = await inner.get(scope, key);
        const { expiresAt } = before ?? options;
        await inner.set(scope, key, value, { ...options, expiresAt });
        await Promise.resolve();
        await inner.set(scope, key, value, options);
      },
    })),
  },
  {
    name: "setMany writes one by one",
    caughtBy: /all that a setMany\(\) writes or nothing/,
    create: altered((inner) => ({
      setMany: async (scope, entries, options) => {
        // What is wrong with one of them is found first.
        await inner.setMany(taken(scope), entries, options);
        for (const [key, value] of entries) await inner.set(scope, key, value, options);
        await inner.clear(taken(scope));
      },
    })),
  },
  {
    name: "the write with the latest time counts",
    caughtBy: /whatever its writer's clock says/,
    create: altered((inner) => ({
      set: async (scope, key, value, options) => {
        const before = (await inner.get(scope, key))?.updatedAt ?? 0;
        if (before > (options.updatedAt ?? before)) return;
        await inner.set(scope, key, value, options);
      },
    })),
  },
  {
    name: "a delete counts against what its entry's clock says is earlier",
    caughtBy: /whatever its writer's clock says/,
    create: altered((inner) => {
      const gone = new Map<string, number>();
      return {
        set: async (scope, key, value, options) => {
          const since = gone.get(JSON.stringify([scope, key])) ?? 0;
          if ((options.updatedAt ?? since) < since) return;
          await inner.set(scope, key, value, options);
        },
        delete: async (scope, key) => {
          const before = (await inner.get(scope, key))?.updatedAt ?? null;
          if (before !== null) gone.set(JSON.stringify([scope, key]), before);
          await inner.delete(scope, key);
        },
      };
    }),
  },
  {
    name: "a connection stays in its failed transaction",
    caughtBy: /leaves the next ones as they are/,
    create: altered((inner) => {
      let hasFailed = false;
      return {
        get: async (scope, key) => {
          if (hasFailed) return undefined;
          return inner.get(scope, key);
        },
        set: async (...set) => {
          try {
            await inner.set(...set);
          } catch (error) {
            hasFailed = true;
            throw error;
          }
        },
      };
    }),
  },
  {
    name: "an expiry is kept in 31 bits of seconds",
    caughtBy: /to the millisecond/,
    create: writing((_scope, _key, value, options) => {
      const { expiresAt } = options;
      if (expiresAt === null) return [value, options];
      return [value, { ...options, expiresAt: Math.min(expiresAt, 2 ** 31 * 1_000 - 1) }];
    }),
  },
  {
    name: "a map index is kept in two bytes",
    caughtBy: /map indices differ/,
    create: naming((scope, key) =>
      scope.kind === "task-instance"
        ? JSON.stringify({ ...scope, mapIndex: Math.min(scope.mapIndex, 32_767), key })
        : JSON.stringify([scope, key]),
    ),
  },
  {
    name: "map index and key are joined without a mark in between",
    caughtBy: /map indices differ/,
    create: naming((scope, key) =>
      scope.kind === "task-instance"
        ? `${JSON.stringify({ ...scope, mapIndex: 0 })}${scope.mapIndex}${key}`
        : JSON.stringify([scope, key]),
    ),
  },
  {
    name: "what is written is merged into what is there",
    caughtBy: /merges neither/,
    create: altered((inner) => ({
      set: async (scope, key, value, options) => {
        const before = (await inner.get(scope, key))?.value ?? "null";
        const both = [before, value].every((text) => text.startsWith("{"));
        const merged = both ? { ...objectOf(before), ...objectOf(value) } : undefined;
        const text = merged === undefined ? value : JSON.stringify(merged);
        await inner.set(scope, key, text, options);
      },
    })),
  },
  {
    name: "a writer is merged into the one before",
    caughtBy: /merges neither/,
    create: altered((inner) => ({
      set: async (scope, key, value, options) => {
        const before = (await inner.get(scope, key))?.writer;
        const { writer } = options;
        if (writer === undefined) return inner.set(scope, key, value, options);
        return inner.set(scope, key, value, { ...options, writer: { ...before, ...writer } });
      },
    })),
  },
  {
    name: "large values are named by their key alone",
    caughtBy: /its key's and its scope's alone/,
    create: offloading((key) => key),
  },
  {
    name: "equal large values share a payload, which the first delete takes",
    caughtBy: /its key's and its scope's alone/,
    create: offloading((_key, value) => `${value.length} ${value.slice(0, 3)}`),
  },
  {
    name: "a list ends after a hundred keys",
    caughtBy: /as many as it is asked for/,
    create: altered((inner) => ({
      list: (scope, page) => inner.list(scope, { ...page, limit: Math.min(page.limit, 100) }),
    })),
  },
  {
    name: "a clear takes its dag for a pattern of LIKE",
    caughtBy: /takes a scope for what it is/,
    create: altered((inner) => ({
      clear: async (scope, options) => {
        await inner.clear(scope, options);
        if (scope.kind !== "task-instance") return;
        const { scopes } = await inner.listScopes(EVERYTHING);
        for (const { scope: other } of scopes) {
          if (other.kind !== "task-instance" || !isLike(other.dagId, scope.dagId)) continue;
          if (other.runId !== scope.runId || other.taskId !== scope.taskId) continue;
          if (other.mapIndex === scope.mapIndex) await inner.clear(other);
        }
      },
    })),
  },
  {
    name: "listScopes leaves processes out",
    caughtBy: /scopes of every kind/,
    create: altered((inner) => ({
      listScopes: async (page) => {
        const { scopes } = await inner.listScopes(EVERYTHING);
        const known = scopes.filter(({ scope }) => scope.kind !== "process");
        return {
          scopes: known.slice(page.offset, page.offset + page.limit),
          total: known.length,
        };
      },
    })),
  },
  {
    name: "compareAndSet takes what has expired for absent",
    caughtBy: /expired or not/,
    create: altered((inner) => ({
      compareAndSet: async (scope, key, change, options) => {
        const expiresAt = (await inner.get(scope, key))?.expiresAt ?? Infinity;
        if (expiresAt <= (options.updatedAt ?? 0)) await inner.delete(scope, key);
        return inner.compareAndSet(scope, key, change, options);
      },
    })),
  },
  {
    name: "a dry run names everything",
    caughtBy: /names the first thousand/,
    create: altered((inner) => ({
      sweepExpired: async (request) => {
        const report = await inner.sweepExpired(request);
        const first = report.entries[0];
        if (first === undefined) return report;
        const entries = Array.from(
          { length: report.expired },
          (_, at) => report.entries[at] ?? first,
        );
        return { ...report, entries };
      },
    })),
  },
  {
    name: "setMany sends twenty-five keys at a time",
    caughtBy: /some keys of a setMany/,
    create: altered((inner) => ({
      setMany: async (scope, entries, options) => {
        for (let at = 0; at < entries.length; at += 25) {
          await inner.setMany(scope, entries.slice(at, at + 25), options);
          await sleep(systemClock, 0);
        }
      },
    })),
  },
  {
    name: "setMany sends a thousand keys at a time",
    caughtBy: /some keys of a setMany/,
    create: altered((inner) => ({
      setMany: async (scope, entries, options) => {
        await inner.setMany(scope, entries.slice(0, 1_000), options);
        await sleep(systemClock, 0);
        await inner.setMany(scope, entries.slice(1_000), options);
      },
    })),
  },
  {
    name: "now and then a set that took long is sent again, and the first one comes late",
    caughtBy: /what is stored stays as it is until somebody changes it/,
    create: altered((inner) => {
      const calls = { made: 0 };
      return {
        set: async (...args) => {
          calls.made += 1;
          await inner.set(...args);
          if (calls.made % 7 === 0) setTimeout(() => void inner.set(...args), 1);
        },
      };
    }),
  },
  {
    name: "what has expired is removed by a timer",
    caughtBy: /what is stored stays as it is until somebody changes it/,
    create: altered((inner) => ({
      set: async (scope, key, value, options) => {
        await inner.set(scope, key, value, options);
        const { expiresAt } = options;
        if (expiresAt === null) return;
        const ms = Math.max(1, Math.min(1_000, expiresAt - Date.now()));
        setTimeout(() => void inner.delete(scope, key), ms);
      },
    })),
  },
  {
    name: "a run that is cleared is a pattern of LIKE",
    caughtBy: /clearRun\(\) takes a run for what it is/,
    create: altered((inner) => ({
      clearRun: async (run) => {
        const { scopes } = await inner.listScopes(EVERYTHING);
        for (const { scope } of scopes) {
          if (scope.kind !== "task-instance" || scope.dagId !== run.dagId) continue;
          if (isLike(scope.runId, run.runId)) await inner.clear(scope);
        }
      },
    })),
  },
  {
    name: "what was read of another map index outlives a clear of all",
    caughtBy: /gone for those who have read it/,
    create: altered((inner) => {
      const read = new Map<string, StateEntry | undefined>();
      const idOf = (scope: StoreScope, key: string): string => JSON.stringify([scope, key]);
      return {
        get: async (scope, key) => {
          const id = idOf(scope, key);
          if (!read.has(id)) read.set(id, await inner.get(scope, key));
          return read.get(id);
        },
        ...forgettingAll(inner, read),
        clear: async (scope, options) => {
          const { entries } = await inner.list(scope, EVERYTHING);
          for (const { key } of entries) read.delete(idOf(scope, key));
          await inner.clear(scope, options);
        },
      };
    }),
  },
];

/** The methods that write, each of which forgets whatever was read. */
function forgettingAll(
  inner: MemoryStateBackend,
  read: Map<string, unknown>,
): Partial<StateBackend> {
  const methods = methodsOf(inner);
  const forgetting = WRITES.map((name) => {
    const write = methods[name] as (...args: unknown[]) => Promise<unknown>;
    return [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        const done = await write(...args);
        read.clear();
        return done;
      },
    ];
  });
  return Object.fromEntries(forgetting) as Partial<StateBackend>;
}

/** Where something is written for a moment. */
function taken(scope: StoreScope): StoreScope {
  return { kind: "process", namespace: "elsewhere", processName: JSON.stringify(scope) };
}

function objectOf(text: string): object {
  return JSON.parse(text) as object;
}
