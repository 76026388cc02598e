import { builtinModule } from "../../src/platform/mod.ts";
import { gateFunction, isReplaceable } from "./gate.ts";
import type { Callback, Realm } from "./realm.ts";

const BYTE = 256;
/** How many values one choice can have. */
const CHOICE_MAX = 0x40000000;
const INT_RANGE_MAX = 2 ** 48;

/** Draws all chance from the run's choices: Math.random, Web Crypto, node:crypto. */
export function gateChance(): void {
  gateFunction(Math, "random", (realm) => realm.choose(CHOICE_MAX, "Math.random") / CHOICE_MAX);
  const { crypto, Bun } = globalThis as { readonly crypto?: object; readonly Bun?: object };
  gateFunction(crypto, "randomUUID", (realm) => uuidFrom(realm));
  gateFunction(crypto, "getRandomValues", (realm, [into]) => fill(realm, into as ArrayBufferView));
  gateFunction(Bun, "randomUUIDv7", (realm) => uuidFrom(realm, "7"));
  const node = builtinModule("node:crypto") as object | undefined;
  gateFunction(node, "randomUUID", (realm) => uuidFrom(realm));
  // Node's own calls that of Web Crypto.
  if (isReplaceable(node, "getRandomValues")) {
    gateFunction(node, "getRandomValues", (realm, [into]) => fill(realm, into as ArrayBufferView));
  }
  for (const name of ["randomBytes", "pseudoRandomBytes"]) {
    gateFunction(node, name, (realm, [size, done], real) => {
      // The runtime checks the arguments, and makes the kind of buffer that it has.
      const bytes = fill(realm, real(size) as Uint8Array);
      return inCallback(realm, done, bytes);
    });
  }
  gateFunction(node, "randomFillSync", (realm, args) => fillPart(realm, args));
  gateFunction(node, "randomFill", (realm, args) =>
    inCallback(realm, args.at(-1), fillPart(realm, args.slice(0, -1))),
  );
  gateFunction(node, "randomInt", (realm, args, real) => {
    const done = typeof args.at(-1) === "function" ? args.at(-1) : undefined;
    const [first, second] = args.filter((one) => typeof one === "number");
    const [min, max] = second === undefined ? [0, first ?? 0] : [first ?? 0, second];
    if (!(max > min) || max - min >= INT_RANGE_MAX) return real(...args);
    return inCallback(realm, done, min + intBelow(realm, max - min));
  });
}

/** Draws so many bytes from the run's choices. */
export function drawBytes(realm: Realm, count: number): Uint8Array<ArrayBuffer> {
  return fill(realm, new Uint8Array(count));
}

function intBelow(realm: Realm, bound: number): number {
  if (bound <= CHOICE_MAX) return realm.choose(bound, "randomInt");
  const high = realm.choose(Math.ceil(bound / CHOICE_MAX), "randomInt");
  const low = realm.choose(CHOICE_MAX, "randomInt");
  return (high * CHOICE_MAX + low) % bound;
}

/** Returns the value, or passes it to the callback that was given, as a step of its own. */
function inCallback(realm: Realm, done: unknown, value: unknown): unknown {
  if (typeof done !== "function") return value;
  realm.setTimer(() => (done as Callback)(null, value), 0, []);
  return undefined;
}

function fill<T extends ArrayBufferView>(realm: Realm, into: T): T {
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = realm.choose(BYTE, "random byte");
  return into;
}

function fillPart(realm: Realm, args: readonly unknown[]): unknown {
  const [into, offset = 0, size] = args as [ArrayBufferView | ArrayBuffer, number?, number?];
  const whole = ArrayBuffer.isView(into)
    ? new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
    : new Uint8Array(into);
  fill(realm, whole.subarray(offset, size === undefined ? undefined : offset + size));
  return into;
}

function uuidFrom(realm: Realm, version = "4"): string {
  const bytes = fill(realm, new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | (Number(version) << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [0, 8, 12, 16, 20].map((at, index, all) => hex.slice(at, all[index + 1])).join("-");
}
