import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { MessageAttributes } from "./sqs-commands.ts";

const LENGTH_BYTES = 4;
const TEXT = 1;
const BYTES = 2;

/**
 * Returns the sum by which a receiver checks the attributes of a message.
 *
 * Source: Amazon SQS, "Calculating the MD5 message digest for message attributes"
 */
export function md5OfAttributes(attributes: MessageAttributes): string {
  const names = Object.keys(attributes).toSorted();
  const parts = names.flatMap((name) => {
    const { DataType: type = "", StringValue: text = "", BinaryValue } = attributes[name] ?? {};
    const isBinary = type.startsWith("Binary");
    const value = isBinary ? (BinaryValue ?? new Uint8Array()) : utf8ToBytes(text);
    const kind = Uint8Array.of(isBinary ? BYTES : TEXT);
    return [
      ...measured(utf8ToBytes(name)),
      ...measured(utf8ToBytes(type)),
      kind,
      ...measured(value),
    ];
  });
  return bytesToHex(md5(concatBytes(...parts)));
}

/** Returns the attributes that a receiver asks for: by name, "All", or by "prefix.*". */
export function attributesAskedFor(
  attributes: MessageAttributes,
  asked: readonly string[],
): MessageAttributes {
  const isAsked = (name: string): boolean =>
    asked.some((one) => {
      if (one === "All" || one === ".*") return true;
      return one.endsWith(".*") ? name.startsWith(one.slice(0, -2)) : one === name;
    });
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isAsked(name)));
}

function measured(bytes: Uint8Array): readonly Uint8Array[] {
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return [length, bytes];
}
