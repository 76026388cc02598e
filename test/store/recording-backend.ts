import { MemoryStateBackend, type StateBackend } from "../../src/store/mod.ts";

/** A backend that keeps a list of what it was asked, to show that something was never sent. */
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

/** A backend whose every call fails as the network does. */
export function failingBackend(failure: Error): StateBackend {
  const fail = async (): Promise<never> => {
    throw failure;
  };
  return { get: fail, set: fail, delete: fail, clear: fail, list: fail, sweepExpired: fail };
}
