import { SqlError } from "./sql-error.ts";
import type { Table, Values } from "./table.ts";

/** What a second row with a key is refused with. */
export function duplicate(table: Table, values: Values): SqlError {
  const key = table.columns[0]?.name ?? "";
  const constraint = `${table.name}_pkey`;
  const message = `duplicate key value violates unique constraint "${constraint}"`;
  const detail = `Key (${key})=(${String(table.keyIn(values))}) already exists.`;
  return new SqlError("23505", message, { table: table.name, constraint, detail });
}

/** @throws {SqlError} for columns that are no key of the table */
export function assertConflictOf(table: Table, names: readonly string[] | undefined): void {
  const key = table.columns[0]?.name;
  if (names === undefined || names.every((name) => name === key)) return;
  const what = "there is no unique or exclusion constraint matching the ON CONFLICT specification";
  throw new SqlError("42P10", what);
}
