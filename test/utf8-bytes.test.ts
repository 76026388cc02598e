import { expect, test } from "vitest";
import { utf8Bytes } from "../src/platform/mod.ts";

interface HasBuffer {
  Buffer?: { isBuffer(value: unknown): boolean };
}

const host = globalThis as unknown as HasBuffer;

test("bytes are a Buffer where the runtime has one, and read like one elsewhere", () => {
  const { Buffer } = host;
  const bytes = utf8Bytes("größe €");
  expect(Buffer === undefined || Buffer.isBuffer(bytes)).toBe(true);
  try {
    delete host.Buffer;
    const plain = utf8Bytes("größe €");
    expect(Buffer?.isBuffer(plain)).not.toBe(true);
    expect([...plain]).toEqual([...bytes]);
    expect([plain.toString(), bytes.toString()]).toEqual(["größe €", "größe €"]);
  } finally {
    if (Buffer !== undefined) Object.assign(host, { Buffer });
  }
});
