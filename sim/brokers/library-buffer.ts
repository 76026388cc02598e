import { TextBytes } from "./text-bytes.ts";

/**
 * Returns a copy of the bytes as a Node.js `Buffer`, which the client libraries give; in a browser,
 * which has none, as bytes whose `toString` decodes them.
 */
export function bufferFrom(bytes: Uint8Array): Buffer {
  if (typeof Buffer === "undefined") return new TextBytes(bytes) as unknown as Buffer;
  return Buffer.from(bytes);
}

/** Whether a library that demands a `Buffer` takes these bytes; a browser has no `Buffer`. */
export function isBuffer(bytes: unknown): boolean {
  return typeof Buffer === "undefined" ? bytes instanceof Uint8Array : Buffer.isBuffer(bytes);
}
