import {
  DEFAULT_RETENTION,
  NEVER_EXPIRE,
  type Retention,
  type SetOptions,
  type TaskStateStore,
} from "../../src/store/mod.ts";
import { millisecondsFrom } from "../../src/time/mod.ts";

/**
 * Returns a store that says how long each entry is asked to live, before it is written.
 *
 * `ask` is called where a write names a retention, and where a write of the same key names none any
 * more, with milliseconds; null: for ever.
 */
export function askingStore(
  store: TaskStateStore,
  byDefault: Retention | undefined,
  ask: (key: string, ms: number | null) => void,
): TaskStateStore {
  const asked = new Set<string>();
  const note = (key: string, { retention }: SetOptions = {}): void => {
    const isNamed = retention !== undefined && retention !== null;
    if (!isNamed && !asked.has(key)) return;
    asked.add(key);
    ask(key, retentionMs(isNamed ? retention : (byDefault ?? DEFAULT_RETENTION)));
  };
  const written: Pick<TaskStateStore, "set" | "setMany" | "compareAndSet"> = {
    set(key, value, options) {
      note(key, options);
      return store.set(key, value, options);
    },
    setMany(values, options) {
      for (const key of Object.keys(values)) note(key, options);
      return store.setMany(values, options);
    },
    compareAndSet(key, expected, value, options) {
      note(key, options);
      return store.compareAndSet(key, expected, value, options);
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
