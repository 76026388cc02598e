import { expect, test } from "vitest";
import { utf8Bytes, utf8BytesFrom } from "../src/platform/mod.ts";

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

test("bytes that are no text are copied, and read with replacement characters", () => {
  const { Buffer } = host;
  const given = new Uint8Array([0x61, 0xff]);
  const bytes = utf8BytesFrom(given);
  expect(Buffer === undefined || Buffer.isBuffer(bytes)).toBe(true);
  try {
    delete host.Buffer;
    const plain = utf8BytesFrom(given);
    given[0] = 0;
    expect([[...plain], [...bytes]]).toEqual([
      [0x61, 0xff],
      [0x61, 0xff],
    ]);
    expect([plain.toString(), bytes.toString()]).toEqual(["a\uFFFD", "a\uFFFD"]);
  } finally {
    if (Buffer !== undefined) Object.assign(host, { Buffer });
  }
});
