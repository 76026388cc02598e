import { builtinModule } from "../../src/platform/mod.ts";
import { contentOf } from "./content-of.ts";
import { SHARED_OBJECTS } from "./kept-state.ts";

interface Holder {
  readonly label: string;
  readonly holder: object;
  /** What it had before any code under test was loaded. */
  readonly own: ReadonlySet<PropertyKey>;
}

const GLOBALS = ["process", "console", "Intl", "WebAssembly", "Buffer", "WeakSet", "EventTarget"];
const MODULES = ["events", "util", "fs", "path", "crypto", "os", "http", "stream", "timers"];

/** The members that code adds to globals and built-in objects, where they outlive runs. */
export class AddedMembers {
  readonly #holders: readonly Holder[];

  /** Whatever is added from now on counts. */
  constructor() {
    this.#holders = holders().map(([label, holder]) => {
      return { label, holder, own: new Set(Reflect.ownKeys(holder)) };
    });
  }

  /** Returns the content of each by its name: "globalThis.cache", "Array.prototype.last". */
  contents(): ReadonlyMap<string, string> {
    const contents = new Map<string, string>();
    this.#each(({ label, holder }, name) => {
      const member = Object.getOwnPropertyDescriptor(holder, name);
      const value: unknown = member && "value" in member ? member.value : undefined;
      contents.set(`${label}.${String(name)}`, contentOf(value));
    });
    return contents;
  }

  /** Removes them, and returns what puts them back, instead of what was added since. */
  forget(): () => void {
    const back: (() => void)[] = [];
    this.#each(({ holder }, name) => {
      const member = Object.getOwnPropertyDescriptor(holder, name);
      if (member !== undefined) back.push(() => Reflect.defineProperty(holder, name, member));
      Reflect.deleteProperty(holder, name);
    });
    return () => {
      this.#each(({ holder }, name) => void Reflect.deleteProperty(holder, name));
      for (const one of back) one();
    };
  }

  #each(visit: (holder: Holder, name: PropertyKey) => void): void {
    for (const one of this.#holders) {
      for (const name of Reflect.ownKeys(one.holder)) if (!one.own.has(name)) visit(one, name);
    }
  }
}

function holders(): readonly (readonly [label: string, holder: object])[] {
  const all: (readonly [string, unknown])[] = [["globalThis", globalThis]];
  for (const one of SHARED_OBJECTS) {
    const isClass = typeof one === "function";
    const { name } = isClass
      ? one
      : ((one as { constructor?: { name?: string } }).constructor ?? {});
    const plain = one === JSON ? "JSON" : one === Math ? "Math" : "Reflect";
    const isPlain = one === JSON || one === Math || one === Reflect;
    all.push([isPlain ? plain : isClass ? String(name) : `${name}.prototype`, one]);
  }
  for (const name of GLOBALS) all.push([name, Reflect.get(globalThis, name)]);
  for (const name of MODULES) all.push([`node:${name}`, builtinModule(`node:${name}`)]);
  return all.filter((one): one is readonly [string, object] => {
    const [, holder] = one;
    return (typeof holder === "object" && holder !== null) || typeof holder === "function";
  });
}
