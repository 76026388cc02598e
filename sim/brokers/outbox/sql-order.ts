import { evaluate, type Surroundings } from "./sql-evaluate.ts";
import type { SelectStatement, Sorting } from "./sql-statement.ts";
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
      for (const [at, sorting] of orderBy.entries()) {
        const order = orderOf(a.keys[at] ?? NULL, b.keys[at] ?? NULL, sorting);
        if (order !== 0) return order;
      }
      return 0;
    })
    .map(({ row }) => row);
}

function orderOf(a: SqlValue, b: SqlValue, { isDescending, nulls }: Sorting): number {
  if (a.value === null || b.value === null) {
    const order = Number(a.value === null) - Number(b.value === null);
    return nulls === "last" ? order : -order;
  }
  return isDescending ? -compared(a, b) : compared(a, b);
}
