import { childrenOf } from "./sql-children.ts";
import { SqlError } from "./sql-error.ts";
import { evaluate, type Surroundings } from "./sql-evaluate.ts";
import type { Source } from "./sql-scope.ts";
import type { Expression, SelectStatement } from "./sql-statement.ts";

/** A condition as a server looks at it. */
export interface Condition {
  /** What is about no row, asked once: where it does not hold, no row is looked at. */
  readonly gate: readonly Expression[];
  /** What a key is compared with, computed once, though there be no row. */
  readonly sought: readonly Expression[];
  /** What is asked of each row, in this order, until something does not hold. */
  readonly parts: readonly Expression[];
}

/**
 * Returns what is joined by AND in the order in which a server asks it: it finds rows by their key,
 * and goes on with what costs it least, wherever that is written; of that it asks last what is
 * equal, which it has set aside to learn from.
 *
 * @param key - the column that the table has an index of; undefined for a part of a WITH
 */
export function conditionOf(where: Expression | undefined, key: string | undefined): Condition {
  const all = where === undefined ? [] : joinedByAnd(withoutNull(where));
  const gate = all.filter(isOfOneValue);
  const ofRows = all.filter((one) => !gate.includes(one));
  const isRange = ofRows.filter((one) => isByKey(one, key, RANGES)).length > 1;
  const ranked = ofRows.map((one) => {
    const isFirst = isByKey(one, key, isRange ? IN_ORDER : EQUAL) || soughtBy(one, key).length > 0;
    const isLast = one.kind === "binary" && one.operator === "=" && !isVolatile(one);
    return { one, cost: isFirst ? 0 : costOf(one), late: isLast ? 1 : 0 };
  });
  const parts = ranked.toSorted((a, b) => (a.cost === b.cost ? a.late - b.late : less(a, b)));
  const sought = ofRows
    .flatMap((one) => soughtBy(one, key))
    .filter((one) => columnsIn(one) === undefined);
  return { gate, sought, parts: parts.map(({ one }) => one) };
}

/** Some cost infinitely much. */
function less(a: { readonly cost: number }, b: { readonly cost: number }): number {
  return a.cost < b.cost ? -1 : 1;
}

/** Whether all of them are true; what is behind the first that is not is not computed. */
export function hold(parts: readonly Expression[], around: Surroundings): boolean {
  return parts.every((one) => evaluate(one, around).value === true);
}

/** What a condition holds for, up to the first for which it cannot be computed. */
export function untilFailure<Row>(
  rows: readonly Row[],
  isFound: (row: Row) => boolean,
): { readonly found: readonly Row[]; readonly failure?: SqlError } {
  const found: Row[] = [];
  for (const row of rows) {
    try {
      if (isFound(row)) found.push(row);
    } catch (error) {
      if (SqlError.isOne(error)) return { found, failure: error };
      throw error;
    }
  }
  return { found };
}

/** The columns that an expression names; undefined where a select in it may name others. */
function columnsIn(of: Expression): readonly Extract<Expression, { kind: "column" }>[] | undefined {
  if (of.kind === "column") return [of];
  if (hasSelect(of)) return undefined;
  const found: Extract<Expression, { kind: "column" }>[] = [];
  for (const one of childrenOf(of)) {
    const its = columnsIn(one);
    if (its === undefined) return undefined;
    found.push(...its);
  }
  return found;
}

/** Whether it does something, or is another at each call. */
export function isVolatile(of: Expression): boolean {
  if (of.kind === "advisory" || of.kind === "notify") return true;
  if (of.kind === "call" && of.name === "clock_timestamp") return true;
  return childrenOf(of).some(isVolatile);
}

/** What is null or true holds where the latter does. */
function withoutNull(of: Expression): Expression {
  if (of.kind !== "binary" || (of.operator !== "and" && of.operator !== "or")) return of;
  const [left, right] = [withoutNull(of.left), withoutNull(of.right)];
  if (of.operator === "or" && isNull(left)) return right;
  return of.operator === "or" && isNull(right) ? left : { ...of, left, right };
}

function isNull(of: Expression): boolean {
  return of.kind === "literal" && of.value.value === null;
}

function joinedByAnd(of: Expression): readonly Expression[] {
  if (of.kind !== "binary" || of.operator !== "and") return [of];
  return [...joinedByAnd(of.left), ...joinedByAnd(of.right)];
}

const EQUAL: readonly string[] = ["="];
const RANGES: readonly string[] = ["<", "<=", ">", ">="];
/** A range of two ends is found by an index, too. */
const IN_ORDER = [...EQUAL, ...RANGES];

