import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { SEE, withoutSchema } from "./sql-tokens.ts";
import type { SqlType } from "./sql-values.ts";

/** A column of what a statement reads, and the name of that. */
export interface KnownColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly alias: string;
}

/** A table or part of a WITH that a statement reads or changes. */
export interface KnownSource {
  readonly alias: string;
  /** What it is called where the statement gives it no name of its own. */
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
  /** Is told of each column that is named. */
  readonly read?: ((column: string) => void) | undefined;
}

/** Every table of a server has these, too. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set([
  ...["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"],
]);

/** What the names of a part of a statement stand for, whatever the rows. */
export class StaticScope {
  readonly sources: readonly KnownSource[];
  /** Sources of the statement of which this part of it may not name columns. */
  readonly #hidden: readonly KnownSource[];
  readonly #outer: StaticScope | undefined;

  /** @throws {SqlError} for two of one name */
  constructor(
    sources: readonly KnownSource[],
    outer?: StaticScope,
    hidden: readonly KnownSource[] = [],
  ) {
    this.sources = sources;
    this.#outer = outer;
    this.#hidden = hidden;
    const aliases = sources.map(({ alias }) => alias);
    const twice = aliases.find((alias, at) => aliases.indexOf(alias) < at);
    if (twice === undefined) return;
    throw new SqlError("42712", `table name "${twice}" specified more than once`);
  }

  /** The columns of all sources, or of one, as a star stands for them. */
  columnsOf(alias: string | undefined): readonly KnownColumn[] {
    const named =
      alias === undefined ? this.sources : [this.#sourceOf(alias) ?? this.#missing(alias)];
    return named.flatMap(({ columns, alias: of, read }) =>
      columns.map(({ name, type }) => {
        read?.(name);
        return { name, type, alias: of };
      }),
    );
  }

  /** @throws {SqlError} for a column that is none, or of several sources */
  column(name: string, of: string | undefined): KnownColumn {
    if (of !== undefined) {
      const source = this.#sourceOf(of) ?? this.#missing(of);
      const found = source.columns.find((one) => one.name === name);
      if (found !== undefined) {
        source.read?.(name);
        return { name, type: found.type, alias: of };
      }
      if (SYSTEM_COLUMNS.has(name)) throw new NotModelled(`the system column ${name}`, SEE);
      throw new SqlError("42703", `column ${of}.${name} does not exist`);
    }
    const found = this.#unqualified(name);
    if (found !== undefined) return found;
    if (this.#sourceOf(name) !== undefined) throw new NotModelled("a whole row as a value", SEE);
    throw new SqlError("42703", `column "${name}" does not exist`);
  }

  /** Whether a column is one of this scope and not of one around it. */
  isOwn({ alias, name }: KnownColumn): boolean {
    return this.sources.some(
      (one) => one.alias === alias && one.columns.some((column) => column.name === name),
    );
  }

  #unqualified(name: string): KnownColumn | undefined {
    const found = this.sources.flatMap(({ alias, columns, read }) =>
      columns.filter((one) => one.name === name).map(({ type }) => ({ name, type, alias, read })),
    );
    if (found.length > 1) throw new SqlError("42702", `column reference "${name}" is ambiguous`);
    if (found.length === 0 && this.sources.length > 0 && SYSTEM_COLUMNS.has(name)) {
      throw new NotModelled(`the system column ${name}`, SEE);
    }
    const [own] = found;
    if (own === undefined) return this.#outer && this.#outer.#unqualified(name);
    own.read?.(name);
    return { name, type: own.type, alias: own.alias };
  }

  #sourceOf(alias: string): KnownSource | undefined {
    const own = this.sources.find((one) => one.alias === alias);
    return own ?? (this.#outer && this.#outer.#sourceOf(alias));
  }

  #missing(of: string): never {
    const what = this.#knows(of) ? "invalid reference to" : "missing";
    throw new SqlError("42P01", `${what} FROM-clause entry for table "${of}"`);
  }

  /** Whether there is a source of the name that cannot be named so here. */
  #knows(name: string): boolean {
    const all = [...this.sources, ...this.#hidden];
    const isOwn = all.some((one) => one.alias === name || withoutSchema(one.name) === name);
    return isOwn || (this.#outer !== undefined && this.#outer.#knows(name));
  }
}
