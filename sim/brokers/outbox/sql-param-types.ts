import { SqlError } from "./sql-error.ts";
import { elementsIn } from "./sql-json.ts";
import type { Expression } from "./sql-statement.ts";
import type { AnyType } from "./sql-types.ts";
import { paramFrom, type SqlType, type SqlValue, toType } from "./sql-values.ts";

type Param = Extract<Expression, { kind: "param" }>;

/** The types of the parameters of a statement: each has that of the first place that tells one. */
export class ParamTypes {
  readonly #count: number;
  readonly #isPrepared: boolean;
  readonly #types: (AnyType | undefined)[] = [];
  /** The places that have told no type yet. */
  readonly #untold = new Set<Param>();

  /** @param isPrepared - whether the server prepares the statement: in a text alone there is none */
  constructor(count: number, isPrepared: boolean) {
    this.#count = count;
    this.#isPrepared = isPrepared;
  }

  /** @throws {SqlError} for one that cannot be there */
  typeOf(param: Param): AnyType {
    if (!this.#isPrepared || param.index < 0) {
      throw new SqlError("42P02", `there is no parameter $${param.index + 1}`);
    }
    const known = this.#types[param.index];
    if (known === undefined) this.#untold.add(param);
    return known ?? "unknown";
  }

  /** @throws {SqlError} where another place has told another type */
  tell(param: Param, type: AnyType): void {
    const known = (this.#types[param.index] ??= type);
    this.#untold.delete(param);
    if (known === type) return;
    const message = `inconsistent types deduced for parameter $${param.index + 1}`;
    throw new SqlError("42P08", message);
  }

  /** @throws {SqlError} for one whose type no place tells, or only a later one */
  assertTold(): readonly AnyType[] {
    const message = (index: number): string =>
      `could not determine data type of parameter $${index + 1}`;
    for (const { index } of this.#untold) {
      if (this.#types[index] !== undefined) throw new SqlError("42P08", message(index));
    }
    return Array.from({ length: this.#count }, (_, index) => {
      const type = this.#types[index];
      if (type === undefined) throw new SqlError("42P18", message(index));
      return type;
    });
  }
}

/**
 * Reads what is given for the parameters.
 *
 * @throws {SqlError} for more or fewer than the statement has, and for what is none of the type
 */
export function bound(
  given: readonly unknown[],
  types: readonly AnyType[],
  name: string,
): readonly SqlValue[] {
  if (given.length !== types.length) {
    const what = `bind message supplies ${given.length} parameters`;
    const needed = `but prepared statement "${name}" requires ${types.length}`;
    throw new SqlError("08P01", `${what}, ${needed}`);
  }
  // The library makes texts of all of them before it sends any.
  const sent = given.map(paramFrom);
  return sent.map((one, at) => readAs(one, types[at] ?? "text"));
}

/** Reads a text as a value of a type; an array has a list of values. */
export function readAs(sent: SqlValue, type: AnyType): SqlValue {
  if (!type.endsWith("[]")) return toType(sent, type as SqlType);
  const of = type.slice(0, -2) as SqlType;
  const elements = elementsIn(sent);
  const value = elements?.map((one) => toType({ type: "unknown", value: one }, of)) ?? null;
  return { type: of, value };
}
