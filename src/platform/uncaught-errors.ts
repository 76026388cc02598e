interface ProcessHost {
  on?(event: string, listener: (reason: unknown) => void): unknown;
  off?(event: string, listener: (reason: unknown) => void): unknown;
  hasUncaughtExceptionCaptureCallback?(): boolean;
  setUncaughtExceptionCaptureCallback?(listener: ((error: unknown) => void) | null): void;
}

/**
 * Calls `listener` for each unhandled rejection until the result is disposed. Until then unhandled
 * rejections do not end the process.
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
export function onUnhandledRejection(listener: (reason: unknown) => void): Disposable {
  const { process } = globalThis as { readonly process?: ProcessHost };
  process?.on?.("unhandledRejection", listener);
  return { [Symbol.dispose]: () => void process?.off?.("unhandledRejection", listener) };
}

/**
 * Calls `listener` for each exception that nobody catches, in place of all other listeners, until
 * the result is disposed. Until then such exceptions do not end the process. Without effect where
 * the runtime has no such hook, or somebody uses it already.
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
export function onUncaughtException(listener: (error: unknown) => void): Disposable {
  const { process } = globalThis as { readonly process?: ProcessHost };
  const none = { [Symbol.dispose]: () => undefined };
  if (process?.setUncaughtExceptionCaptureCallback === undefined) return none;
  if (process.hasUncaughtExceptionCaptureCallback?.() === true) return none;
  try {
    process.setUncaughtExceptionCaptureCallback(listener);
  } catch {
    return none;
  }
  return { [Symbol.dispose]: () => process.setUncaughtExceptionCaptureCallback?.(null) };
}
