import { builtinModule } from "../../src/platform/mod.ts";
import { gateFunction, gateOf, isReplaceable } from "./gate.ts";
import type { Callback, Realm } from "./realm.ts";

interface TimerOptions {
  readonly signal?: AbortSignal;
}

/** Makes every timer virtual: the global ones, those of node:timers and timers/promises, and others. */
export function gateTimers(): void {
  for (const holder of [globalThis, builtinModule("node:timers") as object | undefined])
    gateSetters(holder);
  const promises = builtinModule("node:timers/promises") as Record<string, object> | undefined;
  gateFunction(promises, "setTimeout", (realm, [ms, value, options]) =>
    sleep(realm, ms, value, options),
  );
  gateFunction(promises, "setImmediate", (realm, [value, options]) =>
    sleep(realm, 0, value, options),
  );
  gateFunction(promises, "setInterval", (realm, [ms, value, options]) =>
    ticks(realm, ms, value, options as TimerOptions | undefined),
  );
  const { scheduler, Bun } = globalThis as unknown as { scheduler?: object; Bun?: object };
  for (const holder of [promises?.["scheduler"], scheduler]) gateScheduler(holder);
  gateFunction(AbortSignal, "timeout", (realm, [ms]) => abortAfter(realm, delayFrom(ms)));
  gateFunction(Bun, "sleep", (realm, [ms]) =>
    sleep(realm, ms instanceof Date ? ms.getTime() - realm.wallMs : ms, undefined, undefined),
  );
  gateFunction(globalThis, "requestIdleCallback", (realm, [fn]) =>
    realm.setTimer(fn as Callback, 1, [{ didTimeout: false, timeRemaining: () => 1 }]),
  );
  gateFunction(globalThis, "requestAnimationFrame", (realm, [fn]) =>
    realm.setTimer(() => (fn as Callback)(realm.monotonicMs), 16, []),
  );
}

function gateSetters(holder: object | undefined): void {
  gateFunction(holder, "setTimeout", (realm, [fn, ms, ...args]) =>
    realm.setTimer(callable(fn), delayFrom(ms), args),
  );
  gateFunction(holder, "setImmediate", (realm, [fn, ...args]) =>
    realm.setTimer(callable(fn), 0, args),
  );
  gateFunction(holder, "setInterval", (realm, [fn, ms, ...args]) =>
    realm.setRepeating(callable(fn), delayFrom(ms), args),
  );
  for (const name of ["clearTimeout", "clearImmediate", "clearInterval"]) {
    gateFunction(holder, name, (realm, [timer], real) => {
      realm.clearTimer(timer);
      // A timer that was set outside of the run is the machine's.
      real(timer);
    });
  }
  gatePromisified(holder, "setTimeout", (realm, [ms, value, options]) =>
    sleep(realm, ms, value, options),
  );
  gatePromisified(holder, "setImmediate", (realm, [value, options]) =>
    sleep(realm, 0, value, options),
  );
}

/** What `util.promisify` makes of a function of timers. */
function gatePromisified(
  holder: object | undefined,
  name: string,
  fake: Parameters<typeof gateOf>[1],
): void {
  const custom = Symbol.for("nodejs.util.promisify.custom");
  const setter = holder && (Reflect.get(holder, name) as object | undefined);
  const real: unknown = setter && Reflect.get(setter, custom);
  if (setter === undefined || typeof real !== "function" || !isReplaceable(setter, custom)) return;
  Object.defineProperty(setter, custom, {
    value: gateOf(real as Callback, fake),
    configurable: true,
  });
}

function gateScheduler(holder: object | undefined): void {
  if (holder === undefined) return;
  const prototype = Object.getPrototypeOf(holder) as object;
  for (const place of [holder, prototype]) {
    if (!Object.hasOwn(place, "yield") && !Object.hasOwn(place, "postTask")) continue;
    gateFunction(place, "wait", (realm, [ms, options]) => sleep(realm, ms, undefined, options));
    gateFunction(place, "yield", (realm) => sleep(realm, 0, undefined, undefined));
    gateFunction(place, "postTask", (realm, [fn, options]) => {
      const { delay } = (options ?? {}) as { readonly delay?: number };
      return sleep(realm, delay, undefined, options).then(() => callable(fn)());
    });
  }
}

/** @throws {TypeError} as the runtime does */
function callable(fn: unknown): Callback {
  if (typeof fn === "function") return fn as Callback;
  throw Object.assign(
    new TypeError(`The "callback" argument must be of type function. Received ${typeof fn}`),
    { code: "ERR_INVALID_ARG_TYPE" },
  );
}

/** setTimeout of 2^31 ms or more fires at once, in reality as well. */
const DELAY_MAX = 0x7fffffff;

function delayFrom(ms: unknown): number {
  const number = Math.trunc(Number(ms ?? 0));
  if (Number.isNaN(number) || number < 0) return 0;
  return number > DELAY_MAX ? 1 : number;
}

function sleep(realm: Realm, ms: unknown, value: unknown, options: unknown): Promise<unknown> {
  const { signal } = (options ?? {}) as TimerOptions;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortError(signal));
      return;
    }
    const timer = realm.setTimer(
      () => {
        signal?.removeEventListener("abort", onAbort);
        resolve(value);
      },
      delayFrom(ms),
      [],
    );
    const onAbort = (): void => {
      realm.clearTimer(timer);
      reject(abortError(signal));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

async function* ticks(
  realm: Realm,
  ms: unknown,
  value: unknown,
  options: TimerOptions | undefined,
): AsyncGenerator<unknown> {
  const { signal } = options ?? {};
  if (signal?.aborted === true) throw abortError(signal);
  let ready = 0;
  let wake = Promise.withResolvers<void>();
  const next = (): void => wake.resolve();
  const timer = realm.setRepeating(
    () => {
      ready += 1;
      next();
    },
    delayFrom(ms),
    [],
  );
  signal?.addEventListener("abort", next, { once: true });
  try {
    for (;;) {
      for (; ready > 0; ready -= 1) yield value;
      if (isAborted(signal)) throw abortError(signal);
      await wake.promise;
      wake = Promise.withResolvers<void>();
    }
  } finally {
    realm.clearTimer(timer);
    signal?.removeEventListener("abort", next);
  }
}

/** It changes during an await. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function abortError(signal: AbortSignal | undefined): Error {
  const error = new Error("The operation was aborted", { cause: signal?.reason });
  return Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
}

function abortAfter(realm: Realm, ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  realm.setTimer(() => controller.abort(reason), ms, []);
  return controller.signal;
}
