/** Bytes whose `toString()` decodes them as UTF-8, as Node's client libraries return them. */
export type Utf8Bytes = Uint8Array & { toString(encoding?: string): string };

interface BufferHost {
  readonly Buffer?: {
    from(text: string, encoding: "utf8"): Utf8Bytes;
    from(bytes: Uint8Array): Utf8Bytes;
  };
}

/**
 * Encodes `text` as UTF-8: as a `Buffer` where the runtime has one, otherwise as bytes with the
 * same `toString()`.
 *
 * @example
 * ```ts
 * import { utf8Bytes } from "faultlane/platform";
 *
 * const bytes = utf8Bytes("größe");
 * console.log(bytes.length); // => 7
 * console.log(bytes.toString()); // => größe
 * ```
 */
export function utf8Bytes(text: string): Utf8Bytes {
  const host = globalThis as unknown as BufferHost;
  if (host.Buffer !== undefined) return host.Buffer.from(text, "utf8");
  return new ReadableBytes(new TextEncoder().encode(text));
}

/**
 * Copies bytes, so that they have the same `toString()`.
 *
 * @example
 * ```ts
 * import { utf8BytesFrom } from "faultlane/platform";
 *
 * console.log(utf8BytesFrom(new Uint8Array([104, 105])).toString()); // => hi
 * ```
 */
export function utf8BytesFrom(bytes: Uint8Array): Utf8Bytes {
  const host = globalThis as unknown as BufferHost;
  if (host.Buffer !== undefined) return host.Buffer.from(bytes);
  return new ReadableBytes(bytes);
}

class ReadableBytes extends Uint8Array {
  override toString(): string {
    return new TextDecoder().decode(this);
  }
}
