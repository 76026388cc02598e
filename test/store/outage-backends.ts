import { systemClock } from "../../src/platform/mod.ts";
import { MemoryStateBackend, type StateBackend } from "../../src/store/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import type {
  CreateStateBackend,
  StateBackendSubject,
} from "../../sim/check/backend/check-state-backend.ts";
import type { PlantedBug } from "./broken-backends.ts";
import { methodsOf } from "./inexact-backends.ts";

const LOCK_TIMEOUT_MS = 60;
const LOOK_EVERY_MS = 5;
const RETRIED_AFTER_MS = 400;

/** A store in memory that a lock keeps its clients from, which wait for it for a while. */
class Lockable {
  readonly inner = new MemoryStateBackend();
  isLocked = false;

  /** @throws when the lock stays for longer than a client waits */
  async entered(): Promise<void> {
    for (let waitedMs = 0; this.isLocked; waitedMs += LOOK_EVERY_MS) {
      if (waitedMs >= LOCK_TIMEOUT_MS) throw new Error("canceling statement due to lock timeout");
      await sleep(systemClock, LOOK_EVERY_MS);
    }
  }

  /** A client each of whose calls waits for its turn; `call` says how. */
  client(call: (act: () => Promise<unknown>, name: string) => Promise<unknown>): StateBackend {
    const methods = Object.entries(methodsOf(this.inner)).map(([name, method]) => [
      name,
      (...args: unknown[]) =>
        call(() => (method as (...given: unknown[]) => Promise<unknown>)(...args), name),
    ]);
    return Object.fromEntries(methods) as StateBackend;
  }
}

type Behaviour = (
  store: Lockable,
) => (act: () => Promise<unknown>, name: string) => Promise<unknown>;

/** Two clients of one store that can be locked, each with the behaviour. */
function lockable(behaviour: Behaviour): CreateStateBackend {
  return (): StateBackendSubject => {
    const store = new Lockable();
    return {
      clients: [store.client(behaviour(store)), store.client(behaviour(store))],
      interrupt: async () => {
        store.isLocked = true;
        return () => void (store.isLocked = false);
      },
    };
  };
}

/** Waits for the lock, and fails if that takes too long. */
export const patientBackend: CreateStateBackend = lockable((store) => async (act) => {
  await store.entered();
  return act();
});

/** Sends a call that has failed once more, behind its caller's back, and says that it failed. */
export const lateBackend: CreateStateBackend = lockable((store) => async (act) => {
  try {
    await store.entered();
  } catch (error) {
    setTimeout(() => void act(), 1);
    throw error;
  }
  return act();
});

/** Backends that are right until somebody holds a lock, or the store is away. */
export const OUTAGE_BUGS: readonly PlantedBug[] = [
  ...(["set", "setMany", "update", "compareAndSet", "delete", "clear"] as const).map(
    (method): PlantedBug => ({
      name: `a ${method} that waited too long for a lock is reported as done`,
      caughtBy: /reported as written in an outage/,
      create: lockable((store) => async (act, name) => {
        try {
          await store.entered();
        } catch (error) {
          if (name !== method) throw error;
          return true;
        }
        return act();
      }),
    }),
  ),
  {
    name: "a read that waited too long for a lock finds nothing",
    caughtBy: /takes what is there for absent/,
    create: lockable((store) => async (act, name) => {
      try {
        await store.entered();
      } catch (error) {
        if (name !== "get") throw error;
        return undefined;
      }
      return act();
    }),
  },
  {
    name: "a read that waited too long for a lock finds what it found before",
    caughtBy: /finds what another client has replaced before/,
    create: lockable((store) => {
      const found = new Map<string, unknown>();
      return async (act, name) => {
        try {
          await store.entered();
        } catch (error) {
          if (!found.has(name)) throw error;
          return found.get(name);
        }
        const result = await act();
        if (name === "get" && result !== undefined) found.set(name, result);
        return result;
      };
    }),
  },
  {
    name: "a set that has failed is made again some time later, behind its caller's back",
    caughtBy: /replaces nothing newer/,
    create: lockable((store) => async (act, name) => {
      try {
        await store.entered();
      } catch (error) {
        if (name === "set") setTimeout(() => void act(), RETRIED_AFTER_MS);
        throw error;
      }
      return act();
    }),
  },
  {
    name: "a client shows itself a clear that has failed",
    caughtBy: /all clients find the same|reported as written in an outage/,
    create: lockable((store) => {
      let isCleared = false;
      return async (act, name) => {
        try {
          await store.entered();
        } catch (error) {
          isCleared ||= name === "clear";
          throw error;
        }
        if (name !== "get") isCleared = false;
        return isCleared ? undefined : act();
      };
    }),
  },
  {
    name: "a connection that could not be opened is never tried again",
    caughtBy: /first used in an outage works after it/,
    create: lockable((store) => {
      let opened: Promise<void> | undefined;
      return async (act) => {
        opened ??= store.entered();
        await opened;
        await store.entered();
        return act();
      };
    }),
  },
  {
    name: "a client that has failed stays closed",
    caughtBy: /an outage/,
    create: lockable((store) => {
      let failure: unknown;
      return async (act) => {
        if (failure !== undefined) throw failure as Error;
        try {
          await store.entered();
        } catch (error) {
          failure = error;
          throw error;
        }
        return act();
      };
    }),
  },
];
