interface ProcessHost {
  readonly getBuiltinModule?: (name: string) => unknown;
}

/**
 * Returns a module of the runtime, such as "node:fs", without an import that fails elsewhere.
 *
 * @returns undefined where the runtime has no such module
 *
 * @example
 * ```ts
 * import { builtinModule } from "faultlane/platform";
 *
 * const os = builtinModule("node:os") as { hostname(): string } | undefined;
 * console.log(typeof os?.hostname()); // => string
 * ```
 */
export function builtinModule(name: string): unknown {
  const { process } = globalThis as { readonly process?: ProcessHost };
  try {
    return process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}

/**
 * Makes named imports of the runtime's modules see members that were replaced on the modules: on
 * Node; Deno and Bun bind named imports for good.
 *
 * @example
 * ```ts
 * import { builtinModule, syncBuiltinModules } from "faultlane/platform";
 *
 * const os = builtinModule("node:os") as { uptime(): number } | undefined;
 * if (os !== undefined) os.uptime = () => 0;
 * syncBuiltinModules();
 * console.log(os?.uptime() ?? 0); // => 0
 * ```
 */
export function syncBuiltinModules(): void {
  const module = builtinModule("node:module") as { syncBuiltinESMExports?(): void } | undefined;
  module?.syncBuiltinESMExports?.();
}
