import { builtinModule } from "../../src/platform/mod.ts";
import { drawBytes } from "./chance-gates.ts";
import { gateFunction } from "./gate.ts";
import { type Realm, runOutside } from "./realm.ts";

/** What to do about chance that is the library's own. */
const GIVEN_KEY =
  "use a key that is given, as a constant or a file, not one that is made in the run";
const GIVEN_NUMBER = "use a number that is given, or draw one with crypto.randomInt";
const REPEATABLE =
  "each result is another one; use what has no chance, such as an HMAC, Ed25519, or RSASSA-PKCS1-v1_5";

/** Functions of node:crypto whose results come from the chance of a library. */
const OF_CHANCE: Readonly<Record<string, string>> = {
  generateKeyPair: GIVEN_KEY,
  generateKeyPairSync: GIVEN_KEY,
  generatePrime: GIVEN_NUMBER,
  generatePrimeSync: GIVEN_NUMBER,
  publicEncrypt: REPEATABLE,
  encapsulate: REPEATABLE,
};

const RSA_PKCS1_PSS_PADDING = 6;

/** The part of a key of node:crypto that is looked at. */
interface Key {
  readonly type: string;
  readonly asymmetricKeyType?: string;
}

interface NodeCrypto {
  readonly createPrivateKey: (key: unknown) => Key;
  readonly createSecretKey: (bytes: Uint8Array) => unknown;
  readonly KeyObject: new () => Key;
  readonly ECDH?: { readonly prototype: object };
  readonly DiffieHellman?: { readonly prototype: object };
  readonly DiffieHellmanGroup?: { readonly prototype: object };
  readonly Sign?: { readonly prototype: object };
}

/**
 * Makes symmetric keys from the run's chance, and refuses what comes from the chance of a library
 * that no run can repeat: pairs of keys, primes, and signatures and ciphers that differ each time.
 */
export function gateKeys(): void {
  const node = builtinModule("node:crypto") as NodeCrypto | undefined;
  for (const [name, cure] of Object.entries(OF_CHANCE)) refuse(node, name, `crypto.${name}`, cure);
  for (const name of ["ECDH", "DiffieHellman", "DiffieHellmanGroup"] as const) {
    refuse(node?.[name]?.prototype, "generateKeys", `crypto.${name}.generateKeys`, GIVEN_KEY);
  }
  gateFunction(node, "createDiffieHellman", (realm, args, real) => {
    if (typeof args[0] !== "number") return real(...args);
    throw realm.refuse("crypto.createDiffieHellman of a length", GIVEN_NUMBER);
  });
  if (node === undefined) return;
  const { createSecretKey } = node;
  gateFunction(node, "generateKeySync", (realm, args, real) => keyFrom(realm, real(...args)));
  gateFunction(node, "generateKey", (realm, args, real) => {
    const done = args.at(-1) as (error: unknown, key?: unknown) => void;
    if (typeof done !== "function") return real(...args);
    const made = Reflect.get(node, "generateKeySync") as (...given: unknown[]) => unknown;
    const key = made(...args.slice(0, -1));
    realm.setTimer(() => done(null, key), 0, []);
    return undefined;
  });
  gateFunction(node.Sign?.prototype, "sign", (realm, [key, ...rest], real) => {
    assertSignsAlike(realm, "crypto.Sign.sign", [undefined, undefined, key]);
    return real(key, ...rest);
  });

  /** The runtime has checked the arguments; of its key only the length is taken. */
  function keyFrom(realm: Realm, made: unknown): unknown {
    const { symmetricKeySize = 0 } = made as { readonly symmetricKeySize?: number };
    return createSecretKey(drawBytes(realm, symmetricKeySize));
  }
}

function refuse(holder: object | undefined, name: string, use: string, cure: string): void {
  gateFunction(holder, name, (realm) => {
    throw realm.refuse(use, cure);
  });
}

/**
 * Checks that a signature of node:crypto is the same each time.
 *
 * @param args - those of `crypto.sign`
 */
export function assertSignsAlike(realm: Realm, use: string, args: readonly unknown[]): void {
  const given = args[2] as { readonly padding?: unknown; readonly saltLength?: unknown };
  const type = runOutside(() => keyTypeOf(given));
  if (type === undefined || type === "ed25519" || type === "ed448") return;
  const isSalted = type === "rsa-pss" || given.padding === RSA_PKCS1_PSS_PADDING;
  const isRepeatable = isSalted ? given.saltLength === 0 : type === "rsa";
  if (!isRepeatable) throw realm.refuse(`${use} with ${isSalted ? "RSA-PSS" : type}`, REPEATABLE);
}

/** Returns the kind of a private key; undefined where it is none, as the runtime will say. */
function keyTypeOf(given: unknown): string | undefined {
  const node = builtinModule("node:crypto") as NodeCrypto;
  try {
    const { key = given } = given as { readonly key?: unknown };
    const own = key instanceof node.KeyObject ? key : node.createPrivateKey(given);
    return own.asymmetricKeyType;
  } catch {
    return undefined;
  }
}

/** Algorithms of Web Crypto whose keys are bytes and nothing else. */
const OF_BYTES = new Set(["AES-CBC", "AES-CTR", "AES-GCM", "AES-KW", "HMAC"]);
/** Of the other ones, which have no chance. */
const WITHOUT_CHANCE = new Set(["RSASSA-PKCS1-V1_5", "ED25519", "ED448", "RSA-PSS WITHOUT SALT"]);
/** The longest key of those above, which is that of an HMAC with SHA-512. */
const KEY_BYTES_MAX = 128;

/** Checks that what a method of `crypto.subtle` makes is the same each time. */
export function assertSubtleAlike(realm: Realm, use: string, args: readonly unknown[]): void {
  const method = use.slice(use.lastIndexOf(".") + 1);
  const algorithm = algorithmOf(method === "wrapKey" ? args[3] : args[0]);
  switch (method) {
    case "generateKey":
      if (!OF_BYTES.has(algorithm)) throw realm.refuse(`${use} of ${algorithm}`, GIVEN_KEY);
      return;
    case "sign":
      if (OF_BYTES.has(algorithm) || WITHOUT_CHANCE.has(algorithm)) return;
      throw realm.refuse(`${use} with ${algorithm}`, REPEATABLE);
    case "encrypt":
    case "wrapKey":
      if (algorithm === "RSA-OAEP") throw realm.refuse(`${use} with ${algorithm}`, REPEATABLE);
      return;
    default:
      throw realm.refuse(use, REPEATABLE);
  }
}

function algorithmOf(given: unknown): string {
  const { name = given, saltLength } = Object(given) as object as {
    readonly name?: unknown;
    readonly saltLength?: unknown;
  };
  const text = String(name).toUpperCase();
  return text === "RSA-PSS" && saltLength === 0 ? "RSA-PSS WITHOUT SALT" : text;
}

/** Generates a key of Web Crypto from the run's chance; the runtime checks the arguments. */
export function generateKeyFrom(
  realm: Realm,
  subtle: SubtleCrypto,
  args: readonly unknown[],
): (made: Promise<unknown>) => Promise<unknown> {
  const bytes = drawBytes(realm, KEY_BYTES_MAX);
  return async (made) => {
    const key = (await made) as CryptoKey;
    const { length } = key.algorithm as KeyAlgorithm & { readonly length: number };
    const raw = bytes.slice(0, Math.ceil(length / 8));
    const algorithm = args[0] as AlgorithmIdentifier;
    return runOutside(() =>
      subtle.importKey("raw", raw, algorithm, key.extractable, [...key.usages]),
    );
  };
}
