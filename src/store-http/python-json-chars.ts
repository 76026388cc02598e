/** A string with its escapes, or a separator between strings. */
const STRING_OR_SEPARATOR = /"(?:[^"\\]|\\.)*"|[,:]/g;
// oxlint-disable-next-line no-control-regex
const NOT_ASCII = /[^\u0000-\u007f]/g;
/** Of `\u00e9` beyond that of `é`. */
const ESCAPE_CHARS_MORE = 5;

/**
 * Returns how many characters Python's `json.dumps` needs for the value of compact JSON `text`: it
 * escapes what is not ASCII, and writes a blank behind each separator.
 *
 * Source: Airflow 3.3, core REST API, the limit `[state_store] max_value_storage_bytes`
 */
export function pythonJsonChars(text: string): number {
  let separators = 0;
  for (const [token] of text.matchAll(STRING_OR_SEPARATOR)) if (token.length === 1) separators += 1;
  const escaped = text.match(NOT_ASCII)?.length ?? 0;
  return text.length + separators + escaped * ESCAPE_CHARS_MORE;
}
