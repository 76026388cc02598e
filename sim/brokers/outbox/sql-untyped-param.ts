import type { Refusal } from "./sql-statement.ts";
import type { TokenReader } from "./sql-tokens.ts";

/**
 * What a server says to a parameter whose type it does not find out, or only behind a place where
 * it has to know it; undefined where it finds out all of them.
 *
 * @param ofAnyType - the tokens that are parameters where nothing tells a type
 * @param setParts - between which tokens an UPDATE sets columns
 */
export function untypedParam(
  { params, paramCount, at: end }: TokenReader,
  ofAnyType: ReadonlySet<number>,
  setParts: readonly (readonly [from: number, to: number])[],
): Refusal | undefined {
  if (params.some(([number]) => number === 0)) {
    return { code: "42P02", message: "there is no parameter $0" };
  }
  // A server reads what an UPDATE sets behind its condition.
  const rankOf = (at: number): number =>
    setParts.some(([from, to]) => at >= from && at < to) ? at + end : at;
  for (let number = 1; number <= paramCount; number += 1) {
    const places = params.filter(([one]) => one === number).map(([, at]) => at);
    const [first] = places.toSorted((a, b) => rankOf(a) - rankOf(b));
    if (first !== undefined && !ofAnyType.has(first)) continue;
    const isTold = places.some((at) => !ofAnyType.has(at));
    const message = `could not determine data type of parameter $${number}`;
    return { code: isTold ? "42P08" : "42P18", message };
  }
  return undefined;
}
