import { builtinModule } from "./builtin-modules.ts";

interface Hook {
  enable(): unknown;
  disable(): unknown;
}

interface AsyncHooksModule {
  createHook?(callbacks: {
    init(id: number, type: string): void;
    after(id: number): void;
    destroy(id: number): void;
    /** False saves much time; since Node 24.12, others ignore it. */
    readonly trackPromises: boolean;
  }): Hook;
}

/** What {@linkcode watchAsyncResources} calls. */
export interface AsyncResourceListener {
  /** A resource was created; called from the code that creates it. */
  created(type: string, id: number): void;
  /** A callback of the resource has returned, or the resource is gone. */
  done(id: number): void;
}

/** What {@linkcode watchAsyncResources} returns. */
export interface AsyncResourceWatch {
  /** Starts calling the listener. */
  enable(): void;
  /** Stops calling the listener. */
  disable(): void;
}

/**
 * Calls `listener` for each asynchronous resource of the runtime while the watch is enabled, with
 * its type ("Timeout", "TCPWRAP", "FSREQCALLBACK", see Node's async_hooks). Promises are left out.
 *
 * @returns undefined where the runtime reports none: Deno, Bun, a browser
 *
 * @example
 * ```ts
 * import { watchAsyncResources } from "faultlane/platform";
 *
 * const types: string[] = [];
 * const created = (type: string): void => void types.push(type);
 * const watch = watchAsyncResources({ created, done: () => undefined });
 * watch?.enable();
 * clearTimeout(setTimeout(() => undefined, 1));
 * watch?.disable();
 * console.log(watch === undefined || types.includes("Timeout")); // => true
 * ```
 */
export function watchAsyncResources(
  listener: AsyncResourceListener,
): AsyncResourceWatch | undefined {
  const { versions } =
    (globalThis as { process?: { versions?: Record<string, string> } }).process ?? {};
  if (versions?.["deno"] !== undefined || versions?.["bun"] !== undefined) return undefined;
  const hooks = builtinModule("node:async_hooks") as AsyncHooksModule | undefined;
  const done = (id: number): void => listener.done(id);
  const hook = hooks?.createHook?.({
    init: (id, type) => {
      if (type !== "PROMISE") listener.created(type, id);
    },
    after: done,
    destroy: done,
    trackPromises: false,
  });
  if (hook === undefined) return undefined;
  return { enable: () => void hook.enable(), disable: () => void hook.disable() };
}
