import { type Callback, currentRealm, type Realm } from "./realm.ts";

/** What a gated function does inside of a run; `real` is the runtime's function, bound to `self`. */
export type Fake = (
  realm: Realm,
  args: readonly unknown[],
  real: Callback,
  self: unknown,
) => unknown;

/** What a gated function does outside of every run, instead of passing through. */
export type Outside = (args: readonly unknown[], real: Callback) => unknown;

interface Placed {
  readonly holder: object;
  readonly name: PropertyKey;
  readonly value: unknown;
  readonly place: () => void;
}

/** A property descriptor whose functions are plain values. */
interface Descriptor {
  readonly configurable?: boolean;
  readonly enumerable?: boolean;
  readonly value?: unknown;
  readonly get?: () => unknown;
  readonly set?: (value: unknown) => void;
}

const placed: Placed[] = [];
/** What has the machine's own value for good, because its holder is frozen. */
const frozen = new Set<string>();
const isGate = new WeakSet<object>();

/**
 * Replaces a function of the runtime by a gate for good: inside of a run it calls `fake`, outside
 * it passes through. Without effect where there is no such function; `takeFrozen` returns those that
 * cannot be replaced.
 */
export function gateFunction(
  holder: object | undefined,
  name: string,
  fake: Fake,
  outside?: Outside,
): void {
  if (holder === undefined || holder === null) return;
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== "function" || isGate.has(real)) return;
  const again = (): void => gateFunction(holder, name, fake, outside);
  place(holder, name, gateOf(real as Callback, fake, outside), again);
}

/** Returns a gate around `real`, with its name, its length and its other members. */
export function gateOf(real: Callback, fake: Fake, outside?: Outside): Callback {
  const gate = function (this: unknown, ...args: unknown[]): unknown {
    const realm = currentRealm();
    if (realm === undefined && outside === undefined) return Reflect.apply(real, this, args);
    const callReal = (...given: readonly unknown[]): unknown => Reflect.apply(real, this, given);
    if (realm !== undefined) return fake(realm, args, callReal, this);
    return outside?.(args, callReal);
  };
  for (const name of Reflect.ownKeys(real)) {
    if (name === "prototype" || name === "arguments" || name === "caller") continue;
    const descriptor = Object.getOwnPropertyDescriptor(real, name);
    if (descriptor !== undefined) {
      Object.defineProperty(gate, name, { ...descriptor, configurable: true });
    }
  }
  isGate.add(gate);
  return gate;
}

/** As `gateFunction`, for a class: `fake` makes the instance, `apply` is for calls without `new`. */
export function gateClass(
  holder: object | undefined,
  name: string,
  fake: {
    readonly construct: (realm: Realm, args: readonly unknown[]) => readonly unknown[];
    readonly apply?: Fake;
  },
): void {
  if (holder === undefined) return;
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== "function" || isGate.has(real)) return;
  const gate: object = new Proxy(real, {
    construct(target, args: unknown[], newTarget) {
      const realm = currentRealm();
      const given = realm === undefined ? args : fake.construct(realm, args);
      return Reflect.construct(
        target,
        [...given],
        newTarget === gate ? target : newTarget,
      ) as object;
    },
    apply(target, self, args: unknown[]) {
      const realm = currentRealm();
      const call = (...given: unknown[]): unknown => Reflect.apply(target, self, given) as unknown;
      if (realm === undefined || fake.apply === undefined) return call(...args);
      return fake.apply(realm, args, call, self);
    },
  });
  isGate.add(gate);
  place(holder, name, gate, () => gateClass(holder, name, fake));
  // `new value.constructor()` makes what `new Name()` makes.
  const prototype: unknown = Reflect.get(real, "prototype");
  if (typeof prototype !== "object" || prototype === null) return;
  const was = Object.getOwnPropertyDescriptor(prototype, "constructor");
  if (was?.configurable === true) {
    Object.defineProperty(prototype, "constructor", { ...was, value: gate });
  }
}

/** As `gateFunction`, for a value that is read: `fake` returns what a run reads. */
export function gateValue(
  holder: object | undefined,
  name: string,
  fake: (realm: Realm, self: unknown, real: () => unknown) => unknown,
): void {
  const was: Descriptor | undefined = holder && Object.getOwnPropertyDescriptor(holder, name);
  if (was === undefined || (was.get !== undefined && isGate.has(was.get))) return;
  if (was.configurable !== true) {
    frozen.add(labelOf(holder as object, name));
    return;
  }
  const readReal = was.get;
  const get = function (this: unknown): unknown {
    const real = (): unknown =>
      readReal === undefined ? was.value : Reflect.apply(readReal, this, []);
    const realm = currentRealm();
    return realm === undefined ? real() : fake(realm, this, real);
  };
  isGate.add(get);
  const isReadOnly = readReal !== undefined && was.set === undefined;
  const replace = (value: unknown): unknown =>
    Object.defineProperty(holder, name, {
      configurable: true,
      enumerable: was.enumerable ?? false,
      writable: true,
      value,
    });
  const set = was.set ?? replace;
  Object.defineProperty(holder, name, {
    configurable: true,
    enumerable: was.enumerable ?? false,
    get,
    ...(isReadOnly ? {} : { set }),
  });
}

/** Puts back every gate that somebody has replaced since, such as another library's fake timers. */
export function replaceMissingGates(): () => void {
  const undo: (() => void)[] = [];
  for (const { holder, name, value, place: again } of [...placed]) {
    const now = Object.getOwnPropertyDescriptor(holder, name);
    if (now === undefined || now.value === value || isGate.has(Object(now.value) as object))
      continue;
    again();
    undo.push(() => Object.defineProperty(holder, name, now));
  }
  return () => {
    for (const one of undo.reverse()) one();
  };
}

/** Whether a member can be replaced, or the runtime has it fixed from the beginning. */
export function isReplaceable(holder: object | undefined, name: PropertyKey): boolean {
  const was = holder && Object.getOwnPropertyDescriptor(holder, name);
  return was === undefined || was.configurable === true || was.writable === true;
}

function place(holder: object, name: string, value: unknown, again: () => void): void {
  const was = Object.getOwnPropertyDescriptor(holder, name);
  if (was === undefined ? !Object.isExtensible(holder) : !isReplaceable(holder, name)) {
    frozen.add(labelOf(holder, name));
    return;
  }
  const enumerable = was?.enumerable ?? false;
  if (was !== undefined && was.configurable !== true) Reflect.set(holder, name, value);
  else
    Object.defineProperty(holder, name, { value, configurable: true, writable: true, enumerable });
  const at = placed.findIndex((one) => one.holder === holder && one.name === name);
  if (at === -1) placed.push({ holder, name, value, place: again });
}

/** Returns what could not be replaced since the last call, "Date.now", sorted. */
export function takeFrozen(): readonly string[] {
  const names = [...frozen].toSorted();
  frozen.clear();
  return names;
}

/** Names a member as code writes it: "setTimeout", "Date.now", "Event.prototype.timeStamp". */
function labelOf(holder: object, name: string): string {
  if (holder === globalThis) return name;
  const globals = globalThis as unknown as Readonly<Record<string, unknown>>;
  const own = ["Date", "Math", "crypto", "performance", "process", "console", "Intl", "Atomics"];
  const title = own.find((one) => globals[one] === holder);
  if (title !== undefined) return `${title}.${name}`;
  if (typeof holder === "function") return `${holder.name}.${name}`;
  const { constructor } = holder as { readonly constructor?: { readonly name?: string } };
  const owner = constructor?.name ?? "";
  return owner === "" || owner === "Object" ? name : `${owner}.prototype.${name}`;
}
