import { type LoadedModule, loadedModules } from "../../src/platform/mod.ts";

type Class = { readonly prototype: object };

/** The prototypes that were found, by package and class. */
const found = new Map<string, object>();
/** The modules in which a class was last looked for in vain; the same list needs no second look. */
const missed = new Map<string, readonly LoadedModule[]>();

/**
 * Makes an error of a model an instance of the client library's own class, if the process has
 * loaded that library: code that catches by `instanceof` takes the class from there. Otherwise, and
 * in a browser, the error is told by its name.
 *
 * Shape: `packageName` as in an import; of `classNames`, the first that the library exports.
 * Holds: no library is loaded for this, so a run is the same with and without one; the error keeps
 * its own fields. The model itself may not ask `instanceof` of its own classes afterwards.
 */
export function adoptLibraryClass(
  error: Error,
  packageName: string,
  ...classNames: readonly string[]
): void {
  for (const className of classNames) {
    const prototype = libraryPrototype(packageName, className, Error);
    if (prototype === undefined) continue;
    Object.setPrototypeOf(error, prototype);
    return;
  }
}

/**
 * Returns the prototype of a class that a package exports, if the process has loaded the package,
 * and what the class makes is of this kind.
 */
export function libraryPrototype(
  packageName: string,
  className: string,
  kind: typeof Error | typeof Object,
): object | undefined {
  const key = `${packageName} ${className}`;
  const known = found.get(key);
  if (known !== undefined) return known;
  const modules = loadedModules(`/${packageName}`);
  if (missed.get(key) === modules) return undefined;
  for (const module of modules.filter(({ path }) => isOf(path, packageName))) {
    const prototype = classIn(module.exports(), className, kind)?.prototype;
    if (prototype === undefined) continue;
    found.set(key, prototype);
    return prototype;
  }
  missed.set(key, modules);
  return undefined;
}

/** In `node_modules`, or in a folder of the version as Deno and Bun keep packages. */
function isOf(path: string, packageName: string): boolean {
  const at = path.lastIndexOf(`/${packageName}`);
  const before = path.slice(0, at);
  const after = path.slice(at + packageName.length + 1);
  return (before.endsWith("/node_modules") && after.startsWith("/")) || /^[/@]\d/.test(after);
}

function classIn(
  exported: unknown,
  className: string,
  kind: typeof Error | typeof Object,
): Class | undefined {
  if (exported === null || (typeof exported !== "object" && typeof exported !== "function")) {
    return undefined;
  }
  const value: unknown = Object.hasOwn(exported, className)
    ? Reflect.get(exported, className)
    : undefined;
  if (typeof value !== "function") return undefined;
  return value.prototype instanceof kind ? value : undefined;
}
