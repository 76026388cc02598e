import { builtinModule } from "../../src/platform/mod.ts";
import { gateClass, gateFunction, gateValue } from "./gate.ts";
import { perRealm } from "./realm.ts";

/** What the weak references of each run point to. */
const heldBy = perRealm(() => new Set<unknown>());

/**
 * Makes what the garbage collector does invisible to a run: what a weak reference points to lives
 * as long as the run, and no finalizer is called. The language promises neither.
 */
export function gateMemory(): void {
  gateClass(globalThis, "WeakRef", {
    construct: (realm, args) => {
      heldBy(realm).add(args[0]);
      return args;
    },
  });
  const { FinalizationRegistry: registry } = globalThis;
  gateFunction(registry.prototype, "register", () => undefined);
}

/** Gives what runs its numbers in the order in which each run asks for them. */
export function gateAsyncIds(): void {
  const hooks = builtinModule("node:async_hooks") as
    | { readonly AsyncResource?: { readonly prototype: object } }
    | undefined;
  for (const name of ["executionAsyncId", "triggerAsyncId"]) gateId(hooks, name);
  for (const name of ["asyncId", "triggerAsyncId"]) gateId(hooks?.AsyncResource?.prototype, name);
}

/** Modules of Node that follow all asynchronous work by its numbers, and a file of each. */
const HOOKING = [
  ["node:domain", "node:domain"],
  ["node:test", "node:internal/test_runner"],
] as const;

/** Returns which of these modules makes the running call; undefined where none does. */
export function hookingModule(): string | undefined {
  const { stack = "" } = new Error("where");
  return HOOKING.find(([, file]) => stack.includes(file))?.[0];
}

const idsOf = perRealm(() => new Map<unknown, number>());

function gateId(holder: object | undefined, name: string): void {
  gateFunction(holder, name, (realm, args, real) => {
    const module = hookingModule();
    if (module !== undefined) throw realm.refuse(module);
    const ids = idsOf(realm);
    const own = real(...args);
    const id = ids.get(own) ?? ids.size + 1;
    ids.set(own, id);
    return id;
  });
}

/** Shows an event loop that nothing delays, and a collector that never works. */
export function gatePerformanceFigures(): void {
  const hooks = builtinModule("node:perf_hooks") as
    | {
        readonly createHistogram?: () => object;
        readonly PerformanceObserver?: { readonly prototype: object };
      }
    | undefined;
  const { createHistogram, PerformanceObserver } = hooks ?? {};
  if (createHistogram !== undefined) {
    gateRecordDelta(Object.getPrototypeOf(createHistogram()) as object);
    gateFunction(hooks, "monitorEventLoopDelay", () =>
      Object.assign(createHistogram(), { enable: () => true, disable: () => true }),
    );
  }
  const { performance } = globalThis;
  for (const holder of [performance, Object.getPrototypeOf(performance) as object]) {
    gateValue(holder, "nodeTiming", () => ({ name: "node", entryType: "node", startTime: 0 }));
  }
  gateFunction(PerformanceObserver?.prototype, "observe", (realm, [options]) => {
    const { type, entryTypes = [type] } = (options ?? {}) as ObserveOptions;
    if (entryTypes.some((one) => one === "mark" || one === "measure")) {
      throw realm.refuse("PerformanceObserver of marks and measures");
    }
  });
}

/** When each histogram of a run was last asked to record how long ago that was. */
const recordedAt = perRealm(() => new WeakMap<object, number>());
const NANOSECONDS = 1e6;

function gateRecordDelta(prototype: object): void {
  gateFunction(prototype, "recordDelta", (realm, _args, _real, self) => {
    const histogram = self as { record(nanoseconds: number): void };
    const times = recordedAt(realm);
    const before = times.get(histogram);
    const now = realm.monotonicMs;
    times.set(histogram, now);
    // It records nothing at the first call, and no 0.
    if (before !== undefined)
      histogram.record(Math.max(1, Math.round((now - before) * NANOSECONDS)));
  });
}

interface ObserveOptions {
  readonly type?: unknown;
  readonly entryTypes?: readonly unknown[];
}
