import { builtinModule } from "./builtin-modules.ts";

/** A value that follows a chain of awaits. */
export interface AsyncContext<T> {
  /** Returns the value of the current task; undefined when none was set. */
  get(): T | undefined;
  /** Sets the value for the rest of this task and for what it starts from now on. */
  enter(value: T): void;
  /** Calls `fn` with the value set for it and for all that it starts, and not for the caller. */
  run<R>(value: T, fn: () => R): R;
}

interface Storage {
  getStore(): unknown;
  enterWith(store: unknown): void;
  run<R>(store: unknown, fn: () => R): R;
}

interface AsyncHooksModule {
  readonly AsyncLocalStorage?: {
    new (): Storage;
    bind?<F extends (...args: never[]) => unknown>(fn: F): F;
  };
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
  const hooks = builtinModule("node:async_hooks") as AsyncHooksModule | undefined;
  if (hooks?.AsyncLocalStorage === undefined) return undefined;
  const storage = new hooks.AsyncLocalStorage();
  return {
    get: () => storage.getStore() as T | undefined,
    enter: (value) => storage.enterWith(value),
    run: (value, fn) => storage.run(value, fn),
  };
}

/**
 * Returns `fn` bound to the async contexts of the current task, whoever calls it later; `fn` itself
 * where the runtime has none.
 *
 * @example
 * ```ts
 * import { bindAsyncContext } from "faultlane/platform";
 *
 * const later = bindAsyncContext(() => "in the context of the line that bound it");
 * console.log(later()); // => in the context of the line that bound it
 * ```
 */
export function bindAsyncContext<F extends (...args: never[]) => unknown>(fn: F): F {
  const storage = (builtinModule("node:async_hooks") as AsyncHooksModule | undefined)
    ?.AsyncLocalStorage;
  return storage?.bind?.(fn) ?? fn;
}
