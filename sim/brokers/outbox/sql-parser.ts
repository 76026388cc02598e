import { NotModelled } from "../not-modelled.ts";
import { ExpressionParser } from "./sql-expression-parser.ts";
import type { Expression, Item, Items, SelectStatement, Statement } from "./sql-statement.ts";
import { SEE, TokenReader } from "./sql-tokens.ts";
import { TYPE_NAMES } from "./sql-values.ts";

/** Words that may follow a table, so that they are no alias of it. */
const AFTER_TABLE = [
  "where",
  "order",
  "limit",
  "for",
  "set",
  "returning",
  "values",
  "on",
  "join",
  "using",
];
const NOT_MODELLED = [
  "with",
  "savepoint",
  "listen",
  "notify",
  "lock",
  "copy",
  "create",
  "truncate",
];

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
    if (this.#words.take("rollback") || this.#words.take("abort"))
      return this.#transaction("rollback");
    if (this.#words.take("select")) return this.#select();
    if (this.#words.take("update")) return this.#update();
    if (this.#words.take("delete")) return this.#delete();
    if (this.#words.take("insert")) return this.#insert();
    throw this.#words.refusal();
  }

  #transaction(kind: "begin" | "start" | "commit" | "rollback"): Statement {
    if (!this.#words.take("transaction")) this.#words.take("work");
    if (this.#words.take("isolation")) {
      for (const word of ["level", "read", "committed"]) this.#words.expect(word);
    }
    return { kind };
  }

  #select(): SelectStatement {
    const items = this.#items();
    const table = this.#words.take("from") ? this.#table() : undefined;
    const where = this.#where();
    const orderBy: { of: Expression; isDescending: boolean }[] = [];
    if (this.#words.take("order")) {
      this.#words.expect("by");
      do {
        const of = this.#expressions.read();
        const isDescending = this.#words.take("desc");
        if (!isDescending) this.#words.take("asc");
        orderBy.push({ of, isDescending });
      } while (this.#words.take(","));
    }
    const limit = this.#words.take("limit") ? this.#expressions.read() : undefined;
    return { kind: "select", items, table, where, orderBy, limit, lock: this.#lock() };
  }

  #lock(): SelectStatement["lock"] {
    if (!this.#words.take("for")) return undefined;
    if (this.#words.take("no")) this.#words.expect("key");
    this.#words.expect("update");
    if (this.#words.take("of")) this.#words.name();
    if (this.#words.take("nowait")) return "nowait";
    if (!this.#words.take("skip")) return "wait";
    this.#words.expect("locked");
    return "skip";
  }

  #update(): Statement {
    const table = this.#table();
    this.#words.expect("set");
    const sets: (readonly [string, Expression])[] = [];
    do {
      const column = this.#words.name();
      this.#words.expect("=");
      sets.push([column, this.#expressions.read()]);
    } while (this.#words.take(","));
    if (this.#words.take("from")) throw new NotModelled("UPDATE ... FROM", SEE);
    const where = this.#where();
    return { kind: "update", table, sets, where, returning: this.#returning() };
  }

  #delete(): Statement {
    this.#words.expect("from");
    const table = this.#table();
    if (this.#words.take("using")) throw new NotModelled("DELETE ... USING", SEE);
    const where = this.#where();
    return { kind: "delete", table, where, returning: this.#returning() };
  }

  #insert(): Statement {
    this.#words.expect("into");
    const table = this.#words.name();
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
        rows.push(this.#words.list(() => this.#expressions.read()));
      } while (this.#words.take(","));
      from = rows;
    }
    const ignoresConflicts = this.#words.take("on");
    if (ignoresConflicts) {
      this.#words.expect("conflict");
      if (this.#words.take("(")) this.#words.list(() => this.#words.name());
      for (const word of ["do", "nothing"]) this.#words.expect(word);
    }
    const returning = this.#returning();
    return { kind: "insert", table, columns, from, ignoresConflicts, returning };
  }

  #table(): string {
    const name = this.#words.name();
    if (this.#words.next.text === ",") throw new NotModelled("a join", SEE);
    if (this.#words.take("as")) this.#words.name();
    else if (this.#words.next.kind === "word" && !AFTER_TABLE.includes(this.#words.next.text))
      this.#words.name();
    if (this.#words.next.text === "join") throw new NotModelled("a join", SEE);
    return name;
  }

  #where(): Expression | undefined {
    return this.#words.take("where") ? this.#expressions.read() : undefined;
  }

  #returning(): Items {
    return this.#words.take("returning") ? this.#items() : [];
  }

  #items(): Items {
    if (this.#words.take("*")) return "*";
    if (this.#words.isNext("count", "(", "*", ")")) {
      for (const text of ["count", "(", "*", ")"]) this.#words.expect(text);
      if (this.#words.take("as")) throw new NotModelled("count(*) with a name", SEE);
      return "count";
    }
    const items: Item[] = [];
    do {
      const of = this.#expressions.read();
      const isNamed = this.#words.take("as");
      items.push({ of, name: isNamed ? this.#words.name() : nameOf(of) });
    } while (this.#words.take(","));
    return items;
  }
}

/** What a server calls the column of an expression. */
function nameOf(of: Expression): string {
  if (of.kind === "column" || of.kind === "call") return of.name;
  if (of.kind === "interval") return "make_interval";
  if (of.kind !== "cast") return "?column?";
  const inner = nameOf(of.of);
  return inner === "?column?" ? TYPE_NAMES[of.type] : inner;
}
