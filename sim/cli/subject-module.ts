import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { loadInRealm } from "../realm/loading-realm.ts";
import { NotVirtual } from "../realm/not-virtual.ts";
import { assertNoBoundImports } from "./bound-imports.ts";
import { watchForHang } from "./hang-watch.ts";
import { watchForIdleness } from "./idle-watch.ts";
import { importAnew, nameAnew } from "./imports-anew.ts";
import { EXIT, WrongInput } from "./output.ts";

/**
 * Loads the code under test that a scenario names; worlds of the kit's own code have none.
 *
 * @param file - the scenario's file; the path of the module is relative to its folder
 * @throws {WrongInput} when the scenario names no module, or the module cannot be used
 */
export async function subjectPartsOf(
  scenario: Scenario,
  file: string,
  how: LoadModuleOptions = {},
): Promise<WorldParts> {
  const { subject } = worldKindOf(scenario);
  if (subject === undefined) return {};
  const path = subject.pathIn(scenario);
  if (path === undefined) {
    throw new WrongInput(
      `Cannot run "${file}": it names no ${subject.noun}; add "${subject.noun}: <module>", relative to the file`,
    );
  }
  const module = placeOf(path, file);
  const loaded = await loadModule(module, how);
  return takeFrom(module, () => subject.partsFrom(loaded, scenario));
}

/** Returns the scenario for a file elsewhere, with the path of its module relative to that file. */
export function movedTo(scenario: Scenario, from: string, to: string): Scenario {
  const { subject } = worldKindOf(scenario);
  const path = subject?.pathIn(scenario);
  if (subject === undefined || path === undefined) return scenario;
  return subject.withPath(scenario, pathSeenFrom(to, placeOf(path, from)));
}

/** Returns the path of the module that a scenario names; undefined where it names none. */
export function moduleOf(scenario: Scenario, file: string): string | undefined {
  const path = worldKindOf(scenario).subject?.pathIn(scenario);
  return path === undefined ? undefined : placeOf(path, file);
}

function placeOf(path: string, file: string): string {
  return isAbsolute(path) ? path : join(dirname(file), path);
}

/** Returns the path of a module relative to the folder of `file`. */
export function pathSeenFrom(file: string, module: string): string {
  const path = relative(resolve(dirname(file)), resolve(module)).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}

/**
 * Takes the code under test from the module at `path`.
 *
 * @throws {WrongInput} when `take` finds none in it
 */
export function takeFrom<T>(path: string, take: () => T): T {
  try {
    return take();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new WrongInput(`Cannot check "${path}": ${cause.message}`, { cause });
  }
}

interface LoadModuleOptions {
  /** Whether the module is evaluated again, with the user's own modules that it imports. */
  readonly anew?: boolean;
}

type Module = Record<string, unknown>;

let timesAnew = 0;

/** Bun distinguishes the times by paths alone. */
function specifierAnew(file: string): string {
  const name = process.versions["bun"] === undefined ? pathToFileURL(file).href : file;
  return nameAnew(name, timesAnew);
}

/** @throws {WrongInput} when there is no such module, or it throws */
export async function loadModule(
  path: string,
  { anew = false }: LoadModuleOptions = {},
): Promise<Readonly<Record<string, unknown>>> {
  const file = resolve(path);
  if (!existsSync(file)) throw new WrongInput(`Cannot find the module "${path}"`);
  // A top-level await that never settles leaves nothing to wait for: the process would end with code 0.
  const onExit = (): void => {
    process.exitCode = EXIT.wrongInput;
    console.error(`Cannot load the module "${path}": the process ended before it was loaded`);
  };
  process.once("exit", onExit);
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const onIdle = (): void => reject(new Error("it awaits at its top level what never comes"));
  process.once("beforeExit", onIdle);
  using _idle = watchForIdleness(onIdle);
  // Only while it loads: whoever runs it keeps a watch of its own.
  using _watch = watchForHang(EXIT.wrongInput, path);
  try {
    assertNoBoundImports(file);
    if (anew) timesAnew += 1;
    const first = pathToFileURL(file).href;
    using _imports = anew ? importAnew(first, timesAnew) : undefined;
    const url = anew ? specifierAnew(file) : first;
    return (await loadInRealm(`module "${path}"`, () => import(url), stalled)) as Module;
  } catch (cause) {
    if (cause instanceof NotVirtual) throw withImport(cause, `module "${path}"`, file);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WrongInput(`Cannot load the module "${path}": ${why}`, { cause });
  } finally {
    process.off("exit", onExit);
    process.off("beforeExit", onIdle);
  }
}

/** Adds the line of the import to a refusal of a whole module of the runtime, "node:domain". */
function withImport(refusal: NotVirtual, subject: string, file: string): NotVirtual {
  const { use, where } = refusal;
  if (where !== undefined || !use.startsWith("node:")) return refusal;
  const lines = readFileSync(file, "utf8").split("\n");
  const names = [use, use.slice("node:".length)].flatMap((name) => [`"${name}"`, `'${name}'`]);
  const at = lines.findIndex((line) => names.some((name) => line.includes(name)));
  if (at === -1) return refusal;
  return new NotVirtual(subject, { use, where: `${basename(file)}:${at + 1}` });
}
