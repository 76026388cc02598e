import { NotModelled } from "../not-modelled.ts";
import { SqlError } from "./sql-error.ts";
import { ParamTypes } from "./sql-param-types.ts";
import { SelectAnalysis } from "./sql-select-analysis.ts";
import {
  DEFAULT,
  type Expression,
  type Item,
  type Items,
  type RowStatement,
  type SelectStatement,
  type Sets,
  type TableName,
  type WithStatement,
} from "./sql-statement.ts";
import { type KnownSource, StaticScope } from "./sql-static-scope.ts";
import { SEE } from "./sql-tokens.ts";
import type { AnyType } from "./sql-types.ts";
import type { Typed } from "./sql-typed.ts";
import type { Typing } from "./sql-typing.ts";
import type { Column, Table } from "./table.ts";

/** A statement whose expressions have types, and the types of its parameters. */
export interface Analysed {
  readonly statement: RowStatement | WithStatement;
  readonly paramTypes: readonly AnyType[];
}

type OfKind<Kind extends RowStatement["kind"]> = Extract<RowStatement, { kind: Kind }>;

/**
 * Tells what a statement is about, as a server does before it looks at parameters and rows.
 *
 * @param tableOf - finds a table, whoever may use it
 * @throws {SqlError} for what does not go together, in the order in which a server reads it
 * @throws {NotModelled} for what the model does not have
 */
export function analysed(
  statement: RowStatement | WithStatement,
  params: { readonly count: number; readonly isPrepared: boolean },
  tableOf: (name: string) => Table,
): Analysed {
  const types = new ParamTypes(params.count, params.isPrepared);
  const analysis = new Analysis(types, tableOf);
  const typed = statement.kind === "with" ? analysis.with(statement) : analysis.rows(statement);
  const paramTypes = types.assertTold();
  analysis.assertWritable();
  return { statement: typed, paramTypes };
}

class Analysis {
  readonly #tableOf: (name: string) => Table;
  readonly #selects: SelectAnalysis;
  /** What a server asks when it has read all of the statement. */
  readonly #writes: (() => void)[] = [];

  constructor(params: ParamTypes, tableOf: (name: string) => Table) {
    this.#tableOf = tableOf;
    this.#selects = new SelectAnalysis(params, tableOf);
  }

