import { builtinModule } from "./builtin-modules.ts";

/** A CommonJS module that was loaded into this process. */
export interface LoadedModule {
  /** Where it lies, with `/` between the folders. */
  readonly path: string;
  /** Returns what it exports; undefined where reading that fails. */
  exports(): unknown;
}

type Cache = Readonly<Record<string, { readonly exports?: unknown } | undefined>>;
interface ModuleHost {
  createRequire(from: string): { readonly cache?: Cache };
}

const ANYWHERE = "file:///any.js";
let cache: Cache | undefined;
/** What was found for each part while the process had this many modules; errors ask often. */
const found = new Map<string, readonly LoadedModule[]>();
let modulesThen = -1;

/**
 * Returns the CommonJS modules that this process has loaded and whose path contains `part`, in
 * order of loading; it loads none. The runtimes share them with `import`.
 *
 * @returns an empty array where the runtime has no such modules
 *
 * @example
 * ```ts
 * import { loadedModules } from "faultlane/platform";
 *
 * console.log(loadedModules("/node_modules/no-such-package/").length); // => 0
 * ```
 */
export function loadedModules(part: string): readonly LoadedModule[] {
  cache ??= findCache();
  const keys = Object.keys(cache);
  if (keys.length !== modulesThen) found.clear();
  modulesThen = keys.length;
  const known = found.get(part) ?? modulesAt(keys, part);
  found.set(part, known);
  return known;
}

function modulesAt(keys: readonly string[], part: string): readonly LoadedModule[] {
  const modules: LoadedModule[] = [];
  for (const [key, path] of keys.map((name) => [name, slashed(name)] as const)) {
    if (path.includes(part)) modules.push({ path, exports: () => exportsOf(key) });
  }
  return modules;
}

function findCache(): Cache {
  const host = builtinModule("node:module") as ModuleHost | undefined;
  try {
    return host?.createRequire(ANYWHERE).cache ?? {};
  } catch {
    return {};
  }
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

function exportsOf(key: string): unknown {
  try {
    return cache?.[key]?.exports;
  } catch {
    return undefined;
  }
}
