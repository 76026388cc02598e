type Listener = (reason: unknown) => void;

interface ProcessHost {
  on?(event: "unhandledRejection", listener: Listener): unknown;
  off?(event: "unhandledRejection", listener: Listener): unknown;
}

/**
 * Calls `listener` for each rejection that nobody handles, until disposed of; for as long the
 * runtime does not end because of them.
 */
export function onUnhandledRejection(listener: Listener): Disposable {
  const { process } = globalThis as { readonly process?: ProcessHost };
  process?.on?.("unhandledRejection", listener);
  return { [Symbol.dispose]: () => void process?.off?.("unhandledRejection", listener) };
}
