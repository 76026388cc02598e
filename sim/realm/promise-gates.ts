import { gateFunction } from "./gate.ts";

type Act = (...args: readonly unknown[]) => unknown;

/**
 * Makes promises of a run settle after as many turns on each runtime: JavaScriptCore takes fewer
 * for `finally` and `Promise.try` than the language prescribes, which changes the order of what
 * happens at one instant.
 *
 * Source: ECMAScript 2026, 27.2.5.3 Promise.prototype.finally, 27.2.4.8 Promise.try
 */
export function gatePromises(): void {
  gateFunction(Promise.prototype, "finally", (_realm, [act], _real, self) => {
    const promise = self as Promise<unknown>;
    if (typeof act !== "function") return promise.then(act as undefined, act as undefined);
    return promise.then(
      (value) => Promise.resolve((act as Act)()).then(() => value),
      (error: unknown) =>
        Promise.resolve((act as Act)()).then(() => {
          throw error;
        }),
    );
  });
  gateFunction(Promise, "try", (_realm, [act, ...args]) => {
    return new Promise((resolve) => resolve((act as Act)(...args)));
  });
}
