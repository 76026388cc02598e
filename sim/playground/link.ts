import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";

/** What a link to the playground carries. */
export interface Shared {
  readonly tab: "scenario" | "producer";
  readonly text: string;
  readonly seed: number;
  /** Of a producer. */
  readonly broker: string;
}

/** Returns the hash of a link: the texts, compressed. */
export function hashFrom({ tab, text, seed, broker }: Shared): string {
  const bytes = deflateSync(strToU8(JSON.stringify([tab, text, seed, broker])));
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `#${letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** Returns what a hash carries; undefined for none, or a damaged one. */
export function sharedFrom(hash: string): Shared | undefined {
  try {
    const letters = hash.slice(1).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    const [tab, text, seed, broker] = JSON.parse(strFromU8(inflateSync(bytes))) as unknown[];
    if (tab !== "scenario" && tab !== "producer") return undefined;
    if (typeof text !== "string" || !Number.isSafeInteger(seed) || typeof broker !== "string") {
      return undefined;
    }
    return { tab, text, seed: Math.max(0, seed as number), broker };
  } catch {
    return undefined;
  }
}
