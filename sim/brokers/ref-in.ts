/** Finds the ref of the published record in a text that a producer wrote, if there is one. */
export function refIn(text: string): string | undefined {
  return /\bref-\d+/.exec(text)?.[0];
}

/** Returns a payload as text. */
export function textOf(payload: string | Uint8Array | undefined): string {
  return typeof payload === "string" ? payload : new TextDecoder().decode(payload);
}
