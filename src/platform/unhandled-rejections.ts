interface ProcessHost {
  on?(event: "unhandledRejection", listener: (reason: unknown) => void): unknown;
  off?(event: "unhandledRejection", listener: (reason: unknown) => void): unknown;
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
