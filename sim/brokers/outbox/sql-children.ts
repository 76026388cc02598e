import type { Expression } from "./sql-statement.ts";

/** The expressions that one is directly made of; what is inside of a select is its own matter. */
export function childrenOf(of: Expression): readonly Expression[] {
  switch (of.kind) {
    case "column":
    case "param":
    case "literal":
    case "call":
    case "star":
    case "exists":
    case "subquery":
      return [];
    case "function":
    case "coalesce":
      return of.list;
    case "aggregate":
      return [of.of, of.where].filter((one) => one !== undefined);
    case "notify":
      return [of.channel, of.payload];
    case "concat":
    case "is-distinct":
    case "binary":
      return [of.left, of.right];
    case "case":
      return [...of.whens.flat(), ...(of.otherwise === undefined ? [] : [of.otherwise])];
    case "json":
      return [of.of, of.at];
    case "interval":
      return of.parts.map(([, part]) => part);
    case "any":
      return [of.of, of.array];
    case "in":
      return "kind" in of.list ? [of.of] : [of.of, ...of.list];
    case "advisory":
    case "not":
    case "is-null":
    case "cast":
    case "array":
    case "negative":
      return [of.of];
    default:
      return of satisfies never;
  }
}

/** Whether it is computed over all rows, or a part of it is. */
export function hasAggregate(of: Expression): boolean {
  return of.kind === "aggregate" || childrenOf(of).some(hasAggregate);
}
