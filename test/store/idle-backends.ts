import { MemoryStateBackend, type StateBackend, type StateEntry } from "../../src/store/mod.ts";
import type { CreateStateBackend } from "../../sim/check/backend/check-state-backend.ts";
import type { PlantedBug } from "./broken-backends.ts";
import { methodsOf } from "./inexact-backends.ts";

/** A change feed forgets all but so many changes. */
const FEED_MAX = 16;
const WRITES: readonly string[] = [
  ...["set", "setMany", "update", "compareAndSet", "delete", "clear", "clearRun", "sweepExpired"],
];

/**
 * Two clients of one store with a change feed: each keeps what it has read until the feed says that
 * something has changed. `overrun` says whether one that has missed a part of the feed keeps it.
 */
function fed(overrun: "forgets" | "keeps"): CreateStateBackend {
  return () => {
    const inner = new MemoryStateBackend();
    const feed = { first: 0, end: 0 };
    const client = (): StateBackend => {
      const read = new Map<string, StateEntry | undefined>();
      let seen = 0;
      const methods = methodsOf(inner);
      const writes = Object.entries(methods).map(([name, method]) => [
        name,
        async (...args: unknown[]): Promise<unknown> => {
          const result = await (method as (...given: unknown[]) => Promise<unknown>)(...args);
          if (!WRITES.includes(name)) return result;
          feed.end += 1;
          feed.first = Math.max(0, feed.end - FEED_MAX);
          return result;
        },
      ]);
      return {
        ...(Object.fromEntries(writes) as StateBackend),
        get: async (scope, key) => {
          const isOverrun = seen < feed.first;
          if (seen < feed.end && !(isOverrun && overrun === "keeps")) read.clear();
          seen = feed.end;
          const id = JSON.stringify([scope, key]);
          if (!read.has(id)) read.set(id, await inner.get(scope, key));
          return read.get(id);
        },
      };
    };
    return { clients: [client(), client()] };
  };
}

/** Forgets what it has read when it has missed a part of the change feed. */
export const fedBackend: CreateStateBackend = fed("forgets");

/** A backend in memory of which a method is another one. */
function changed(
  change: (
    inner: MemoryStateBackend,
    methods: ReturnType<typeof methodsOf>,
  ) => Partial<StateBackend>,
): CreateStateBackend {
  return () => {
    const inner = new MemoryStateBackend();
    const methods = methodsOf(inner);
    return { ...methods, ...change(inner, methods) };
  };
}

/** Backends that are right for clients that call often, and for scopes that nobody changes. */
export const IDLE_BUGS: readonly PlantedBug[] = [
  {
    name: "a client that has missed a part of the change feed keeps what it has read",
    caughtBy: /whatever others have done since its last call/,
    create: fed("keeps"),
  },
  {
    name: "a clear of map index 1 takes 10 to 19 with it",
    caughtBy: /map indices differ/,
    create: changed((inner, { clear }) => ({
      clear: async (scope, options) => {
        await clear(scope, options);
        if (scope.kind !== "task-instance" || scope.mapIndex < 0) return;
        const begin = String(scope.mapIndex);
        const { scopes } = await inner.listScopes({ limit: 1_000, offset: 0 });
        for (const { scope: other } of scopes) {
          if (other.kind !== "task-instance" || other.taskId !== scope.taskId) continue;
          if (String(other.mapIndex).startsWith(begin)) await inner.clear(other);
        }
      },
    })),
  },
  {
    name: "the address of a scope is cached by its object, which its caller changes",
    caughtBy: /a scope is what it says at a call/,
    create: () => {
      const known = new WeakMap<object, object>();
      return methodsOf(new MemoryStateBackend(), (scope) => {
        const copy = (known.get(scope) as typeof scope | undefined) ?? { ...scope };
        known.set(scope, copy);
        return copy;
      });
    },
  },
  {
    name: "a sweep asks only at its begin whether it was stopped",
    caughtBy: /stopped amid its batches/,
    create: changed((_, { sweepExpired }) => ({
      sweepExpired: async (request) => {
        request.signal?.throwIfAborted();
        const { signal: _unused, ...rest } = request;
        return sweepExpired(rest);
      },
    })),
  },
];
