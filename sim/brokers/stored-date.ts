/** An ISO text of an instant; a time without a zone is in UTC. */
const INSTANT =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/** Returns the instant that a text names, in milliseconds since the epoch; undefined for no ISO text. */
export function epochMsIn(text: string): number | undefined {
  const zone = INSTANT.exec(text);
  if (zone === null) return undefined;
  const isTime = text.length > "2026-01-01".length;
  const ms = Date.parse(isTime && zone[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whether a value is a date, of whatever realm. */
export function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === "[object Date]";
}

/** Converts an instant, in milliseconds since the epoch, to what the library gives. */
export function storedDate(epochMs: number): Date {
  return new Date(epochMs);
}
