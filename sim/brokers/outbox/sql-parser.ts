import { NotModelled } from "../not-modelled.ts";
import { commandFrom } from "./sql-command-parser.ts";
import { nameOf } from "./sql-column-names.ts";
import { assertOrder, distinct } from "./sql-distinct.ts";
import { ExpressionParser } from "./sql-expression-parser.ts";
import {
  DEFAULT,
  type Expression,
  type Item,
  type Items,
  type RowStatement,
  type SelectStatement,
  type Sets,
  type Sorting,
  type Statement,
  type TableName,
  type WithStatement,
} from "./sql-statement.ts";
import { SEE, TokenReader } from "./sql-tokens.ts";
import { NULL } from "./sql-values.ts";

/** Words that may follow a table, so that they are no alias of it. */
const AFTER_TABLE = [
  "where",
  "order",
  "limit",
  "offset",
  "fetch",
  "for",
  "left",
  "right",
  "full",
  "inner",
  "cross",
  "natural",
  "from",
  "set",
  "returning",
  "values",
  "on",
  "join",
  "using",
];
const JOINS = ["join", "left", "right", "full", "inner", "cross", "natural"];
/** Words that may follow an item, so that they are no name of it. */
const AFTER_ITEM: ReadonlySet<string> = new Set([
  ...["from", "where", "group", "having", "window", "union", "intersect", "except", "order"],
  ...["limit", "offset", "fetch", "for", "into", "on", "using", "returning", "not", "in", "is"],
  ...["like", "ilike", "similar", "between", "isnull", "notnull", "collate", "over", "filter"],
  ...["within", "without", "at", "and", "or", "as", "set", "array", "asc", "desc", "select"],
]);
const ONE: Expression = { kind: "literal", value: { type: "integer", value: 1 } };
/** What LIMIT ALL says. */
const ALL_ROWS: Expression = { kind: "literal", value: NULL };
type LockPart = "lock" | "lockOf" | "lockedAs";
const NO_LOCK: Pick<SelectStatement, LockPart> = {
  lock: undefined,
  lockOf: undefined,
  lockedAs: "FOR UPDATE",
};
const NOT_MODELLED = ["lock", "copy", "truncate"];

/** A statement, and how many parameters it has. */
interface Parsed {
  readonly statement: Statement;
  readonly paramCount: number;
}

const KNOWN = new Map<string, Parsed>();
const KNOWN_MAX = 500;

/**
 * Parses one statement.
 *
 * @throws {NotModelled} for what the model does not have, which a server may know
 */
export function statementFrom(sql: string): Parsed {
  const known = KNOWN.get(sql);
  if (known !== undefined) return known;
  const parsed = new Parser(sql).parsed();
  if (KNOWN.size >= KNOWN_MAX) KNOWN.clear();
  KNOWN.set(sql, parsed);
  return parsed;
}

class Parser {
  readonly #words: TokenReader;
  readonly #expressions: ExpressionParser;

  constructor(sql: string) {
    this.#words = new TokenReader(sql);
    this.#expressions = new ExpressionParser(this.#words, () => this.#select());
  }

