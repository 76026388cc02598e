/** Bytes that read themselves out as text, as the client libraries of Node hand them out. */
export type Utf8Bytes = Uint8Array & { toString(encoding?: string): string };

interface BufferHost {
  readonly Buffer?: { from(text: string, encoding: "utf8"): Utf8Bytes };
}

/** The text in UTF-8: a `Buffer` where the runtime has one, else bytes that behave like it. */
export function utf8Bytes(text: string): Utf8Bytes {
  const host = globalThis as unknown as BufferHost;
  if (host.Buffer !== undefined) return host.Buffer.from(text, "utf8");
  return new ReadableBytes(new TextEncoder().encode(text));
}

class ReadableBytes extends Uint8Array {
  override toString(): string {
    return new TextDecoder().decode(this);
  }
}
