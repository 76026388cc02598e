/** A value that follows a chain of awaits: set here, seen by all that continues from here. */
export interface AsyncContext<T> {
  get(): T | undefined;
  /** Sets the value for the rest of this task, and for what it awaits or starts from now on. */
  enter(value: T): void;
}

interface Storage {
  getStore(): unknown;
  enterWith(store: unknown): void;
}

interface NodeLikeProcess {
  readonly getBuiltinModule?: (name: string) => unknown;
}

/** An async context of the runtime, or undefined where it has none (a browser). */
export function createAsyncContext<T>(): AsyncContext<T> | undefined {
  const { process } = globalThis as { readonly process?: NodeLikeProcess };
  const hooks = process?.getBuiltinModule?.("node:async_hooks") as
    | { readonly AsyncLocalStorage?: new () => Storage }
    | undefined;
  if (hooks?.AsyncLocalStorage === undefined) return undefined;
  const storage = new hooks.AsyncLocalStorage();
  return {
    get: () => storage.getStore() as T | undefined,
    enter: (value) => storage.enterWith(value),
  };
}
