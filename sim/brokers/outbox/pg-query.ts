import { NotModelled } from "../not-modelled.ts";
import type { Reply } from "./outbox-session.ts";
import { parsersSetFor, type TypeParsers } from "./pg-types.ts";
import { SEE } from "./sql-tokens.ts";
import type { SqlType } from "./sql-values.ts";

/** A statement with its parameters, as an object. */
export interface QueryConfig {
  /** The statement, with `$1` for the first parameter. */
  readonly text: string;
  /** The parameters. */
  readonly values?: readonly unknown[];
  /** Makes it a prepared statement. */
  readonly name?: string;
  /** With "array", each row is a list of its values. */
  readonly rowMode?: "array";
  /** Has the values of its result read by these, not by those of `pg.types`. */
  readonly types?: TypeParsers;
}

/** The result of a statement. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface QueryResult<Row = Record<string, any>> {
  /** The rows, by column; empty for a statement that returns none. */
  readonly rows: Row[];
  /** How many rows were found or changed; null for a statement that is not about rows. */
  readonly rowCount: number | null;
  /** "SELECT", "UPDATE" and so on; "ROLLBACK" also for a COMMIT of a transaction that failed. */
  readonly command: string;
  /** The columns, with the number of their type. */
  readonly fields: { readonly name: string; readonly dataTypeID: number }[];
  /** 0 of an INSERT and null of anything else: no row has a number of its own. */
  readonly oid: number | null;
}

/** What is called with the result, or with an error alone. */
export type Callback = (...given: never[]) => void;

/** A statement as it is sent. */
export interface QueryCall {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly isOfLists: boolean;
  readonly types: TypeParsers | undefined;
  /** The name of a prepared statement. */
  readonly name: string | undefined;
  readonly done: Callback | undefined;
  /** What the library rejects it with instead of sending it. */
  readonly refusal?: Error;
}

/** Source: PostgreSQL, pg_type.dat */
const TYPE_NUMBERS: Readonly<Record<SqlType, number>> = {
  boolean: 16,
  bigint: 20,
  integer: 23,
  text: 25,
  "character varying": 1_043,
  "double precision": 701,
  numeric: 1_700,
  "timestamp with time zone": 1_184,
  interval: 1_186,
  jsonb: 3_802,
  unknown: 25,
  void: 2_278,
};
const NEITHER = "A query must have either text or a name. Supplying neither is unsupported.";
/** Blanks, semicolons and comments; no comment is inside of another one. */
const EMPTY = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:(?!\*\/|\/\*)[\s\S])*\*\/)*$/;
/** What the server replies to a statement in which there is nothing. */
export const EMPTY_REPLY: Reply = { command: "" };
const CONFIG_MEMBERS = ["text", "values", "name", "rowMode", "types"];

/** Reads the arguments of `query`; the callback may stand where the parameters do. */
export function queryFrom(
  query: string | QueryConfig,
  values: readonly unknown[] | Callback | undefined,
  last: Callback | undefined,
): QueryCall {
  const done = typeof values === "function" ? values : last;
  const given = typeof values === "function" ? undefined : values;
  const plain = { values: given ?? [], isOfLists: false, types: undefined, name: undefined, done };
  if (typeof query === "string") return listed({ text: query, ...plain });
  // A caller without types may give anything.
  if ((query as unknown) === null || (query as unknown) === undefined) {
    throw new TypeError("Client was passed a null or undefined query");
  }
  if (typeof query.text !== "string") {
    if (typeof query.name === "string") throw new NotModelled("a statement by its name alone", SEE);
    return { text: "", ...plain, refusal: new Error(NEITHER) };
  }
  const other = Object.keys(query).find((name) => !CONFIG_MEMBERS.includes(name));
  if (other !== undefined) throw new NotModelled(`query() with ${other}`, SEE);
  const { text, name } = query;
  if (Boolean(name) && typeof name !== "string") {
    throw new NotModelled("a statement whose name is no text", SEE);
  }
  const isOfLists = query.rowMode === "array";
  const { types } = query;
  return listed({ text, values: given ?? query.values ?? [], isOfLists, types, name, done });
}

function listed(call: QueryCall): QueryCall {
  // The library does not prepare a statement without a text, and sends no parameters with it.
  const isPlain = call.text === "" && !call.name;
  if (Array.isArray(call.values)) return isPlain ? { ...call, values: [] } : call;
  return { ...call, refusal: new Error("Query values must be an array") };
}

/** Whether there is nothing in it that a server executes. */
export function isEmpty(text: string): boolean {
  return EMPTY.test(text);
}

/** Returns what the library makes of a reply. */
export function resultFrom(
  reply: Reply,
  { isOfLists, types }: Pick<QueryCall, "isOfLists" | "types">,
): QueryResult {
  const oid = reply.command === "INSERT" ? 0 : null;
  if (!("rows" in reply)) {
    // The library's types do not say that it has no command for a statement without one.
    const command = reply.command === "" ? (null as unknown as string) : reply.command;
    return { command, rowCount: null, rows: [], fields: [], oid };
  }
  const { command, rowCount } = reply;
  const fields = reply.fields.map(({ name, type }) => ({ name, dataTypeID: TYPE_NUMBERS[type] }));
  const lists = parsedFrom(reply, fields, types);
  const given = isOfLists
    ? (lists ?? reply.lists).map((row) => [...row])
    : (lists?.map((row) => rowFrom(fields, row)) ?? reply.rows.map((row) => ({ ...row })));
  const rows = given as QueryResult["rows"];
  return { command, rowCount, rows, fields, oid };
}

type Fields = QueryResult["fields"];

/** Returns the rows where the program says how values are read; undefined where it does not. */
function parsedFrom(
  { lists, written }: Extract<Reply, { rows: unknown }>,
  fields: Fields,
  types: TypeParsers | undefined,
): readonly (readonly unknown[])[] | undefined {
  const numbers = fields.map(({ dataTypeID }) => dataTypeID);
  const given = types && numbers.map((type) => types.getTypeParser(type, "text"));
  const parsers = given ?? parsersSetFor(numbers);
  if (parsers.every((parse) => parse === undefined)) return undefined;
  const texts = written();
  return lists.map((row, nth) =>
    row.map((value, at) => {
      const [text, parse] = [texts[nth]?.[at] ?? null, parsers[at]];
      return text === null || parse === undefined ? value : parse(text);
    }),
  );
}

function rowFrom(fields: Fields, row: readonly unknown[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map(({ name }, at) => [name, row[at]]));
}

/**
 * Returns the promise, or calls `done` with what comes of it and returns nothing.
 *
 * @param noError - what it is called with where there is no error: null by a client's query
 */
export function calledBack<T>(
  promise: Promise<T>,
  done: Callback | undefined,
  argumentsOf: (value: T) => readonly unknown[] = (value) => [value],
  noError?: null,
): Promise<T> | undefined {
  if (done === undefined) return promise;
  const call = done as (...given: readonly unknown[]) => void;
  // What it throws nobody catches, as in the library.
  void promise.then(
    (value) => call(noError, ...argumentsOf(value)),
    (error: unknown) => call(error),
  );
  return undefined;
}
