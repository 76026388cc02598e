import type { FunctionName, Operator } from "./sql-statement.ts";
import type { SqlType } from "./sql-values.ts";

/** The operators that compare, by how they are written. */
export const COMPARISONS: Readonly<Record<string, Operator>> = {
  "=": "=",
  "<>": "<>",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};
/** The types that a value can be cast to, by the names that they have. */
export const TYPES: Readonly<Record<string, SqlType>> = {
  bigint: "bigint",
  int8: "bigint",
  integer: "integer",
  int: "integer",
  int4: "integer",
  float8: "double precision",
  text: "text",
  varchar: "character varying",
  boolean: "boolean",
  bool: "boolean",
  timestamptz: "timestamp with time zone",
  interval: "interval",
  jsonb: "jsonb",
};

/** Operators of jsonb, longer ones first. */
export const JSON_OPERATORS = ["->>", "->", "#>>", "#>", "@>", "?"] as const;
/** Operators that bind as a product does. */
export const PRODUCTS = ["*", "/", "%"] as const;
/** Functions that give a time. */
export const CLOCKS = ["now", "transaction_timestamp", "clock_timestamp"] as const;
/** Functions of values alone that are called as any other. */
export const FUNCTIONS: readonly FunctionName[] = [
  ...(["least", "greatest", "power", "abs", "floor", "ceil", "ceiling", "round"] as const),
  ...(["to_timestamp", "jsonb_build_object", "jsonb_set"] as const),
];
/** Words that a server knows without brackets, and that are no columns. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...["current_date", "current_time", "localtime", "localtimestamp", "current_user", "user"],
  ...["session_user", "current_role", "current_catalog", "current_schema", "system_user"],
]);

/** Words of the language that are no columns either. */
export const NO_COLUMNS: ReadonlySet<string> = new Set([
  ...["from", "where", "select", "order", "group", "having", "limit", "offset", "for", "fetch"],
  ...["returning", "using", "on", "and", "or", "in", "as", "when", "then", "else", "end", "union"],
  ...["set", "into", "desc", "asc", "all", "any", "array", "with", "distinct", "cast", "values"],
]);
