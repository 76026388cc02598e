import { evaluate, type Surroundings } from "./sql-evaluate.ts";
import type { Expression } from "./sql-statement.ts";
import { assigned, type SqlType } from "./sql-values.ts";
import type { Column } from "./table.ts";

/**
 * Computes what needs no row, as the server does when it plans a statement.
 *
 * @throws {SqlError} for a constant that has no value, or none of the type, also where the
 *   statement finds no row
 */
export function assertConstant(of: Expression, column: Column, around: Surroundings): void {
  if (isConstant(of)) assigned(evaluate(of, around), column);
  const type = plainTypeOf(of);
  if (type !== undefined) assigned({ type, value: null }, column);
}

/** The type of an expression that tells it by itself. */
function plainTypeOf(of: Expression): SqlType | undefined {
  switch (of.kind) {
    case "cast":
      return of.type;
    case "call":
      return "timestamp with time zone";
    case "interval":
      return "interval";
    case "not":
    case "is-null":
    case "is-distinct":
    case "any":
    case "in":
    case "exists":
      return "boolean";
    default:
      return undefined;
  }
}

function isConstant(of: Expression): boolean {
  switch (of.kind) {
    case "literal":
    case "param":
      return true;
    case "cast":
    case "array":
    case "negative":
      return isConstant(of.of);
    case "binary":
      return isConstant(of.left) && isConstant(of.right);
    default:
      return false;
  }
}
