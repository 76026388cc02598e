const ESCAPE_LOW = "\u0001";
const ESCAPE_HIGH = "\ud7ff";
/** After the high escape, the character that stands for the first lone surrogate. */
const SURROGATE_BASE = 0x100;
const SURROGATE_FIRST = 0xd800;
// With the u flag a surrogate matches only where it is not part of a pair.
// oxlint-disable-next-line no-control-regex
const UNSTORABLE = /[\u0000\u0001\ud7ff-\udfff]/u;
// oxlint-disable-next-line no-control-regex
const UNSTORABLE_ALL = /[\u0000\u0001\ud7ff-\udfff]/gu;
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u0001([\u0001\u0002])|\ud7ff([\u0001\u0002])([\u0100-\u08ff])?/g;

/**
 * Returns `key` as text that every database accepts: without zero characters and lone surrogates,
 * which are escaped. Ordinary keys stay as they are.
 *
 * Holds: different keys give different texts, in the same order by code point.
 */
export function storableFromKey(key: string): string {
  if (!UNSTORABLE.test(key)) return key;
  return key.replace(UNSTORABLE_ALL, (character) => {
    if (character === "\u0000") return `${ESCAPE_LOW}\u0001`;
    if (character === ESCAPE_LOW) return `${ESCAPE_LOW}\u0002`;
    if (character === ESCAPE_HIGH) return `${ESCAPE_HIGH}\u0001`;
    const offset = character.charCodeAt(0) - SURROGATE_FIRST;
    return `${ESCAPE_HIGH}\u0002${String.fromCharCode(SURROGATE_BASE + offset)}`;
  });
}

/** Returns the key that {@linkcode storableFromKey} turned into `text`. */
export function keyFromStorable(text: string): string {
  if (!UNSTORABLE.test(text)) return text;
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
