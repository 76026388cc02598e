import { plus, type Interval } from "./interval.ts";
import { evaluate, isTrue, type Surroundings } from "./sql-evaluate.ts";
import type { AdvisoryCall, Expression, SelectStatement } from "./sql-statement.ts";
import { compared, NULL, type SqlType, type SqlValue } from "./sql-values.ts";
import type { Values } from "./table.ts";

/** A row of a table, by the name that the statement has for it. */
export interface Source {
  readonly alias: string;
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
  readonly values: Pick<Values, "get">;
}

/** What all rows of a statement have around them. */
interface Around {
  readonly params: readonly SqlValue[];
  readonly beganAt: number;
  readonly wallNow: number;
  /** `outer` is the row that the select may name columns of. */
  listFrom(select: SelectStatement, outer: Scope): readonly SqlValue[];
  exists(select: SelectStatement, outer: Scope): boolean;
  advisory(name: AdvisoryCall, key: number): boolean;
  notify(channel: string, payload: string): void;
}

/** Where a column is looked for that the tables of a subquery do not have. */
export interface Outer {
  column(name: string, of: string | undefined): SqlValue | undefined;
}

/** The columns that an expression can name: those of one row, and of what it is joined with. */
export class Scope implements Surroundings {
  readonly params: readonly SqlValue[];
  readonly beganAt: number;
  readonly wallNow: number;
  readonly #sources: readonly Source[];
  readonly #around: Around;
  /** The rows over which an aggregate is computed. */
  readonly #rows: readonly Scope[];
  readonly #outer: Outer | undefined;

  constructor(
    sources: readonly Source[],
    around: Around,
    outer: Outer | undefined,
    rows: readonly Scope[] = [],
  ) {
    this.params = around.params;
    this.beganAt = around.beganAt;
    this.wallNow = around.wallNow;
    this.#sources = sources;
    this.#around = around;
    this.#rows = rows;
    this.#outer = outer;
  }

  /** Returns the scope of an aggregate over these rows. */
  over(rows: readonly Scope[]): Scope {
    return new Scope(this.#sources, this.#around, this.#outer, rows);
  }

  column(name: string, of: string | undefined): SqlValue {
    return this.visible(name, of) ?? NULL;
  }

  aggregate({ name, of, where, type }: Extract<Expression, { kind: "aggregate" }>): SqlValue {
    const rows = this.#rows.filter((row) => isTrue(where, row));
    if (of === undefined) return { type: "bigint", value: rows.length };
    const values = rows.map((row) => evaluate(of, row)).filter(({ value }) => value !== null);
    if (name === "count") return { type: "bigint", value: values.length };
    const none: SqlValue = { type: type ?? "text", value: null };
    if (name === "sum") return sumOf(values, none);
    const sign = name === "min" ? 1 : -1;
    return values.toSorted((a, b) => sign * compared(a, b))[0] ?? none;
  }

  listFrom(select: SelectStatement): readonly SqlValue[] {
    return this.#around.listFrom(select, this);
  }

  exists(select: SelectStatement): boolean {
    return this.#around.exists(select, this);
  }

  notify(channel: string, payload: string): void {
    this.#around.notify(channel, payload);
  }

  advisory(name: AdvisoryCall, key: number): boolean {
    return this.#around.advisory(name, key);
  }

  /** Returns a column as a select inside of this one sees it; undefined where there is none. */
  visible(name: string, of: string | undefined): SqlValue | undefined {
    const source = this.#sources.find(
      ({ alias, columns }) =>
        (of === undefined || alias === of) && columns.some((one) => one.name === name),
    );
    if (source === undefined) return this.#outer?.column(name, of);
    return source.values.get(name) ?? NULL;
  }
}

function sumOf(values: readonly SqlValue[], none: SqlValue): SqlValue {
  if (values.length === 0) return none;
  if (none.type === "interval") {
    return { ...none, value: values.map(({ value }) => value as Interval).reduce(plus) };
  }
  const isWhole = values.every(({ type }) => type === "bigint");
  const value = values.reduce((before, one) => before + Number(one.value), 0);
  return isWhole ? { ...none, value, places: 0 } : { ...none, value };
}
