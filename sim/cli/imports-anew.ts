import * as nodeModule from "node:module";
import { isOfKit } from "../realm/call-place.ts";
import { runOutside } from "../realm/realm.ts";

/** What evaluates a module again: a name that it was not loaded by before. */
const ANEW = "?anew=";

const SCRIPT = /\.[cm]?[jt]sx?$/;

/** The user's modules that were imported anew, by the names of their first evaluation; none on Bun. */
const seen = new Set<string>();

interface Hooks {
  deregister(): void;
}

interface Resolved {
  readonly url: string;
}

interface HooksModule {
  registerHooks?(hooks: {
    resolve(
      specifier: string,
      context: { readonly conditions?: readonly string[] },
      next: (specifier: string, context: object) => Resolved,
    ): Resolved;
  }): Hooks;
}

/** Whether a module is a user's own: neither of the kit nor of a package. */
function isUserModule(url: string): boolean {
  const [path = ""] = url.split("?");
  const isFile = path.startsWith("file:") || path.startsWith("/");
  return isFile && SCRIPT.test(path) && !isOfKit(path) && !path.includes("/node_modules/");
}

/**
 * Returns the user's modules that were imported anew, by names under which those that were evaluated
 * first can be had; none on Bun, which has forgotten them.
 */
export function userModules(): readonly string[] {
  return [...seen];
}

/** Returns the name under which a module is evaluated for the `nth` time. */
export function nameAnew(url: string, nth: number): string {
  return `${url}${ANEW}${nth}`;
}

/**
 * Makes a user's own modules be evaluated again when they are imported, until disposed of: on Node
 * and Deno by a hook, on Bun by forgetting those that were loaded. Packages stay as they are.
 */
export function importAnew(main: string, nth: number): Disposable {
  const host = nodeModule as unknown as HooksModule;
  if (host.registerHooks === undefined) forgetModulesOfBun();
  else seen.add(main);
  const hooks = runOutside(() =>
    host.registerHooks?.({
      resolve(specifier, context, next) {
        const resolved = next(specifier, context);
        const isImport = context.conditions?.includes("import") !== false;
        const isNamed = resolved.url.includes("?");
        if (!isImport || isNamed || !isUserModule(resolved.url)) return resolved;
        seen.add(resolved.url);
        return { ...resolved, url: nameAnew(resolved.url, nth) };
      },
    }),
  );
  return { [Symbol.dispose]: () => runOutside(() => hooks?.deregister()) };
}

/** Bun keeps all modules that were loaded in one cache, by their paths. */
function forgetModulesOfBun(): void {
  const { cache } = nodeModule.createRequire(import.meta.url);
  for (const path of Object.keys(cache).filter(isUserModule)) {
    Reflect.deleteProperty(cache, path);
  }
}
