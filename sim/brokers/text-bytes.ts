/** Bytes that read as their text, as a Buffer does. */
export class TextBytes extends Uint8Array {
  override toString(_encoding?: string): string {
    return new TextDecoder().decode(this);
  }
}

export function bytesFrom(text: string): TextBytes {
  return new TextBytes(new TextEncoder().encode(text));
}
