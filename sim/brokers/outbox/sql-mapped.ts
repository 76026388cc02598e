import type { Expression } from "./sql-statement.ts";

/** Returns an expression of the same kind whose direct parts are what `by` makes of them. */
export function mapped(of: Expression, by: (one: Expression) => Expression): Expression {
  switch (of.kind) {
    case "column":
    case "param":
    case "literal":
    case "call":
    case "star":
    case "exists":
    case "subquery":
      return of;
    case "function":
    case "coalesce":
      return { ...of, list: of.list.map(by) };
    case "aggregate":
      return { ...of, of: of.of && by(of.of), where: of.where && by(of.where) };
    case "notify":
      return { ...of, channel: by(of.channel), payload: by(of.payload) };
    case "concat":
    case "is-distinct":
    case "binary":
      return { ...of, left: by(of.left), right: by(of.right) };
    case "case":
      return {
        ...of,
        whens: of.whens.map(([when, then]) => [by(when), by(then)] as const),
        otherwise: of.otherwise && by(of.otherwise),
      };
    case "json":
      return { ...of, of: by(of.of), at: by(of.at) };
    case "interval":
      return { ...of, parts: of.parts.map(([name, part]) => [name, by(part)] as const) };
    case "any":
      return { ...of, of: by(of.of), array: by(of.array) };
    case "in":
      return { ...of, of: by(of.of), list: "kind" in of.list ? of.list : of.list.map(by) };
    case "advisory":
    case "not":
    case "is-null":
    case "cast":
    case "array":
    case "negative":
      return { ...of, of: by(of.of) };
    default:
      return of satisfies never;
  }
}
