import { expect, test } from "vitest";
import { onUncaughtException, onUnhandledRejection } from "../../src/platform/mod.ts";

/** Runs `fn` on a runtime that has this `process`. */
function withProcess(process: object | undefined, fn: () => void): void {
  const own = Object.getOwnPropertyDescriptor(globalThis, "process");
  Object.defineProperty(globalThis, "process", { value: process, configurable: true });
  try {
    fn();
  } finally {
    if (own === undefined) Reflect.deleteProperty(globalThis, "process");
    else Object.defineProperty(globalThis, "process", own);
  }
}

test.each([
  ["no process", undefined],
  ["a process without hooks", {}],
])("on a runtime with %s there is nothing to listen to", (_what, process) => {
  withProcess(process, () => {
    for (const listenTo of [onUnhandledRejection, onUncaughtException]) {
      listenTo(() => undefined)[Symbol.dispose]();
    }
  });
});

test("an unhandled rejection has one listener until it is disposed", () => {
  const listeners = new Set<unknown>();
  const process = {
    on: (event: string, listener: unknown) =>
      event === "unhandledRejection" && listeners.add(listener),
    off: (_event: string, listener: unknown) => listeners.delete(listener),
  };
  withProcess(process, () => {
    const watch = onUnhandledRejection(() => undefined);
    expect(listeners.size).toBe(1);
    watch[Symbol.dispose]();
    expect(listeners.size).toBe(0);
  });
});

test.each([
  ["has been taken by somebody", { hasUncaughtExceptionCaptureCallback: () => true }],
  ["cannot be taken", {}],
])("where the hook for exceptions %s, it is left alone, also at the end", (_what, others) => {
  const given: unknown[] = [];
  const process = {
    setUncaughtExceptionCaptureCallback(listener: unknown) {
      given.push(listener);
      throw new Error("a domain is in use");
    },
    ...others,
  };
  withProcess(process, () => {
    onUncaughtException(() => undefined)[Symbol.dispose]();
  });
  expect(given).toHaveLength("hasUncaughtExceptionCaptureCallback" in others ? 0 : 1);
});

test("a rejection that is somebody else's is thrown where nobody else listens", () => {
  const ours: ((error: unknown) => void)[] = [];
  const process = {
    on: (_event: string, listener: () => void) => ours.push(listener),
    listenerCount: () => listeners,
  };
  let listeners = 1;
  const error = new RangeError("stray");
  withProcess(process, () => {
    onUnhandledRejection(() => false);
    expect(() => ours[0]?.(error)).toThrow(error);
    listeners = 2;
    ours[0]?.(error);
  });
});

test("an exception that is somebody else's goes to the other listeners, or is thrown", () => {
  const ours: ((error: unknown) => void)[] = [];
  const emitted: unknown[] = [];
  let hasOthers = true;
  const process = {
    setUncaughtExceptionCaptureCallback: (listener: () => void) => ours.push(listener),
    emit: (...args: readonly unknown[]) => hasOthers && emitted.push(args) > 0,
  };
  const error = new RangeError("stray");
  withProcess(process, () => {
    onUncaughtException(() => false);
    ours[0]?.(error);
    expect(emitted).toEqual([["uncaughtException", error, "uncaughtException"]]);
    hasOthers = false;
    expect(() => ours[0]?.(error)).toThrow(error);
  });
});
