import type { WorldParts } from "./world-parts.ts";

/** How the scenarios of a world name the code under test, and what its module has to export. */
export interface SubjectModule<S> {
  /** What it is called in messages: "producer". */
  readonly noun: string;
  /** The path of the module, seen from the file of the scenario; undefined where none is named. */
  pathIn(scenario: S): string | undefined;
  withPath(scenario: S, path: string): S;
  /**
   * Takes the code under test of a scenario from a module that was loaded.
   *
   * @throws {TypeError} when the module does not export it
   */
  partsFrom(module: Readonly<Record<string, unknown>>, scenario: S): WorldParts;
}

/**
 * Takes a function from a module: by its name, as the default export, or as a member of that.
 *
 * @throws {TypeError} when there is none, or a class instead of it
 */
export function factoryFrom(
  module: Readonly<Record<string, unknown>>,
  name: string,
  parameters: string,
): (...args: never) => unknown {
  const { default: whole } = module;
  const named: unknown =
    typeof whole === "object" && whole !== null ? Reflect.get(whole, name) : undefined;
  const found = [module[name], named, whole].find((one) => typeof one === "function");
  if (found === undefined) {
    throw new TypeError(`it exports no ${name}(${parameters}), by name or as its default`);
  }
  if (/^class\b/.test(Function.prototype.toString.call(found))) {
    const made = (found as { readonly name: string }).name || "Subject";
    throw new TypeError(
      `it exports a class; export a function that makes one: export const ${name} = (${parameters}) => new ${made}(client)`,
    );
  }
  return found as (...args: never) => unknown;
}
