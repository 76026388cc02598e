import type { SqlType, SqlValue } from "./sql-values.ts";

/** An expression of a statement. */
export type Expression =
  | { readonly kind: "column"; readonly name: string }
  | { readonly kind: "param"; readonly index: number }
  | { readonly kind: "literal"; readonly value: SqlValue }
  | { readonly kind: "call"; readonly name: "now" | "clock_timestamp" }
  | { readonly kind: "interval"; readonly parts: readonly (readonly [string, Expression])[] }
  | { readonly kind: "not"; readonly of: Expression }
  | { readonly kind: "is-null"; readonly of: Expression; readonly isNegated: boolean }
  | { readonly kind: "any"; readonly of: Expression; readonly array: Expression }
  | { readonly kind: "cast"; readonly of: Expression; readonly type: SqlType }
  | {
      readonly kind: "in";
      readonly of: Expression;
      readonly list: readonly Expression[] | SelectStatement;
      readonly isNegated: boolean;
    }
  | {
      readonly kind: "binary";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** An operator with two operands. */
export type Operator = "and" | "or" | "=" | "<>" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*";

/** An expression and the name of its column in the result. */
export interface Item {
  readonly name: string;
  readonly of: Expression;
}

/** What a statement returns: all columns, the number of rows, or items. */
export type Items = "*" | "count" | readonly Item[];

/** A statement without what a transaction is begun and ended by. */
export interface SelectStatement {
  readonly kind: "select";
  readonly items: Items;
  readonly table: string | undefined;
  readonly where: Expression | undefined;
  readonly orderBy: readonly { readonly of: Expression; readonly isDescending: boolean }[];
  readonly limit: Expression | undefined;
  /** What is done with rows that others have locked; undefined: nothing is locked. */
  readonly lock: "wait" | "skip" | "nowait" | undefined;
}

/** A statement of the SQL that the model has. */
export type Statement =
  | SelectStatement
  | {
      readonly kind: "update";
      readonly table: string;
      readonly sets: readonly (readonly [column: string, value: Expression])[];
      readonly where: Expression | undefined;
      readonly returning: Items;
    }
  | {
      readonly kind: "delete";
      readonly table: string;
      readonly where: Expression | undefined;
      readonly returning: Items;
    }
  | {
      readonly kind: "insert";
      readonly table: string;
      readonly columns: readonly string[];
      readonly from: readonly (readonly Expression[])[] | SelectStatement;
      readonly ignoresConflicts: boolean;
      readonly returning: Items;
    }
  | { readonly kind: "begin" }
  | { readonly kind: "start" }
  | { readonly kind: "commit" }
  | { readonly kind: "rollback" };
