/** The longest key, in UTF-16 code units, as Airflow's column holds it. */
export const KEY_CHARS_MAX = 512;

/**
 * Answers `key` when it can name an entry.
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
      `Cannot use a key of ${key.length} characters: it has 1 to ${KEY_CHARS_MAX}`,
    );
  }
  return key;
}

const ESCAPE_LOW = "\u0001";
const ESCAPE_HIGH = "\ud7ff";
/** The first character behind the high escape that stands for a lone surrogate. */
const SURROGATE_BASE = 0x100;
const SURROGATE_FIRST = 0xd800;
// With the u flag a surrogate matches only where it is a lone one.
// oxlint-disable-next-line no-control-regex
const ESCAPED = /[\u0000\u0001\ud7ff-\udfff]/gu;
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u0001([\u0001\u0002])|\ud7ff([\u0001\u0002])([\u0100-\u08ff])?/g;
// oxlint-disable-next-line no-control-regex
const SUSPECT = /[\u0000\u0001\ud7ff-\udfff]/u;

/**
 * `key` as text that every database takes: no zero character, no lone surrogate.
 *
 * Holds: keys that differ stay different, and their order by code point stays the same. Ordinary
 * keys come out as they went in.
 */
export function storableFromKey(key: string): string {
  if (!SUSPECT.test(key)) return key;
  return key.replace(ESCAPED, (character) => {
    if (character === "\u0000") return `${ESCAPE_LOW}\u0001`;
    if (character === ESCAPE_LOW) return `${ESCAPE_LOW}\u0002`;
    if (character === ESCAPE_HIGH) return `${ESCAPE_HIGH}\u0001`;
    const offset = character.charCodeAt(0) - SURROGATE_FIRST;
    return `${ESCAPE_HIGH}\u0002${String.fromCharCode(SURROGATE_BASE + offset)}`;
  });
}

/** The key that {@linkcode storableFromKey} made `text` of. */
export function keyFromStorable(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(
    ESCAPES,
    (_all, low: string | undefined, high: string | undefined, surrogate: string | undefined) => {
      if (low !== undefined) return low === "\u0001" ? "\u0000" : ESCAPE_LOW;
      if (high === "\u0001") return ESCAPE_HIGH + (surrogate ?? "");
      const offset = (surrogate ?? "").charCodeAt(0) - SURROGATE_BASE;
      return String.fromCharCode(SURROGATE_FIRST + offset);
    },
  );
}

/**
 * Orders by code point, as databases with a binary collation do; code units would differ above
 * U+FFFF.
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

/** A surrogate of a pair ranks above all of the basic plane, a lone one where its number says. */
function rank(text: string, at: number, unit: number): number {
  if (unit < SURROGATE_FIRST || unit > 0xdfff) return unit;
  const isHigh = unit < 0xdc00;
  const mate = text.charCodeAt(isHigh ? at + 1 : at - 1);
  const isPaired = isHigh ? mate >= 0xdc00 && mate <= 0xdfff : mate >= 0xd800 && mate < 0xdc00;
  return isPaired ? unit + 0x1_0000 : unit;
}

function describe(value: unknown): string {
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
