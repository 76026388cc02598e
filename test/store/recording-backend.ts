import { MemoryStateBackend, type StateBackend } from "../../src/store/mod.ts";

/** Wraps a backend and records the names of the called methods. */
export function recordingBackend(inner: StateBackend = new MemoryStateBackend()): {
  readonly backend: StateBackend;
  readonly calls: string[];
} {
  const calls: string[] = [];
  const backend = new Proxy(inner, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        calls.push(String(name));
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  return { backend, calls };
}

/** Returns a backend whose every call rejects with `failure`. */
export function failingBackend(failure: Error): StateBackend {
  const fail = async (): Promise<never> => {
    throw failure;
  };
  return { get: fail, set: fail, delete: fail, clear: fail, list: fail, sweepExpired: fail };
}
