import { mapped } from "./sql-mapped.ts";
import type { Expression } from "./sql-statement.ts";

/** The expressions that one is directly made of; what is inside of a select is its own matter. */
export function childrenOf(of: Expression): readonly Expression[] {
  const children: Expression[] = [];
  mapped(of, (child) => {
    children.push(child);
    return child;
  });
  return children;
}

/** Whether it is computed over all rows, or a part of it is. */
export function hasAggregate(of: Expression): boolean {
  return of.kind === "aggregate" || childrenOf(of).some(hasAggregate);
}
