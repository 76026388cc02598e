/**
 * Finds the ref of the published record in a text that a producer wrote, if there is one: in a dead
 * letter, for example.
 *
 * @example
 * ```ts
 * import { refIn } from "faultlane/brokers";
 *
 * console.log(refIn('{"ref":"ref-000012","why":"rejected"}')); // => ref-000012
 * ```
 */
export function refIn(text: string): string | undefined {
  return /\bref-\d+/.exec(text)?.[0];
}

/** Returns a payload as text. */
export function textOf(payload: string | Uint8Array | undefined): string {
  return typeof payload === "string" ? payload : new TextDecoder().decode(payload);
}
