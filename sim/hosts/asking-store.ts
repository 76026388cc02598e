import {
  DEFAULT_RETENTION,
  NEVER_EXPIRE,
  type Retention,
  type SetOptions,
  type TaskStateStore,
} from "../../src/store/mod.ts";
import { millisecondsFrom } from "../../src/time/mod.ts";

/** Hears of what a task asks of its store. */
export interface Asked {
  /**
   * How long an entry is asked to live, before it is written; called where a write names a
   * retention, and where a write of the same key names none any more. In milliseconds; null: for
   * ever.
   */
  retention(key: string, ms: number | null): void;
  /**
   * Called when the store has said that entries are gone: the one under `key`, or without it all
   * of the scope. `begin` returned `since` before the store was called.
   */
  removed(what: { readonly key?: string; readonly all: boolean }, since: number): void;
  /** Returns the time, in virtual milliseconds. */
  begin(): number;
}

/** Returns a store that tells what is asked of it. */
export function askingStore(
  store: TaskStateStore,
  byDefault: Retention | undefined,
  asks: Asked,
): TaskStateStore {
  const asked = new Set<string>();
  const note = (key: string, { retention }: SetOptions = {}): void => {
    const isNamed = retention !== undefined && retention !== null;
    if (!isNamed && !asked.has(key)) return;
    asked.add(key);
    const fallback = byDefault ?? DEFAULT_RETENTION;
    asks.retention(key, isNamed ? retentionMs(retention) : defaultRetentionMs(fallback));
  };
  const written: Pick<TaskStateStore, "set" | "setMany" | "compareAndSet" | "delete" | "clear"> = {
    set(key, value, options) {
      note(key, options);
      return store.set(key, value, options);
    },
    setMany(values, options) {
      const entries = [...values];
      for (const [key] of entries) note(key, options);
      return store.setMany(entries, options);
    },
    compareAndSet(key, expected, value, options) {
      note(key, options);
      return store.compareAndSet(key, expected, value, options);
    },
    async delete(key) {
      const since = asks.begin();
      await store.delete(key);
      asks.removed({ key, all: false }, since);
    },
    async clear(options) {
      const since = asks.begin();
      await store.clear(options);
      asks.removed({ all: options?.allMapIndices === true }, since);
    },
  };
  return new Proxy(store, {
    get(target, name): unknown {
      if (Object.hasOwn(written, name)) return Reflect.get(written, name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Returns a retention in milliseconds; null: for ever. */
export function retentionMs(retention: Retention): number | null {
  return retention === NEVER_EXPIRE ? null : millisecondsFrom(retention, "retention");
}

/** Returns a default retention in milliseconds; null: for ever, which is also what zero means there. */
export function defaultRetentionMs(retention: Retention): number | null {
  return retentionMs(retention) || null;
}
