/** The longest key, in UTF-16 code units; the width of Airflow's column. */
export const KEY_CHARS_MAX = 512;

/**
 * Returns `key` unchanged after checking it.
 *
 * @throws {TypeError} when it is not a string
 * @throws {RangeError} when it is empty or longer than {@linkcode KEY_CHARS_MAX}
 */
export function checkedKey(key: unknown): string {
  if (typeof key !== "string") {
    throw new TypeError(`Cannot use ${describe(key)} as a key: write a string`);
  }
  if (key.length === 0 || key.length > KEY_CHARS_MAX) {
    throw new RangeError(
      `Cannot use a key of ${key.length} characters: it needs 1 to ${KEY_CHARS_MAX}`,
    );
  }
  return key;
}

/**
 * Compares two keys by code point, as databases with a binary collation do. Comparing code units
 * differs above U+FFFF.
 */
export function compareKeys(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const one = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (one !== other) return rank(left, at, one) - rank(right, at, other);
  }
  return left.length - right.length;
}

/** Ranks a paired surrogate above every other code unit, and a lone one by its own number. */
function rank(text: string, at: number, unit: number): number {
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  const isHigh = unit < 0xdc00;
  const mate = text.charCodeAt(isHigh ? at + 1 : at - 1);
  const isPaired = isHigh ? mate >= 0xdc00 && mate <= 0xdfff : mate >= 0xd800 && mate < 0xdc00;
  return isPaired ? unit + 0x1_0000 : unit;
}

function describe(value: unknown): string {
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
