interface ProcessHost {
  readonly versions?: Readonly<Record<string, string>>;
  on?(event: string, listener: (reason: unknown) => void): unknown;
  off?(event: string, listener: (reason: unknown) => void): unknown;
  emit?(event: string, ...args: readonly unknown[]): boolean;
  listenerCount?(event: string): number;
  hasUncaughtExceptionCaptureCallback?(): boolean;
  setUncaughtExceptionCaptureCallback?(listener: ((error: unknown) => void) | null): void;
}

/** Called with an error that nobody caught. Returns false to say that it is somebody else's. */
export type UncaughtListener = (error: unknown) => boolean | void;

/**
 * Whether the runtime calls an {@linkcode UncaughtListener} in the async context of the code that
 * failed: Node and Deno do, Bun does not.
 *
 * @example
 * ```ts
 * import { uncaughtErrorsKeepContext } from "faultlane/platform";
 *
 * console.log(uncaughtErrorsKeepContext() || "Bun" in globalThis); // => true
 * ```
 */
export function uncaughtErrorsKeepContext(): boolean {
  return hostProcess()?.versions?.["bun"] === undefined;
}

/**
 * Calls `listener` for each unhandled rejection until the result is disposed. Until then unhandled
 * rejections do not end the process; one that the listener says is somebody else's does if nobody
 * else listens.
 *
 * @example
 * ```ts
 * import { onUnhandledRejection } from "faultlane/platform";
 *
 * const watch = onUnhandledRejection((reason) => console.error("nobody handled", reason));
 * // ... run code that may leave rejections unhandled ...
 * watch[Symbol.dispose]();
 * ```
 */
export function onUnhandledRejection(listener: UncaughtListener): Disposable {
  const process = hostProcess();
  const onRejection = (reason: unknown): void => {
    if (listener(reason) !== false) return;
    // Other listeners get it in any case.
    if ((process?.listenerCount?.("unhandledRejection") ?? 0) > 1) return;
    throw reason;
  };
  process?.on?.("unhandledRejection", onRejection);
  return { [Symbol.dispose]: () => void process?.off?.("unhandledRejection", onRejection) };
}

/**
 * Calls `listener` for each exception that nobody catches, in place of all other listeners, until
 * the result is disposed. Until then such exceptions do not end the process; one that the listener
 * says is somebody else's goes to the other listeners, and ends the process if there are none.
 * Without effect where the runtime has no such hook, or somebody uses it already.
 *
 * @example
 * ```ts
 * import { onUncaughtException } from "faultlane/platform";
 *
 * const watch = onUncaughtException((error) => console.error("nobody caught", error));
 * // ... run code that may throw in a callback ...
 * watch[Symbol.dispose]();
 * ```
 */
export function onUncaughtException(listener: UncaughtListener): Disposable {
  const process = hostProcess();
  const none = { [Symbol.dispose]: () => undefined };
  if (process?.setUncaughtExceptionCaptureCallback === undefined) return none;
  if (process.hasUncaughtExceptionCaptureCallback?.() === true) return none;
  try {
    process.setUncaughtExceptionCaptureCallback((error) => {
      if (listener(error) !== false) return;
      if (process.emit?.("uncaughtException", error, "uncaughtException") !== true) throw error;
    });
  } catch {
    return none;
  }
  return { [Symbol.dispose]: () => process.setUncaughtExceptionCaptureCallback?.(null) };
}

function hostProcess(): ProcessHost | undefined {
  return (globalThis as { readonly process?: ProcessHost }).process;
}