/** Whether an index of the key finds the rows for which it is true. */
function isByKey(of: Expression, key: string | undefined, operators: readonly string[]): boolean {
  const isKey = (one: Expression): boolean => one.kind === "column" && one.name === key;
  if (of.kind === "binary" && operators.includes(of.operator)) {
    const { left, right } = of;
    return (isKey(left) && isOfNoRow(right)) || (isKey(right) && isOfNoRow(left));
  }
  if (operators === RANGES) return false;
  if (of.kind === "any") return isKey(of.of) && isOfNoRow(of.array);
  if (of.kind !== "in" || of.isNegated || "kind" in of.list) return false;
  return isKey(of.of) && of.list.every(isOfNoRow);
}

/** Whether it names no column, and is the same at each call. */
export function isOfNoRow(of: Expression): boolean {
  return columnsIn(of)?.length === 0 && !isVolatile(of);
}

/** What an index of the key is asked for by a condition. */
function soughtBy(of: Expression, key: string | undefined): readonly Expression[] {
  const isKey = (one: Expression): boolean => one.kind === "column" && one.name === key;
  if (of.kind === "in" && !of.isNegated && isKey(of.of) && !("kind" in of.list)) {
    return of.list.every(isOfOneValue) ? of.list : [];
  }
  if (of.kind !== "binary" || !EQUAL.includes(of.operator)) return [];
  if (isKey(of.left)) return isOfOneValue(of.right) ? [of.right] : [];
  return isKey(of.right) && isOfOneValue(of.left) ? [of.left] : [];
}

/** Whether it is the same for every row, as far as can be seen: a select in it names no column. */
function isOfOneValue(of: Expression): boolean {
  if (of.kind === "column" || isVolatile(of)) return false;
  if (of.kind === "subquery" || of.kind === "exists") return hasNoColumn(of.of);
  if (of.kind === "in" && "kind" in of.list && !hasNoColumn(of.list)) return false;
  return childrenOf(of).every(isOfOneValue);
}

function hasNoColumn({ items, where, orderBy, lock }: SelectStatement): boolean {
  if (items === "*" || orderBy.length > 0 || lock !== undefined) return false;
  return [...items.map((one) => one.of), ...(where === undefined ? [] : [where])].every(
    isOfOneValue,
  );
}

function hasSelect(of: Expression): boolean {
  if (of.kind === "exists" || of.kind === "subquery") return true;
  return of.kind === "in" && "kind" in of.list;
}

/** What only chooses between values costs a server nothing by itself. */
const FREE: ReadonlySet<Expression["kind"]> = new Set([
  ...(["column", "param", "literal", "star", "not", "is-null", "coalesce", "case"] as const),
  ...(["array"] as const),
]);

/** How many functions are called: a cast writes a text and reads it, a list is searched halfway. */
function costOf(of: Expression): number {
  if (hasSelect(of)) return Number.POSITIVE_INFINITY;
  const inside = childrenOf(of).reduce((sum, one) => sum + costOf(one), 0);
  if (FREE.has(of.kind)) return inside;
  if (of.kind === "binary" && (of.operator === "and" || of.operator === "or")) return inside;
  if (of.kind === "in" && !("kind" in of.list)) return inside + of.list.length / 2;
  return inside + (of.kind === "cast" ? 2 : 1);
}

/** What costs more than so many functions is computed behind a sort, for fewer rows. */
const CHEAP_MAX = 10;

/**
 * Whether a server computes what a select shows before it sorts its rows, so that it is of all of
 * them: also of those that a limit then cuts off.
 *
 * Source: PostgreSQL 15, planner.c, "make_sort_input_target"
 */
export function isBeforeSort(of: Expression, isLimited: boolean): boolean {
  return of.kind !== "column" && !isVolatile(of) && !(isLimited && costOf(of) > CHEAP_MAX);
}

/** A table, or a part of a WITH, by the name that the statement has for it. */
type Named = Pick<Source, "alias" | "columns">;

/** Parts of a condition by the tables whose columns they name. */
interface Sides {
  readonly own: readonly Expression[];
  readonly other: readonly Expression[];
  readonly both: readonly Expression[];
}

/** What is about one of two tables, which a server asks before it joins them. */
export function sidesOf(parts: readonly Expression[], own: Named, other: Named | undefined): Sides {
  if (other === undefined) return { own: parts, other: [], both: [] };
  const ofOwn = parts.filter((one) => isOnlyOf(one, own));
  const ofOther = parts.filter((one) => !ofOwn.includes(one) && isOnlyOf(one, other));
  const both = parts.filter((one) => !ofOwn.includes(one) && !ofOther.includes(one));
  return { own: ofOwn, other: ofOther, both };
}

function isOnlyOf(of: Expression, { alias, columns }: Named): boolean {
  const named = columnsIn(of) ?? [];
  const isIts = (column: (typeof named)[number]): boolean =>
    (column.of === undefined || column.of === alias) &&
    columns.some(({ name }) => name === column.name);
  return named.length > 0 && named.every(isIts);
}
