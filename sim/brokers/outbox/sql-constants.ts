import { evaluate, type Surroundings } from "./sql-evaluate.ts";
import type { Expression } from "./sql-statement.ts";
import { type SqlType, toType } from "./sql-values.ts";

/**
 * Computes what needs no row, as the server does when it plans a statement.
 *
 * @throws {SqlError} for a constant that has no value, or none of the type, also where the
 *   statement finds no row
 */
export function assertConstant(of: Expression, type: SqlType, around: Surroundings): void {
  if (isConstant(of)) toType(evaluate(of, around), type);
}

function isConstant(of: Expression): boolean {
  switch (of.kind) {
    case "literal":
    case "param":
      return true;
    case "cast":
      return isConstant(of.of);
    case "binary":
      return isConstant(of.left) && isConstant(of.right);
    default:
      return false;
  }
}
