import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { evaluate, isTrue, type Surroundings } from "./sql-evaluate.ts";
import type { AdvisoryCall, Expression, Item, SelectStatement } from "./sql-statement.ts";
import { SEE } from "./sql-tokens.ts";
import { compared, type SqlType, type SqlValue } from "./sql-values.ts";
import type { Values } from "./table.ts";

/** A row of a table, by the name that the statement has for it. */
export interface Source {
  readonly alias: string;
  /** What it is called where the statement gives it no name of its own. */
  readonly name?: string;
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
  readonly values: Values;
}

/** What all rows of a statement have around them. */
interface Around {
  readonly params: readonly unknown[];
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

type Column = Extract<Expression, { kind: "column" }>;

/** Every table of a server has these, too. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set([
  ...["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"],
]);

/** The columns that an expression can name: those of one row, and of what it is joined with. */
export class Scope implements Surroundings {
  readonly params: readonly unknown[];
  readonly beganAt: number;
  readonly wallNow: number;
  readonly #sources: readonly Source[];
  readonly #around: Around;
  /** The rows over which an aggregate is computed; undefined where it may not be. */
  readonly #rows: readonly Scope[] | undefined;
  readonly #outer: Outer | undefined;

  constructor(
    sources: readonly Source[],
    around: Around,
    outer: Outer | undefined,
    rows?: readonly Scope[],
  ) {
    this.params = around.params;
    this.beganAt = around.beganAt;
    this.wallNow = around.wallNow;
    this.#sources = sources;
    this.#around = around;
    this.#rows = rows;
    this.#outer = outer;
  }

  /** The columns of all tables, in the order of the statement. */
  get columns(): readonly { readonly alias: string; readonly name: string }[] {
    return this.#sources.flatMap(({ alias, columns }) =>
      columns.map(({ name }) => ({ alias, name })),
    );
  }

  /** Returns the scope of an aggregate over these rows. */
  over(rows: readonly Scope[]): Scope {
    return new Scope(this.#sources, this.#around, this.#outer, rows);
  }

  typeOf({ name, of }: Column): SqlType {
    return (this.#outerColumn(name, of) ?? this.#found(name, of)).type;
  }

  /** @throws {SqlError} for a column that is none, or of several tables */
  column(name: string, of: string | undefined): SqlValue {
    const outside = this.#outerColumn(name, of);
    if (outside !== undefined) return outside;
    const { alias, type, values } = this.#found(name, of);
    if (this.#rows !== undefined) {
      const why = "must appear in the GROUP BY clause or be used in an aggregate function";
      throw new SqlError("42803", `column "${alias}.${name}" ${why}`);
    }
    return values.get(name) ?? { type, value: null };
  }

  /** @throws {SqlError} where no aggregate may be */
  aggregate({ name, of, where }: Extract<Expression, { kind: "aggregate" }>): SqlValue {
    const rows = this.#rows?.filter((row) => isTrue(where, row));
    if (rows === undefined) {
      throw new SqlError("42803", "aggregate functions are not allowed in WHERE");
    }
    if (where !== undefined && containsAggregate(where)) {
      throw new SqlError("42803", "aggregate functions are not allowed in FILTER");
    }
    if (of === undefined) return { type: "bigint", value: rows.length };
    if (containsAggregate(of)) {
      throw new SqlError("42803", "aggregate function calls cannot be nested");
    }
    const values = rows.map((row) => evaluate(of, row)).filter(({ value }) => value !== null);
    if (name === "count") return { type: "bigint", value: values.length };
    if (name === "sum") return this.#sumOf(of, values);
    const sign = name === "min" ? 1 : -1;
    const [first = { type: this.#typeOfNone(of), value: null }] = values.toSorted(
      (a, b) => sign * compared(a, b),
    );
    if (first.type !== "jsonb" && first.type !== "boolean") return first;
    throw new SqlError("42883", `function ${name}(${first.type}) does not exist`);
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

  /** Sums of whole numbers are of the next wider type. */
  #sumOf(of: Expression, values: readonly SqlValue[]): SqlValue {
    const type = values[0]?.type ?? this.#typeOfNone(of);
    const sum = values.reduce((before, { value }) => before + Number(value), 0);
    const value = values.length === 0 ? null : sum;
    if (type === "integer") return { type: "bigint", value };
    if (type === "bigint") return { type: "numeric", value, places: 0 };
    if (type === "double precision" || type === "interval") return { type, value };
    throw new NotModelled(`a sum of the type ${type}`, SEE);
  }

  /** The type of an aggregate of no rows. */
  #typeOfNone(of: Expression): SqlType {
    if (of.kind === "column") return this.typeOf(of);
    throw new NotModelled("such an aggregate of no rows", SEE);
  }

  /** Returns a column that no table of its own has, and the select around it does. */
  #outerColumn(name: string, of: string | undefined): SqlValue | undefined {
    if (this.#outer === undefined || this.#has(name, of)) return undefined;
    return this.#outer.column(name, of);
  }

  /** Returns a column as a select inside of this one sees it; undefined where there is none. */
  visible(name: string, of: string | undefined): SqlValue | undefined {
    return this.#has(name, of) ? this.column(name, of) : this.#outerColumn(name, of);
  }

  /** Whether one of its tables has the column. */
  #has(name: string, of: string | undefined): boolean {
    return this.#sources.some(
      ({ alias, columns }) =>
        (of === undefined || alias === of) && columns.some((one) => one.name === name),
    );
  }

  #found(name: string, of: string | undefined) {
    const named = this.#sources.filter(({ alias }) => of === undefined || alias === of);
    if (of !== undefined && named.length === 0) {
      const isRenamed = this.#sources.some(({ name: table }) => table === of);
      const what = isRenamed
        ? "invalid reference to FROM-clause entry"
        : "missing FROM-clause entry";
      throw new SqlError("42P01", `${what} for table "${of}"`);
    }
    const found = named.flatMap(({ alias, columns, values }) => {
      const column = columns.find((one) => one.name === name);
      return column === undefined ? [] : [{ alias, type: column.type, values }];
    });
    const [first, second] = found;
    if (second !== undefined) {
      throw new SqlError("42702", `column reference "${name}" is ambiguous`);
    }
    if (first !== undefined) return first;
    if (SYSTEM_COLUMNS.has(name)) throw new NotModelled(`the system column ${name}`, SEE);
    if (of === undefined && this.#sources.some(({ alias }) => alias === name)) {
      throw new NotModelled("a whole row as a value", SEE);
    }
    const shown = of === undefined ? `"${name}"` : `${of}.${name}`;
    throw new SqlError("42703", `column ${shown} does not exist`);
  }
}

/** Whether a statement returns one row for all that it finds. */
export function isAggregated(items: readonly Item[]): boolean {
  return items.some(({ of }) => containsAggregate(of));
}

function containsAggregate(of: Expression): boolean {
  switch (of.kind) {
    case "aggregate":
      return true;
    case "cast":
    case "array":
    case "negative":
    case "not":
    case "is-null":
      return containsAggregate(of.of);
    case "coalesce":
    case "function":
      return of.list.some(containsAggregate);
    case "case":
      return [...of.whens.flat(), ...(of.otherwise === undefined ? [] : [of.otherwise])].some(
        containsAggregate,
      );
    case "binary":
    case "is-distinct":
    case "concat":
      return containsAggregate(of.left) || containsAggregate(of.right);
    default:
      return false;
  }
}
