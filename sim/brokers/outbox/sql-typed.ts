import type { Expression } from "./sql-statement.ts";
import type { AnyType } from "./sql-types.ts";

/** An expression whose type is known. */
export interface Typed {
  readonly of: Expression;
  /** That of a text or a parameter is "unknown" until a place tells it. */
  readonly type: AnyType;
}

export function typesOf(list: readonly Typed[]): readonly AnyType[] {
  return list.map(({ type }) => type);
}

/** Whether it is NULL as it is written. */
export function isNull(of: Expression): boolean {
  return of.kind === "literal" && of.value.value === null && of.value.type === "unknown";
}