  with({ parts, of }: WithStatement): WithStatement {
    const names = parts.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) < at);
    if (twice !== undefined) {
      throw new SqlError("42712", `WITH query name "${twice}" specified more than once`);
    }
    const typed = parts.map((part) => {
      const its = this.rows(part.of);
      this.#selects.addPart(part.name, its.kind === "select" ? its.items : its.returning);
      return { ...part, of: its };
    });
    const last = this.rows(of);
    // A server does not execute a select that nothing reads.
    const reads = typed.map((part) => ({ part, count: this.#selects.readsOf(part.name) }));
    const used = reads.filter(({ part, count }) => part.of.kind !== "select" || count > 0);
    // One that is read twice is computed once, and whole.
    const told = used.map(({ part, count }) => ({
      ...part,
      isInlined: part.isInlined ?? count === 1,
      unread: this.#selects.unreadOf(part.name),
    }));
    return { kind: "with", parts: told, of: last };
  }

  rows(statement: RowStatement): RowStatement {
    switch (statement.kind) {
      case "select":
        return this.#selects.select(statement);
      case "update":
        return this.#update(statement);
      case "delete":
        return this.#delete(statement);
      case "insert":
        return this.#insert(statement);
      default:
        return statement satisfies never;
    }
  }

  /** @throws {SqlError} for a column that is set twice, or that may not be set */
  assertWritable(): void {
    for (const assert of this.#writes) assert();
  }

  /** A server reads what an UPDATE sets behind its condition and what it returns. */
  #update(statement: OfKind<"update">): RowStatement {
    const { table: name, from } = statement;
    const { table, source } = this.#target(name);
    const scope = new StaticScope([source, ...this.#joined(from)]);
    const typing = this.#selects.typing(scope);
    const where = statement.where && typing.condition(statement.where, "WHERE");
    const returning = this.#returning(statement.returning, scope);
    const sets = this.#sets(table, statement.sets, typing);
    this.#writes.push(() => assertSets(table, sets));
    return { ...statement, where, returning, sets };
  }

  #delete(statement: OfKind<"delete">): RowStatement {
    const { source } = this.#target(statement.table);
    const scope = new StaticScope([source, ...this.#joined(statement.from)]);
    const typing = this.#selects.typing(scope);
    const where = statement.where && typing.condition(statement.where, "WHERE");
    return { ...statement, where, returning: this.#returning(statement.returning, scope) };
  }

  #insert(statement: OfKind<"insert">): RowStatement {
    const { table: name, columns } = statement;
    const { table, source } = this.#target(name);
    for (const [at, column] of columns.entries()) {
      table.columnOf(column);
      if (columns.indexOf(column) === at) continue;
      throw new SqlError("42701", `column "${column}" specified more than once`);
    }
    const from =
      "kind" in statement.from
        ? this.#selected(statement.from, table, columns)
        : this.#valued(statement.from, table, columns, source);
    this.#writes.push(() => {
      for (const [at, column] of columns.entries()) {
        if (!isByDefault(statement.from, at)) table.assertGiven(column, "insert");
      }
    });
    const excluded: KnownSource = { ...source, alias: "excluded", name: "excluded" };
    const onConflict = this.#conflict(statement, table, [source, excluded]);
    const scope = new StaticScope([source], undefined, onConflict === undefined ? [] : [excluded]);
    const returning = this.#returning(statement.returning, scope);
    return { ...statement, from, onConflict, returning };
  }

  /** The values of an INSERT, which may name no column. */
  #valued(
    rows: Exclude<OfKind<"insert">["from"], SelectStatement>,
    table: Table,
    columns: readonly string[],
    source: KnownSource,
  ): OfKind<"insert">["from"] {
    const typing = this.#selects.typing(new StaticScope([], undefined, [source]));
    const [first = []] = rows;
    return rows.map((row) => {
      const values = row.map((one) => typing.typed(one, "VALUES"));
      if (row.length !== first.length) {
        throw new SqlError("42601", "VALUES lists must all be the same length");
      }
      const assigned = assignedTo(table, columns, values, typing);
      return assigned.map((of, at) => (row[at] === DEFAULT ? DEFAULT : of));
    });
  }

  /** What nothing tells the type of gets that of its column. */
  #selected(
    from: SelectStatement,
    table: Table,
    columns: readonly string[],
  ): OfKind<"insert">["from"] {
    const select = this.#selects.select(from, undefined, "unknown-stays");
    const items = select.items as readonly Item[];
    const typing = this.#selects.typing(new StaticScope([]));
    const values = items.map(({ of, type = "unknown" }): Typed => ({ of, type }));
    const assigned = assignedTo(table, columns, values, typing);
    const put = items.map((item, at) => {
      const column = table.columnOf(columns[at] ?? "");
      return { ...item, of: assigned[at] ?? item.of, type: column.type };
    });
    return { ...select, items: put };
  }

  #conflict(
    { onConflict, conflictOn = [] }: OfKind<"insert">,
    table: Table,
    sources: readonly KnownSource[],
  ): OfKind<"insert">["onConflict"] {
    const isColumn = (name: string): boolean => table.columns.some((one) => one.name === name);
    const unknown = conflictOn.find((name) => !isColumn(name));
    if (unknown !== undefined) throw new SqlError("42703", `column "${unknown}" does not exist`);
    if (typeof onConflict !== "object") return onConflict;
    const typing = this.#selects.typing(new StaticScope(sources));
    const sets = this.#sets(table, onConflict, typing);
    this.#writes.push(() => assertSets(table, sets));
    return sets;
  }

  /** All values are read before the first column is looked for. */
  #sets(table: Table, sets: Sets, typing: Typing): Sets {
    const typed = sets.map(([column, of]) => [column, of, typing.typed(of, "UPDATE")] as const);
    return typed.map(([name, given, of]) => {
      const column = table.columnOf(name);
      return [name, given === DEFAULT ? defaultOf(column) : typing.assigned(of, column)];
    });
  }

  #returning(items: Items, scope: StaticScope): Items {
    return this.#selects.items(items, scope, "RETURNING");
  }

  #joined(from: TableName | undefined): readonly KnownSource[] {
    return from === undefined ? [] : [this.#selects.sourceOf(from)];
  }

  #target(name: TableName): { readonly table: Table; readonly source: KnownSource } {
    if (this.#selects.hasPart(name.name)) throw new NotModelled("a change of a part of WITH", SEE);
    const table = this.#tableOf(name.name);
    return { table, source: { ...name, columns: table.columns } };
  }
}

/** Whether a column has its default in all rows of an INSERT. */
function isByDefault(from: OfKind<"insert">["from"], at: number): boolean {
  return !("kind" in from) && from.every((row) => row[at] === DEFAULT);
}

/** @throws {NotModelled} for the next number */
function defaultOf({ byDefault, type }: Column): Expression {
  if (byDefault === "number") throw new NotModelled("an UPDATE to the next number", SEE);
  if (byDefault === "now") return { kind: "call", name: "now" };
  return { kind: "literal", value: byDefault ?? { type, value: null } };
}

/** @throws {SqlError} for more values than columns, or fewer, and for one of a wrong type */
function assignedTo(
  table: Table,
  columns: readonly string[],
  values: readonly Typed[],
  typing: Typing,
): Item["of"][] {
  if (values.length !== columns.length) {
    const isMore = values.length > columns.length;
    const what = isMore ? "expressions than target columns" : "target columns than expressions";
    throw new SqlError("42601", `INSERT has more ${what}`);
  }
  return values.map((one, at) => typing.assigned(one, table.columnOf(columns[at] ?? "")));
}

/** @throws {SqlError} for a column that is set twice, or by the server alone */
function assertSets(table: Table, sets: Sets): void {
  const names = sets.map(([column]) => column);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw new SqlError("42601", `multiple assignments to same column "${twice}"`);
  }
  for (const name of names) table.assertGiven(name, "update");
}
