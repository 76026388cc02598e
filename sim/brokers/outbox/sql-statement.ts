import type { JsonOperator } from "./sql-json.ts";
import { BY_DEFAULT, type SqlType, type SqlValue } from "./sql-values.ts";

/** An expression of a statement. */
export type Expression =
  | {
      readonly kind: "column";
      readonly name: string;
      /** The table that it is said to be of; undefined where the statement does not say it. */
      readonly of: string | undefined;
    }
  | { readonly kind: "param"; readonly index: number }
  | { readonly kind: "literal"; readonly value: SqlValue }
  | {
      readonly kind: "call";
      readonly name: "now" | "current_timestamp" | "transaction_timestamp" | "clock_timestamp";
    }
  | {
      readonly kind: "function";
      readonly name: FunctionName;
      readonly list: readonly Expression[];
    }
  /** All columns, or those of one table; only where items may stand. */
  | { readonly kind: "star"; readonly of: string | undefined }
  | { readonly kind: "coalesce"; readonly list: readonly Expression[] }
  | { readonly kind: "advisory"; readonly name: AdvisoryCall; readonly of: Expression }
  | {
      readonly kind: "aggregate";
      readonly name: AggregateName;
      /** Undefined: the rows themselves are counted. */
      readonly of: Expression | undefined;
      /** Only rows for which this is true. */
      readonly where: Expression | undefined;
      /** Once it is known. */
      readonly type?: SqlType;
    }
  | { readonly kind: "notify"; readonly channel: Expression; readonly payload: Expression }
  | { readonly kind: "exists"; readonly of: SelectStatement }
  | { readonly kind: "subquery"; readonly of: SelectStatement }
  | { readonly kind: "concat"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "case";
      /** What it was written as, if not as CASE. */
      readonly name?: "nullif";
      /** What is compared with each of them. */
      readonly of: Expression | undefined;
      readonly whens: readonly (readonly [when: Expression, then: Expression])[];
      readonly otherwise: Expression | undefined;
    }
  | {
      readonly kind: "json";
      readonly operator: JsonOperator;
      readonly of: Expression;
      readonly at: Expression;
    }
  | { readonly kind: "interval"; readonly parts: readonly (readonly [string, Expression])[] }
  | { readonly kind: "not"; readonly of: Expression }
  | {
      readonly kind: "is-distinct";
      readonly left: Expression;
      readonly right: Expression;
      readonly isNegated: boolean;
    }
  | { readonly kind: "is-null"; readonly of: Expression; readonly isNegated: boolean }
  | {
      readonly kind: "any";
      readonly of: Expression;
      readonly array: Expression;
      /** Whether it is written as a select of the elements. */
      readonly isUnnested?: boolean;
    }
  | { readonly kind: "cast"; readonly of: Expression; readonly type: SqlType }
  /** An array whose elements are of this type. */
  | { readonly kind: "array"; readonly of: Expression; readonly type: SqlType }
  | { readonly kind: "negative"; readonly of: Expression }
  | {
      readonly kind: "in";
      readonly of: Expression;
      readonly list: readonly Expression[] | SelectStatement;
      readonly isNegated: boolean;
      /** Whether it is an array, whose elements have one type. */
      readonly isArray?: boolean;
    }
  | {
      readonly kind: "binary";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** A function about a lock that has a number and no row. */
export type AdvisoryCall =
  | "pg_advisory_lock"
  | "pg_advisory_xact_lock"
  | "pg_try_advisory_lock"
  | "pg_try_advisory_xact_lock"
  | "pg_advisory_unlock";

/** A function of values alone. */
export type FunctionName =
  | ("least" | "greatest" | "extract" | "power" | "abs" | "floor" | "ceil" | "ceiling" | "round")
  | ("to_timestamp" | "jsonb_build_object" | "jsonb_set");

/** A function of all rows. */
export type AggregateName = "count" | "min" | "max" | "sum";

/** An operator with two operands. */
export type Operator =
  | ("and" | "or" | "=" | "<>" | "<" | "<=" | ">" | ">=")
  | ("+" | "-" | "*" | "/" | "%" | "^");

/** An expression and the name of its column in the result. */
export interface Item {
  readonly name: string;
  readonly of: Expression;
  /** Once it is known. */
  readonly type?: SqlType;
}

/** A table, or a part of a WITH, and what the statement calls it. */
export interface TableName {
  readonly name: string;
  readonly alias: string;
}

/** The columns that an update sets. */
export type Sets = readonly (readonly [column: string, value: Expression])[];

/** What a statement returns: all columns, or items. */
export type Items = "*" | readonly Item[];

/** What rows are sorted by. */
export interface Sorting {
  readonly of: Expression;
  readonly isDescending: boolean;
  readonly nulls: "first" | "last";
}

/** A statement without what a transaction is begun and ended by. */
export interface SelectStatement {
  readonly kind: "select";
  /** Of the rows for which these are alike only the first is returned; empty: all are. */
  readonly distinctOn: readonly Expression[];
  readonly items: Items;
  readonly table: TableName | undefined;
  readonly where: Expression | undefined;
  readonly orderBy: readonly Sorting[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
  /** What is done with rows that others have locked; undefined: nothing is locked. */
  readonly lock: "wait" | "skip" | "nowait" | undefined;
  readonly lockedAs: "FOR UPDATE" | "FOR NO KEY UPDATE";
  /** The table whose rows are locked, where the statement says it. */
  readonly lockOf: string | undefined;
  /** Whether it returns one row for all that it finds; said when types are known. */
  readonly isAggregated?: boolean;
}

/** A statement that reads or changes rows. */
export type RowStatement =
  | SelectStatement
  | {
      readonly kind: "update";
      readonly table: TableName;
      readonly sets: Sets;
      /** What it is joined with. */
      readonly from: TableName | undefined;
      readonly where: Expression | undefined;
      readonly returning: Items;
    }
  | {
      readonly kind: "delete";
      readonly table: TableName;
      readonly from: TableName | undefined;
      readonly where: Expression | undefined;
      readonly returning: Items;
    }
  | {
      readonly kind: "insert";
      readonly table: TableName;
      readonly columns: readonly string[];
      readonly from: readonly (readonly Expression[])[] | SelectStatement;
      /** What is done where the key is there; undefined: the statement is refused. */
      readonly onConflict: "nothing" | Sets | undefined;
      /** The columns whose conflict it is about; undefined: any. */
      readonly conflictOn: readonly string[] | undefined;
      readonly returning: Items;
    };

/** A statement with the parts of its WITH. */
export interface WithStatement {
  readonly kind: "with";
  readonly parts: readonly {
    readonly name: string;
    readonly of: RowStatement;
    /** Whether it is read as if it were written where it is read. */
    readonly isInlined: boolean | undefined;
    /** The columns that nothing reads. */
    readonly unread?: readonly string[];
  }[];
  readonly of: RowStatement;
}

/** A statement of the SQL that the model has. */
export type Statement =
  | RowStatement
  | WithStatement
  | { readonly kind: "begin" }
  | { readonly kind: "start" }
  | { readonly kind: "commit" }
  | { readonly kind: "rollback" }
  | { readonly kind: "savepoint"; readonly name: string }
  | { readonly kind: "rollback-to"; readonly name: string }
  | { readonly kind: "release"; readonly name: string }
  | {
      readonly kind: "set";
      readonly name: string;
      /** Undefined: as at first. */
      readonly value: string | undefined;
      readonly isReset: boolean;
      /** Only until the transaction ends. */
      readonly isLocal: boolean;
    }
  | { readonly kind: "create-table"; readonly name: string; readonly isIfMissing: boolean }
  | {
      readonly kind: "create-index";
      readonly table: string;
      readonly columns: readonly string[];
      /** Of which rows it is; undefined: of all. */
      readonly where: Expression | undefined;
    }
  | { readonly kind: "listen"; readonly channel: string }
  /** Without a channel it is about all of them. */
  | { readonly kind: "unlisten"; readonly channel: string | undefined }
  | { readonly kind: "notify"; readonly channel: string; readonly payload: string };

/** DEFAULT in the place of a value of an INSERT or UPDATE. */
export const DEFAULT: Expression = { kind: "literal", value: BY_DEFAULT };

/** Two expressions with an operator between them. */
export function binary(operator: Operator, left: Expression, right: Expression): Expression {
  return { kind: "binary", operator, left, right };
}
