import { NotModelled } from "../not-modelled.ts";
import { childrenOf } from "./sql-children.ts";
import { SqlError } from "./sql-error.ts";
import type { Expression, SelectStatement } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";

const PLAIN: readonly Expression["kind"][] = [
  ...(["column", "literal", "binary", "not", "is-null", "is-distinct"] as const),
];
const COMPARED: readonly string[] = ["and", "or", "=", "<>", "<", "<=", ">", ">="];

/**
 * Returns the select whose rows an index with a condition is of.
 *
 * @throws {SqlError} for a condition whose truth changes with time
 * @throws {NotModelled} for one that is more than comparisons of columns
 */
export function rowsOfIndex(table: string, where: Expression): SelectStatement {
  assertFixed(where);
  return {
    ...{ kind: "select", distinctOn: [], items: [], table: { name: table, alias: table }, where },
    ...{ orderBy: [], limit: undefined, offset: undefined },
    ...{ lock: undefined, lockOf: undefined, lockedAs: "FOR UPDATE" },
  };
}

function assertFixed(of: Expression): void {
  if (of.kind === "call") {
    throw new SqlError("42P17", "functions in index predicate must be marked IMMUTABLE");
  }
  const isList = of.kind === "in" && "length" in of.list;
  const isCompared = of.kind !== "binary" || COMPARED.includes(of.operator);
  if (!isCompared || !(isList || PLAIN.includes(of.kind))) {
    throw new NotModelled("an index with such a condition", SEE);
  }
  for (const child of childrenOf(of)) assertFixed(child);
}
