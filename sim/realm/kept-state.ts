import { builtinModule } from "../../src/platform/mod.ts";
import { isRealmExclusive } from "./realm.ts";

interface ProcessHost {
  readonly env?: Record<string, string | undefined>;
  exitCode?: unknown;
  title?: string;
  cwd?(): string;
  chdir?(folder: string): void;
}

/** A setting of the process: what puts it back, if it has changed. */
type Restore = () => void;

/** How the stacks of errors are written. */
const FORMAT = "prepareStackTrace";

/** Built-in objects that code may change for everybody. */
export const SHARED_OBJECTS: readonly object[] = [
  ...[Object, Function, Array, String, Number, Boolean, Symbol, BigInt, Promise, RegExp, Error],
  ...[Map, Set, WeakMap, Date, ArrayBuffer, Uint8Array, JSON, Math, Reflect, URL],
].flatMap((one: object) => {
  const prototype: unknown = Reflect.get(one, "prototype");
  return typeof prototype === "object" || typeof prototype === "function"
    ? [one, prototype as object]
    : [one];
});

interface Known {
  readonly holder: object;
  names: readonly PropertyKey[];
  members: readonly PropertyDescriptor[];
}

/** The built-in objects as they were at the beginning of the last run. */
let known: readonly Known[] = [];

/**
 * Notes what code can change for the whole process, and returns what puts it back: environment,
 * working folder, exit code, title, the runtime's settings, and the members of built-in objects;
 * those of globalThis in a process that does nothing beside the runs.
 * So each run begins with what its code found when it was loaded, and the process ends as it would
 * have without it.
 */
export function keepState(): Restore {
  const kept = [keepEnvironment, keepProcess, keepSettings, keepBuiltIns].map(restorerOf);
  return () => {
    for (const restore of kept) restore();
  };
}

/** On Deno, what this process may not read, its code cannot change either. */
function restorerOf(keep: () => Restore): Restore {
  try {
    return keep();
  } catch {
    return () => undefined;
  }
}

function keepEnvironment(): Restore {
  const { env } = (globalThis as { readonly process?: ProcessHost }).process ?? {};
  if (env === undefined) return () => undefined;
  const before = { ...env };
  return () => {
    for (const name of Object.keys(env)) if (!Object.hasOwn(before, name)) delete env[name];
    for (const [name, value] of Object.entries(before)) if (env[name] !== value) env[name] = value;
  };
}

function keepProcess(): Restore {
  const { process } = globalThis as { readonly process?: ProcessHost };
  if (process === undefined) return () => undefined;
  const { exitCode, title } = process;
  const folder = process.cwd?.();
  return () => {
    if (process.exitCode !== exitCode) process.exitCode = exitCode;
    // Bun takes no undefined where there was a code; 0 means the same.
    if (process.exitCode !== exitCode) process.exitCode = 0;
    if (process.title !== title) process.title = title as string;
    if (folder !== undefined && process.cwd?.() !== folder) process.chdir?.(folder);
  };
}

interface Settings {
  readonly defaultMaxListeners: number;
  readonly captureRejections: boolean;
}

function keepSettings(): Restore {
  const emitter = (builtinModule("node:events") as { readonly EventEmitter?: Settings } | undefined)
    ?.EventEmitter;
  const { defaultMaxListeners, captureRejections } = emitter ?? {};
  const format: unknown = Reflect.get(Error, FORMAT);
  return () => {
    if (Reflect.get(Error, FORMAT) !== format) Reflect.set(Error, FORMAT, format);
    if (emitter === undefined) return;
    Object.assign(emitter, { defaultMaxListeners, captureRejections });
  };
}

function keepBuiltIns(): Restore {
  if (known.some((one) => !isUnchanged(one))) known = [];
  if (known.length === 0) {
    // Elsewhere others may give the process a global in the middle of a run.
    known = (isRealmExclusive() ? [...SHARED_OBJECTS, globalThis] : SHARED_OBJECTS).map(membersOf);
  }
  const before = known;
  return () => {
    for (const one of before) if (!isUnchanged(one)) putBack(one);
  };
}

/** Without what a setting stands for: Bun forgets what it is once it was deleted. */
function namesIn(holder: object): readonly PropertyKey[] {
  return Reflect.ownKeys(holder).filter((name) => name !== FORMAT);
}

function membersOf(holder: object): Known {
  const names = namesIn(holder);
  const members = names.map((name) => Object.getOwnPropertyDescriptor(holder, name) ?? {});
  return { holder, names, members };
}

function isUnchanged({ holder, names, members }: Known): boolean {
  const now = namesIn(holder);
  if (now.length !== names.length) return false;
  for (const [at, name] of names.entries()) {
    if (now[at] !== name) return false;
    const was = members[at];
    if (was !== undefined && "value" in was && !Object.is(Reflect.get(holder, name), was.value)) {
      return false;
    }
  }
  return true;
}

function putBack({ holder, names, members }: Known): void {
  for (const name of namesIn(holder)) {
    if (!names.includes(name)) Reflect.deleteProperty(holder, name);
  }
  for (const [at, name] of names.entries()) {
    const was = members[at];
    if (was !== undefined) Reflect.defineProperty(holder, name, was);
  }
}