  parsed(): Parsed {
    const statement = this.#any();
    this.#words.take(";");
    if (this.#words.next.kind !== "end") throw this.#words.refusal();
    return { statement, paramCount: this.#words.paramCount };
  }

  #any(): Statement {
    const { text } = this.#words.next;
    if (NOT_MODELLED.includes(text)) throw new NotModelled(`${text.toUpperCase()} in SQL`, SEE);
    if (this.#words.take("begin")) return this.#transaction("begin");
    if (this.#words.take("start")) return this.#transaction("start");
    if (this.#words.take("commit") || this.#words.take("end")) return this.#transaction("commit");
    if (this.#words.take("rollback") || this.#words.take("abort")) return this.#rollback();
    if (this.#words.take("savepoint")) return { kind: "savepoint", name: this.#words.name() };
    if (this.#words.take("release")) {
      if (!this.#words.isNext("savepoint", ";")) this.#words.take("savepoint");
      return { kind: "release", name: this.#words.name() };
    }
    if (this.#words.take("with")) return this.#with();
    return commandFrom(this.#words, () => this.#where()) ?? this.#ofRows();
  }

  #ofRows(): RowStatement {
    if (this.#words.take("select")) return this.#select();
    if (this.#words.take("update")) return this.#update();
    if (this.#words.take("delete")) return this.#delete();
    if (this.#words.take("insert")) return this.#insert();
    throw this.#words.refusal();
  }

  #transaction(kind: "begin" | "start" | "commit" | "rollback"): Statement {
    if (!this.#words.take("transaction")) this.#words.take("work");
    if (kind === "begin" || kind === "start") this.#modes();
    return { kind };
  }

  /** Reads what is said of a transaction that is begun: no more than what it is by itself. */
  #modes(): void {
    do {
      if (this.#words.take("isolation")) {
        for (const word of ["level", "read", "committed"]) this.#words.expect(word);
      } else if (this.#words.take("read")) this.#words.expect("write");
    } while (this.#words.take(",") || this.#words.isNext("read"));
  }

  #rollback(): Statement {
    const ended = this.#transaction("rollback");
    if (!this.#words.take("to")) return ended;
    this.#words.take("savepoint");
    return { kind: "rollback-to", name: this.#words.name() };
  }

  #with(): Statement {
    if (this.#words.isNext("recursive")) throw new NotModelled("WITH RECURSIVE", SEE);
    const parts: WithStatement["parts"][number][] = [];
    do {
      const name = this.#words.name();
      this.#words.expect("as");
      const isInlined = this.#isInlined();
      this.#words.expect("(");
      parts.push({ name, of: this.#ofRows(), isInlined });
      this.#words.expect(")");
    } while (this.#words.take(","));
    return { kind: "with", parts, of: this.#ofRows() };
  }

  /** What is said of how a part of a WITH is executed. */
  #isInlined(): boolean | undefined {
    if (this.#words.take("materialized")) return false;
    if (!this.#words.take("not")) return undefined;
    this.#words.expect("materialized");
    return true;
  }

  #select(): SelectStatement {
    const isDistinct = this.#words.take("distinct");
    const on = isDistinct && this.#words.take("on") ? this.#distinctOn() : [];
    if (this.#words.isNext("from")) throw this.#words.refusal();
    const items = this.#items();
    const distinctOn = isDistinct && on.length === 0 ? distinct(items) : on;
    const table = this.#words.take("from") ? this.#table() : undefined;
    const where = this.#where();
    const orderBy = this.#orderBy();
    if (isDistinct && on.length === 0) assertOrder(orderBy, items);
    return { kind: "select", distinctOn, items, table, where, orderBy, ...this.#ending() };
  }

  #orderBy(): readonly Sorting[] {
    const orderBy: Sorting[] = [];
    if (!this.#words.take("order")) return orderBy;
    this.#words.expect("by");
    do {
      const of = this.#expressions.read();
      const isDescending = this.#words.take("desc");
      if (!isDescending) this.#words.take("asc");
      let nulls: Sorting["nulls"] = isDescending ? "first" : "last";
      if (this.#words.take("nulls")) {
        nulls = this.#words.take("first") ? "first" : "last";
        if (nulls === "last") this.#words.expect("last");
      }
      orderBy.push({ of, isDescending, nulls });
    } while (this.#words.take(","));
    return orderBy;
  }

  /** Reads the limits and the lock of a select, which stand in any order. */
  #ending(): Pick<SelectStatement, "limit" | "offset" | LockPart> {
    let limit: Expression | undefined;
    let offset: Expression | undefined;
    let lock: Pick<SelectStatement, LockPart> | undefined;
    for (;;) {
      if (limit === undefined && this.#words.take("limit")) {
        limit = this.#words.take("all") ? ALL_ROWS : this.#expressions.read();
      } else if (limit === undefined && this.#words.take("fetch")) {
        limit = this.#fetch();
      } else if (offset === undefined && this.#words.take("offset")) {
        offset = this.#expressions.read();
        if (!this.#words.take("rows")) this.#words.take("row");
      } else if (lock === undefined && this.#words.isNext("for")) {
        lock = this.#lock();
      } else {
        return { limit, offset, ...(lock ?? NO_LOCK) };
      }
    }
  }

  /** FETCH FIRST 5 ROWS ONLY, which is a LIMIT. */
  #fetch(): Expression {
    if (!this.#words.take("first")) this.#words.expect("next");
    const isOne = this.#words.isNext("row") || this.#words.isNext("rows");
    const count = isOne ? ONE : this.#expressions.read();
    if (!this.#words.take("rows")) this.#words.expect("row");
    this.#words.expect("only");
    return count;
  }

  #distinctOn(): readonly Expression[] {
    this.#words.expect("(");
    return this.#words.list(() => this.#expressions.read());
  }

  #lock(): Pick<SelectStatement, LockPart> {
    this.#words.expect("for");
    const isOfNoKey = this.#words.take("no");
    if (isOfNoKey) this.#words.expect("key");
    this.#words.expect("update");
    const lockedAs = isOfNoKey ? "FOR NO KEY UPDATE" : "FOR UPDATE";
    const lockOf = this.#words.take("of") ? this.#words.name() : undefined;
    if (this.#words.take("nowait")) return { lock: "nowait", lockOf, lockedAs };
    if (!this.#words.take("skip")) return { lock: "wait", lockOf, lockedAs };
    this.#words.expect("locked");
    return { lock: "skip", lockOf, lockedAs };
  }

  #update(): RowStatement {
    const table = this.#table();
    this.#words.expect("set");
    const sets = this.#sets();
    const from = this.#words.take("from") ? this.#table() : undefined;
    const where = this.#where();
    return { kind: "update", table, sets, from, where, returning: this.#returning() };
  }

  #sets(): Sets {
    const sets: (readonly [string, Expression])[] = [];
    do {
      if (this.#words.take("(")) {
        sets.push(...this.#setsOfRow());
        continue;
      }
      const column = this.#words.name();
      this.#words.expect("=");
      sets.push([column, this.#value()]);
    } while (this.#words.take(","));
    return sets;
  }

  /** Reads `(a, b) = (1, 2)` behind its bracket, which sets one column after the other. */
  #setsOfRow(): Sets {
    const columns = this.#words.list(() => this.#words.name());
    this.#words.expect("=");
    const isRow = this.#words.take("row");
    this.#words.expect("(");
    // A single value in brackets is no row.
    if (this.#words.isNext("select") || (columns.length === 1 && !isRow)) {
      throw this.#words.refusal();
    }
    const values = this.#words.list(() => this.#value());
    const sets = columns.flatMap((column, at) => {
      const value = values[at];
      return value === undefined ? [] : [[column, value] as const];
    });
    if (values.length !== columns.length || sets.length !== columns.length) {
      throw new NotModelled("a row of other length than its columns", SEE);
    }
    return sets;
  }

  /** What a column gets, which may be what it has by default. */
  #value(): Expression {
    return this.#words.take("default") ? DEFAULT : this.#expressions.read();
  }

  #delete(): RowStatement {
    this.#words.expect("from");
    const table = this.#table();
    const from = this.#words.take("using") ? this.#table() : undefined;
    const where = this.#where();
    return { kind: "delete", table, from, where, returning: this.#returning() };
  }

  #insert(): RowStatement {
    this.#words.expect("into");
    const { name, alias: own } = this.#words.relation();
    const alias = this.#words.take("as") ? this.#words.name() : own;
    const table = { name, alias };
    this.#words.expect("(");
    const columns = this.#words.list(() => this.#words.name());
    let from: readonly (readonly Expression[])[] | SelectStatement;
    if (this.#words.take("select")) {
      from = this.#select();
    } else {
      this.#words.expect("values");
      const rows: (readonly Expression[])[] = [];
      do {
        this.#words.expect("(");
        rows.push(this.#words.list(() => this.#value()));
      } while (this.#words.take(","));
      from = rows;
    }
    const conflict = this.#conflict();
    const returning = this.#returning();
    return { kind: "insert", table, columns, from, ...conflict, returning };
  }

  #conflict(): Pick<Extract<RowStatement, { kind: "insert" }>, "onConflict" | "conflictOn"> {
    if (!this.#words.take("on")) return { onConflict: undefined, conflictOn: undefined };
    this.#words.expect("conflict");
    const isNamed = this.#words.take("(");
    const conflictOn = isNamed ? this.#words.list(() => this.#words.name()) : undefined;
    this.#words.expect("do");
    if (!isNamed || !this.#words.take("update")) {
      this.#words.expect("nothing");
      return { onConflict: "nothing", conflictOn };
    }
    this.#words.expect("set");
    const sets = this.#sets();
    if (this.#words.isNext("where")) throw new NotModelled("DO UPDATE ... WHERE", SEE);
    return { onConflict: sets, conflictOn };
  }

  #table(): TableName {
    // No table has another one that inherits from it.
    this.#words.take("only");
    const { name, alias: own } = this.#words.relation();
    if (this.#words.next.text === ",") throw new NotModelled("a join", SEE);
    const isNamed =
      this.#words.take("as") ||
      (this.#words.next.kind === "word" && !AFTER_TABLE.includes(this.#words.next.text));
    const alias = isNamed ? this.#words.name() : own;
    if (JOINS.includes(this.#words.next.text)) throw new NotModelled("a join", SEE);
    return { name, alias };
  }

  #where(): Expression | undefined {
    return this.#words.take("where") ? this.#expressions.read() : undefined;
  }

  #returning(): Items {
    return this.#words.take("returning") ? this.#items() : [];
  }

  #items(): Items {
    const items: Item[] = [];
    do items.push(this.#item());
    while (this.#words.take(","));
    const [first, ...others] = items;
    const isAll = first?.of.kind === "star" && first.of.of === undefined;
    return isAll && others.length === 0 ? "*" : items;
  }

  #item(): Item {
    if (this.#words.take("*")) return { name: "*", of: { kind: "star", of: undefined } };
    const of = this.#expressions.read();
    if (of.kind === "star") return { name: "*", of };
    const { kind, text } = this.#words.next;
    const isNamed = this.#words.take("as") || (kind === "word" && !AFTER_ITEM.has(text));
    return { of, name: isNamed ? this.#words.name() : nameOf(of) };
  }
}
