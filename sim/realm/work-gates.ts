import { bindAsyncContext, builtinModule, createAsyncContext } from "../../src/platform/mod.ts";
import { assertReads } from "./file-rules.ts";
import { gateFunction } from "./gate.ts";
import { assertSignsAlike, assertSubtleAlike, generateKeyFrom } from "./key-gates.ts";
import type { Arrival, Callback, Realm } from "./realm.ts";

/** The work inside of which other work begins: what it waits for must be delivered before it. */
const around = createAsyncContext<Arrival>();

/** Returns the work that the running code is a part of. */
export function workAround(): Arrival | undefined {
  return around?.get();
}

const SUBTLE = [
  ...["digest", "verify", "decrypt", "importKey", "exportKey", "deriveKey", "deriveBits"],
  ...["unwrapKey", "decapsulateBits", "decapsulateKey"],
] as const;

/** What may come out otherwise each time. */
const SUBTLE_OF_CHANCE = [
  "sign",
  "encrypt",
  "wrapKey",
  "encapsulateBits",
  "encapsulateKey",
] as const;

/** Functions of node:crypto that use the thread pool when they are passed a callback. */
const CRYPTO_CALLBACKS = [
  ...["pbkdf2", "scrypt", "hkdf", "argon2", "sign", "verify", "generateKey", "generateKeyPair"],
  ...["generatePrime", "checkPrime", "diffieHellman", "encapsulate", "decapsulate"],
] as const;

const FS_READS = [
  ...["access", "open", "close", "read", "readv", "readFile", "readdir", "stat", "lstat", "fstat"],
  ...["statfs", "realpath", "readlink", "exists", "opendir"],
] as const;

/** Of these, what names a file or says what for. */
const TARGETED = new Set<string>(["open", "read", "readv", "readFile"]);

const FILE_HANDLE_READS = ["read", "readv", "readFile", "stat", "close"] as const;

/** Refuses a call that no run can observe. */
type Check = (realm: Realm, use: string, args: readonly unknown[]) => void;

/** Makes runs wait for real asynchronous work that has no effect outside of the process. */
export function gateWork(): void {
  const { crypto, SubtleCrypto, WebAssembly, Blob, Bun, Deno } = globalThis as unknown as Record<
    string,
    { prototype?: object } | undefined
  >;
  const subtle = SubtleCrypto?.prototype ?? (crypto && (Reflect.get(crypto, "subtle") as object));
  gateSubtle(subtle);
  for (const name of ["compile", "instantiate", "compileStreaming", "instantiateStreaming"]) {
    gatePromise(WebAssembly, name, `WebAssembly.${name}`);
  }
  for (const name of ["arrayBuffer", "text", "bytes"]) {
    gatePromise(Blob?.prototype, name, `Blob.${name}`);
  }
  gateFunction(Blob?.prototype, "stream", (_realm, _args, _real, self) => streamOf(self as Blob));
  const node = builtinModule("node:crypto") as object | undefined;
  for (const name of CRYPTO_CALLBACKS) {
    gateCallback(node, name, `crypto.${name}`, name === "sign" ? assertSignsAlike : undefined);
  }
  gateZlib();
  gateFileReads();
  for (const name of [
    "readFile",
    "readTextFile",
    "stat",
    "lstat",
    "readLink",
    "realPath",
    "open",
  ]) {
    gatePromise(Deno, name, `Deno.${name}`);
  }
  gatePromise(Bun, "resolve", "Bun.resolve");
}

function gateSubtle(subtle: object | undefined): void {
  gateFunction(subtle, "generateKey", (realm, args, real, self) => {
    assertSubtleAlike(realm, "crypto.subtle.generateKey", args);
    const drawn = generateKeyFrom(realm, self as SubtleCrypto, args);
    return inOrder(realm, "crypto.subtle.generateKey", () =>
      drawn(real(...args) as Promise<unknown>),
    );
  });
  for (const name of SUBTLE) gatePromise(subtle, name, `crypto.subtle.${name}`);
  for (const name of SUBTLE_OF_CHANCE) {
    gatePromise(subtle, name, `crypto.subtle.${name}`, assertSubtleAlike);
  }
}

/** The runtime reads a blob's stream at its own pace; this one is read when it is pulled. */
function streamOf(blob: Blob): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const bytes = new Uint8Array(await blob.arrayBuffer());
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

/** zlib's functions and streams, and CompressionStream, are all made of this one transform. */
function gateZlib(): void {
  const zlib = builtinModule("node:zlib") as
    | { readonly Gzip?: { readonly prototype: object } }
    | undefined;
  const gzip = zlib?.Gzip?.prototype;
  const base = gzip && (Object.getPrototypeOf(gzip) as object);
  if (base === undefined) return;
  const own = Object.hasOwn(base, "_transform") ? base : (Object.getPrototypeOf(base) as object);
  for (const name of ["_transform", "_flush", "flush"]) {
    if (Object.hasOwn(own, name)) gateCallback(own, name, "zlib");
  }
}

function gateFileReads(): void {
  const fs = builtinModule("node:fs") as { readonly promises?: object } | undefined;
  for (const name of FS_READS) {
    const check = TARGETED.has(name) ? assertReads : undefined;
    gateCallback(fs, name, `fs.${name}`, check);
    if (name !== "open") gatePromise(fs?.promises, name, `fs.promises.${name}`, check);
    if (check === undefined) continue;
    gateFunction(fs, `${name}Sync`, (realm, args, real) => {
      check(realm, `fs.${name}Sync`, args);
      return real(...args);
    });
  }
  // A handle's methods can be reached when there is one.
  gateFunction(fs?.promises, "open", (realm, args, real) => {
    assertReads(realm, "fs.promises.open", args);
    return inOrder(
      realm,
      "fs.promises.open",
      () => real(...args) as Promise<object>,
      (handle) => {
        const prototype = Object.getPrototypeOf(handle) as object;
        for (const name of FILE_HANDLE_READS) gatePromise(prototype, name, `FileHandle.${name}`);
      },
    );
  });
}

/** Gates a function that returns a promise. */
function gatePromise(holder: object | undefined, name: string, label: string, check?: Check): void {
  gateFunction(holder, name, (realm, args, real) => {
    check?.(realm, label, args);
    return inOrder(realm, label, () => real(...args) as Promise<unknown>);
  });
}

function inOrder<T>(
  realm: Realm,
  label: string,
  start: () => Promise<T>,
  look?: (value: T) => void,
): Promise<T> {
  const arrive = realm.beginWork(label);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const begun = inside(arrive, start);
  Promise.resolve(begun).then(
    (value) => {
      look?.(value);
      arrive(() => resolve(value));
    },
    (error: unknown) => arrive(() => reject(error)),
  );
  return promise;
}

/** Gates a function whose last argument is a callback; without one it passes through. */
function gateCallback(
  holder: object | undefined,
  name: string,
  label: string,
  check?: Check,
): void {
  const promisified = holder && (Reflect.get(holder, name) as object | undefined);
  if (typeof promisified !== "function") return;
  gateFunction(holder, name, (realm, args, real) => {
    check?.(realm, label, args);
    const done = args.at(-1);
    if (typeof done !== "function") return real(...args);
    const arrive = realm.beginWork(label);
    const deliver = bindAsyncContext(done as Callback);
    return inside(arrive, () =>
      real(...args.slice(0, -1), (...results: unknown[]) => arrive(() => deliver(...results))),
    );
  });
}

function inside<T>(arrive: Arrival, start: () => T): T {
  try {
    return around === undefined ? start() : around.run(arrive, start);
  } catch (error) {
    arrive(() => undefined);
    throw error;
  }
}
