import { builtinModule } from "../../src/platform/mod.ts";
import { gateFunction } from "./gate.ts";
import type { Callback } from "./realm.ts";

interface ContextOptions {
  readonly contextName?: unknown;
  readonly contextOrigin?: unknown;
  readonly contextCodeGeneration?: unknown;
  readonly microtaskMode?: unknown;
}

/** What a new context has of its own, and the machine's time and chance are in. */
const SHARED_WITH_CONTEXTS = [
  ...["Date", "Intl", "Temporal", "WebAssembly", "Atomics", "WeakRef", "FinalizationRegistry"],
] as const;

/**
 * Gives contexts of node:vm, which have built-in objects of their own, the virtual ones: time,
 * chance, and what has to wait.
 */
export function gateContexts(): void {
  const vm = builtinModule("node:vm") as
    | (Readonly<Record<string, Callback>> & { readonly Script?: { readonly prototype: object } })
    | undefined;
  if (vm === undefined) return;
  const runInContext = vm["runInContext"] as Callback;
  const withVirtual = (context: unknown): unknown => {
    const members = (runInContext("[globalThis, Math]", context) ?? []) as readonly [
      object,
      object,
    ];
    const [own, math] = members;
    for (const name of SHARED_WITH_CONTEXTS) {
      if (!(name in globalThis)) continue;
      const value: unknown = Reflect.get(globalThis, name);
      Object.defineProperty(own, name, { value, configurable: true, writable: true });
    }
    const random: unknown = Reflect.get(Math, "random");
    Object.defineProperty(math, "random", { value: random, configurable: true, writable: true });
    return context;
  };
  gateFunction(vm, "createContext", (_, args, real) => withVirtual(real(...args)));
  const contextFrom = (sandbox: unknown, options: unknown): unknown => {
    const given = (typeof options === "object" ? options : undefined) as ContextOptions | undefined;
    const { contextName: name, contextOrigin: origin } = given ?? {};
    const { contextCodeGeneration: codeGeneration, microtaskMode } = given ?? {};
    const settings = { name, origin, codeGeneration, microtaskMode };
    const set = Object.entries(settings).filter(([, value]) => value !== undefined);
    return (vm["createContext"] as Callback)(sandbox ?? {}, Object.fromEntries(set));
  };
  gateFunction(vm, "runInNewContext", (_, [code, sandbox, options]) =>
    runInContext(code, contextFrom(sandbox, options), options),
  );
  gateFunction(vm.Script?.prototype, "runInNewContext", (_, [sandbox, options], _real, self) =>
    (self as { runInContext: Callback }).runInContext(contextFrom(sandbox, options), options),
  );
}
