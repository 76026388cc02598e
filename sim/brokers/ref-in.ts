/** Finds the published record in whatever a producer wrote about it; undefined when it is not there. */
export function refIn(text: string): string | undefined {
  return /\bref-\d+/.exec(text)?.[0];
}

/** The text of a payload, however it was handed over. */
export function textOf(payload: string | Uint8Array | undefined): string {
  return typeof payload === "string" ? payload : new TextDecoder().decode(payload);
}
