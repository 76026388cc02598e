import { SqlError } from "./sql-error.ts";
import { isNumber, type SqlType } from "./sql-values.ts";

/** A type of an expression: arrays are given as parameters and texts alone. */
export type AnyType = SqlType | `${SqlType}[]`;

/** The type whose operators and functions a server takes: that of a short text has none. */
export function operandType(type: AnyType): AnyType {
  if (type === "character varying") return "text";
  return type === "character varying[]" ? "text[]" : type;
}

/** Whether a value is put into a column of another type without a cast. */
export function isAssignable(type: AnyType, wanted: SqlType): boolean {
  if (type === wanted || wanted === "text") return true;
  return isOfNumber(type) && isOfNumber(wanted);
}

/** Whether it is a type of numbers, which are taken for one another. */
export function isOfNumber(type: AnyType): boolean {
  return isNumber(type as SqlType);
}

/** Whether a cast that a statement writes exists. */
export function canBeCast(given: AnyType, to: AnyType): boolean {
  const [type, wanted] = [operandType(given), operandType(to)];
  if (type === wanted || type === "text" || wanted === "text") return true;
  const [element, wantedElement] = [elementOf(type), elementOf(wanted)];
  if (element !== undefined && wantedElement !== undefined)
    return canBeCast(element, wantedElement);
  if (type === "jsonb") return isOfNumber(wanted) || wanted === "boolean";
  const types = [type, wanted];
  return types.every(isOfNumber) || (types.includes("integer") && types.includes("boolean"));
}

/** The type of the elements of an array; undefined for any other type. */
function elementOf(type: AnyType): SqlType | undefined {
  return type.endsWith("[]") ? (type.slice(0, -2) as SqlType) : undefined;
}

const WIDTHS: readonly AnyType[] = ["integer", "bigint", "numeric", "double precision"];

/** The type of all values, text where nothing says it; undefined where they do not go together. */
export function commonTypeOf(types: readonly AnyType[]): AnyType | undefined {
  const clash = clashOf(types);
  if (clash !== undefined) return undefined;
  const known: readonly AnyType[] = types.filter((one) => one !== "unknown");
  const [first = "text"] = known;
  if (!isOfNumber(first)) return first;
  return WIDTHS.findLast((one) => known.includes(one)) ?? first;
}

/** @throws {SqlError} for types that do not go together */
export function assertedCommonType(what: string, types: readonly AnyType[]): AnyType {
  const common = commonTypeOf(types);
  if (common !== undefined) return common;
  const [first, other] = clashOf(types) ?? [];
  throw new SqlError("42804", `${what} types ${first} and ${other} cannot be matched`);
}

/** The first two types that do not go together; the first of numbers is the widest so far. */
function clashOf(types: readonly AnyType[]): readonly [AnyType, AnyType] | undefined {
  let first: AnyType | undefined;
  for (const type of types) {
    if (type === "unknown" || type === first) continue;
    if (first !== undefined && operandType(type) === operandType(first)) continue;
    if (first === undefined) first = type;
    else if (!isOfNumber(first) || !isOfNumber(type)) return [first, type];
    else if (WIDTHS.indexOf(type) > WIDTHS.indexOf(first)) first = type;
  }
  return undefined;
}
