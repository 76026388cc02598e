import { loadedModules } from "../../../src/platform/mod.ts";

/** Makes a value of what the server has written. */
type Parse = (text: string) => unknown;

/** What says how the values of each type are read: `pg.types`, or an object of one's own. */
export interface TypeParsers {
  /** Returns what reads the values of the type with this number. */
  getTypeParser(type: number, format?: "text"): (text: string) => unknown;
}

/** One copy of the package that keeps the parsers of a process. */
interface Package {
  readonly types: TypeParsers;
  /** What it has from the start, by type. */
  readonly first: ReadonlyMap<number, Parse>;
}

const FOLDER = "/pg-types/";
const FIRST = "lib/textParsers.js";
/** No type has this number: what it is read by, each type is that has no parser. */
const NO_TYPE = 0;

let packages: readonly Package[] = [];
/** In which modules they were found; the same list needs no second look. */
let modulesThen: unknown;

/**
 * Returns, for each type, what reads its values since the program called `setTypeParser` of the
 * library; undefined where the library's own does.
 */
export function parsersSetFor(numbers: readonly number[]): readonly (Parse | undefined)[] {
  const loaded = loadedPackages();
  return numbers.map((type) => loaded.map((one) => parserIn(one, type)).find(Boolean));
}

function parserIn({ types, first }: Package, type: number): Parse | undefined {
  const parse = types.getTypeParser(type, "text");
  const own = first.get(type) ?? types.getTypeParser(NO_TYPE, "text");
  // Each of those for JSON is bound anew.
  return parse === own || parse.name === "bound parse" ? undefined : parse;
}

function loadedPackages(): readonly Package[] {
  const modules = loadedModules(FOLDER);
  if (modules === modulesThen) return packages;
  modulesThen = modules;
  packages = modules.flatMap((module) => {
    const { path } = module;
    const types = module.exports();
    if (!isWith(types, "getTypeParser")) return [];
    const folder = path.slice(0, path.lastIndexOf(FOLDER) + FOLDER.length);
    const parsers = modules.find((one) => one.path === folder + FIRST)?.exports();
    const first = new Map<number, Parse>();
    if (!isWith(parsers, "init")) return [];
    parsers.init((type: number, parse: Parse) => void first.set(type, parse));
    return [{ types: types as unknown as TypeParsers, first }];
  });
  return packages;
}

function isWith<Name extends string>(
  exported: unknown,
  name: Name,
): exported is Record<Name, (...given: readonly unknown[]) => unknown> {
  if (typeof exported !== "object" || exported === null) return false;
  return typeof Reflect.get(exported, name) === "function";
}
