import type { QueryResult } from "pg";

/** The rows that every sequence of statements begins with. */
export const ROWS: readonly string[] = [
  `INSERT INTO outbox (key, payload, created_at, attempts, leased_by, visible_at) VALUES
  ('a', '{"n": 1, "to": {"city": "Ulm"}, "tags": ["x", "y"], "nil": null}',
    '2011-01-01T00:00:00Z', 2, NULL, '2011-01-01T00:30:00Z'),
  ('b', '{"n": 2}', '2011-01-01T00:00:01Z', 0, 'w1', '2050-01-01T00:00:00Z'),
  ('it''s', '[1, "x", [2]]', '2011-01-02T00:00:00Z', 5, 'w2', '2011-01-02T00:00:00Z'),
  ('a', '"x"', '2011-01-02T00:00:00.25Z', 1, NULL, '2050-01-01T00:00:00Z')`,
  `INSERT INTO outbox_dead (id, key, payload, reason, died_at) VALUES
  (2, 'b', '{"n": 2}', 'x', '2011-01-01T00:00:00Z'), (9, 'z', '{}', NULL, '2011-01-01T00:00:00Z')`,
];

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** How late a statement may be, so that half a minute ahead is still the same. */
const LATE_MS = 17_000;
/** A time so near to the present is told as what lies between. */
const NEAR_MS = 20 * 86_400_000;
/** Instants that were cast to text. */
const INSTANTS = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00/g;
/** So many days lie between the present and one of the rows: they grow with the clock. */
const LONG_DAYS = 1_000;
/** Such intervals that were cast to text. */
const LONG_INTERVALS = /-?\d{4,} days(?: [-+]?\d+:\d\d:\d\d(?:\.\d+)?)?/g;
/** The seconds that extract() gives of an instant. */
const EPOCHS = /\b\d{10}\.\d{6}\b/g;
/** What fails in one of several rows names a value of it: a server reads them in its own order. */
const OF_A_ROW = /^2[23]/;

/** What has its rows from a part of itself, or changes them in the order in which they lie. */
const IN_ORDER_OF_ROWS = /^with|^insert[^]*\sselect\s|^update|^delete/i;

/** Tells a time by what lies between it and the present; undefined for one that is far. */
function seenFrom(now: Date, time: Date): string | undefined {
  const ahead = time.getTime() - now.getTime();
  if (Math.abs(ahead) > NEAR_MS) return undefined;
  return `now + ${Math.round((ahead + LATE_MS) / MINUTE_MS)} min`;
}

/** Tells what grows with the clock in a text that was cast or is quoted. */
function textSeenFrom(now: Date, text: string): string {
  const told = text
    .replaceAll(LONG_INTERVALS, "a long interval")
    .replaceAll(EPOCHS, (one) => seenFrom(now, new Date(Number(one) * SECOND_MS)) ?? one);
  return told.replaceAll(INSTANTS, (one) => seenFrom(now, new Date(one)) ?? one);
}

function isLong(value: unknown): boolean {
  const { days } = (value ?? {}) as { readonly days?: unknown };
  return typeof days === "number" && Math.abs(days) >= LONG_DAYS;
}

/** What a statement came to; rows in no order of their own come in that of their texts. */
export async function outcomeOf(
  play: () => Promise<QueryResult | readonly QueryResult[]>,
  text: string,
  now: Date,
): Promise<string> {
  const told = function (this: unknown, key: string, given: unknown): unknown {
    const value = (this as Record<string, unknown>)[key];
    if (value instanceof Date) return seenFrom(now, value) ?? value;
    if (isLong(value)) return "a long interval";
    if (typeof value !== "string") return given;
    return textSeenFrom(now, value);
  };
  try {
    const result = await play();
    if (Array.isArray(result)) return `${result.length} results`;
    const { command, rowCount, rows, fields, oid } = result as QueryResult;
    const shown = rows.map((row) => JSON.stringify(row, told));
    const isInOrder = /order by/i.test(text) && !/^(?:update|with)/i.test(text);
    const types = fields.map(({ name, dataTypeID }) => [name, dataTypeID]);
    const list = isInOrder ? shown : shown.toSorted();
    return JSON.stringify({ command, rowCount, oid, types, rows: list });
  } catch (error) {
    const { code, message, table, column, constraint, severity } = error as Record<string, string>;
    const isOfRow = OF_A_ROW.test(code ?? "") && / from|^update|^delete/i.test(text);
    const shown = textSeenFrom(now, message ?? "");
    const said = isOfRow ? shown.replaceAll(/"[^"]*"/g, '""') : shown;
    // A server passes the rows of a WITH on one by one, and changes and inserts rows in the order in
    // which they lie, a changed one behind all others: another may fail first, in another way.
    if (isOfRow && IN_ORDER_OF_ROWS.test(text)) return "a row fails";
    const where = isOfRow ? [table] : [table, column, constraint];
    return JSON.stringify([code, said, severity, ...where]);
  }
}
