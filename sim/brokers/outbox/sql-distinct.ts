import { NotModelled } from "../not-modelled.ts";
import type { Expression, Item, Items, Sorting } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";

/**
 * Returns what DISTINCT is about, which is all that is shown.
 *
 * @throws {NotModelled} for all columns
 */
export function distinct(items: Items): readonly Expression[] {
  const stars = typeof items === "string" ? 1 : items.filter(({ of }) => of.kind === "star").length;
  if (stars > 0) throw new NotModelled("DISTINCT of all columns", SEE);
  return (items as readonly Item[]).map(({ of }) => of);
}

/** @throws {NotModelled} for what is not shown, which a server may refuse */
export function assertOrder(orderBy: readonly Sorting[], items: Items): void {
  const shown = (items as readonly Item[]).flatMap(({ name, of }) => [name, JSON.stringify(of)]);
  const isShown = ({ of }: Sorting): boolean =>
    of.kind === "literal" ||
    (of.kind === "column" && of.of === undefined && shown.includes(of.name)) ||
    shown.includes(JSON.stringify(of));
  if (!orderBy.every(isShown)) throw new NotModelled("an order of DISTINCT that is not shown", SEE);
}
