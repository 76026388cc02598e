import type { Expression, SelectStatement } from "./sql-statement.ts";
import { TYPE_NAMES } from "./sql-values.ts";

/** What a server calls the column of an expression. */
export function nameOf(of: Expression): string {
  if (of.kind === "column" || of.kind === "call") return of.name;
  if (of.kind === "aggregate" || of.kind === "advisory" || of.kind === "function") return of.name;
  if (of.kind === "coalesce" || of.kind === "exists") return of.kind;
  if (of.kind === "notify") return "pg_notify";
  if (of.kind === "subquery") return subqueryName(of.of);
  if (of.kind === "case") {
    return of.name ?? (isNamed(of.otherwise) ? nameOf(of.otherwise) : "case");
  }
  if (of.kind === "interval") return "make_interval";
  if (of.kind !== "cast" && of.kind !== "array") return "?column?";
  return isNamed(of.of) ? nameOf(of.of) : TYPE_NAMES[of.type];
}

function subqueryName({ items }: SelectStatement): string {
  return typeof items === "string" ? "?column?" : (items[0]?.name ?? "?column?");
}

const NAMED: ReadonlySet<Expression["kind"]> = new Set([
  ...(["column", "call", "function", "aggregate", "advisory", "coalesce", "exists"] as const),
  ...(["notify", "interval", "subquery"] as const),
]);

/** Whether an expression gives its own name to what it is inside of. */
function isNamed(of: Expression | undefined): of is Expression {
  if (of === undefined) return false;
  if (of.kind === "cast" || of.kind === "array") return isNamed(of.of);
  if (of.kind === "case") return of.name !== undefined || isNamed(of.otherwise);
  return NAMED.has(of.kind);
}
