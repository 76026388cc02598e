/** Bytes whose `toString` decodes them as UTF-8, like a Node.js `Buffer`. */
export class TextBytes extends Uint8Array {
  override toString(_encoding?: string): string {
    return new TextDecoder().decode(this);
  }
}

export function bytesFrom(text: string): TextBytes {
  return new TextBytes(new TextEncoder().encode(text));
}
