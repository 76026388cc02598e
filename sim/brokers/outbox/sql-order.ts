import { evaluate, type Surroundings } from "./sql-evaluate.ts";
import type { SelectStatement } from "./sql-statement.ts";
import { compared, NULL, type SqlValue } from "./sql-values.ts";

/** Sorts rows by what an ORDER BY says; those that are alike keep their order. */
export function sorted<Row>(
  rows: readonly Row[],
  orderBy: SelectStatement["orderBy"],
  scopeOf: (row: Row) => Surroundings,
): readonly Row[] {
  if (orderBy.length === 0) return rows;
  const keyed = rows.map((row) => {
    const scope = scopeOf(row);
    return { row, keys: orderBy.map(({ of }) => evaluate(of, scope)) };
  });
  return keyed
    .toSorted((a, b) => {
      for (const [at, { isDescending }] of orderBy.entries()) {
        const order = orderOf(a.keys[at] ?? NULL, b.keys[at] ?? NULL);
        if (order !== 0) return isDescending ? -order : order;
      }
      return 0;
    })
    .map(({ row }) => row);
}

/** NULLs come last, as a server sorts them. */
function orderOf(a: SqlValue, b: SqlValue): number {
  if (a.value === null || b.value === null)
    return Number(a.value === null) - Number(b.value === null);
  return compared(a, b);
}
