/** A value that follows a chain of awaits. */
export interface AsyncContext<T> {
  /** Returns the value of the current task; undefined when none was set. */
  get(): T | undefined;
  /** Sets the value for the rest of this task and for what it starts from now on. */
  enter(value: T): void;
}

interface Storage {
  getStore(): unknown;
  enterWith(store: unknown): void;
}

interface NodeLikeProcess {
  readonly getBuiltinModule?: (name: string) => unknown;
}

/**
 * Creates an async context, or returns undefined where the runtime has none (a browser).
 *
 * @example
 * ```ts
 * import { createAsyncContext } from "faultlane/platform";
 *
 * const context = createAsyncContext<string>();
 * async function handle(request: string): Promise<void> {
 *   context?.enter(request);
 *   await Promise.resolve();
 *   console.log(context?.get());
 * }
 * await handle("first"); // => first
 * ```
 */
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
