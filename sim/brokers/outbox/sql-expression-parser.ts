import { NotModelled } from "../not-modelled.ts";
import {
  type AggregateName,
  binary,
  type Expression,
  type SelectStatement,
} from "./sql-statement.ts";
import { SEE, type TokenReader } from "./sql-tokens.ts";
import {
  CLOCKS,
  COMPARISONS,
  FUNCTIONS,
  JSON_OPERATORS,
  NO_COLUMNS,
  PRODUCTS,
  RESERVED,
  TYPES,
} from "./sql-words.ts";
import { FALSE, isNumber, NULL, numberOf, TRUE } from "./sql-values.ts";

/** Reads the expressions of a statement. */
export class ExpressionParser {
  readonly #words: TokenReader;
  readonly #select: () => SelectStatement;
  /** It reads the lower bound of a BETWEEN, outside of brackets: there is no NOT in one. */
  #isBound = false;

  /** @param select - reads what follows the word `select` */
  constructor(words: TokenReader, select: () => SelectStatement) {
    this.#words = words;
    this.#select = select;
  }

  /** Reads an expression, as far as it goes. */
  read(): Expression {
    const isBound = this.#isBound;
    this.#isBound = false;
    let left = this.#conjunction();
    while (this.#words.take("or")) left = binary("or", left, this.#conjunction());
    this.#isBound = isBound;
    return left;
  }

  #conjunction(): Expression {
    let left = this.#negation();
    while (this.#words.take("and")) left = binary("and", left, this.#negation());
    return left;
  }

  #negation(): Expression {
    return this.#words.take("not") ? { kind: "not", of: this.#negation() } : this.#comparison();
  }

  /**
   * As an operand, NOT reaches as far as it does elsewhere: a second comparison is a mistake.
   *
   * @throws {NotModelled} for one, and in a lower bound
   */
  #negatedOperand(): Expression {
    if (this.#isBound) throw this.#words.refusal();
    const of = this.#negation();
    const { kind, text } = this.#words.next;
    if (kind === "sign" && COMPARISONS[text] !== undefined) throw this.#words.refusal();
    return { kind: "not", of };
  }

  /** What ends with a bracket or a word is an operand of what follows it. */
  #comparison(left?: Expression): Expression {
    const of = this.#member(left);
    if (this.#words.take("is")) {
      const isNegated = this.#words.take("not");
      if (this.#words.take("distinct")) {
        this.#words.expect("from");
        return { kind: "is-distinct", left: of, right: this.#member(), isNegated };
      }
      this.#words.expect("null");
      return this.#comparison({ kind: "is-null", of, isNegated });
    }
    if (this.#words.isNext("not", "in") || this.#words.isNext("in")) {
      const isNegated = this.#words.take("not");
      this.#words.expect("in");
      if (this.#words.isNext("(", "select", "unnest", "(")) {
        return this.#comparison(this.#inArray(of, isNegated));
      }
      return this.#comparison({ kind: "in", of, isNegated, list: this.#listed() });
    }
    if (this.#words.isNext("not", "between") || this.#words.isNext("between")) {
      const isNegated = this.#words.take("not");
      this.#words.expect("between");
      this.#isBound = true;
      const least = this.#member();
      this.#isBound = false;
      this.#words.expect("and");
      const most = this.#member();
      return isNegated
        ? binary("or", binary("<", of, least), binary(">", of, most))
        : binary("and", binary(">=", of, least), binary("<=", of, most));
    }
    const operator =
      this.#words.next.kind === "sign" ? COMPARISONS[this.#words.next.text] : undefined;
    if (operator === undefined) return of;
    this.#words.takeAny();
    if (!this.#words.isNext("any")) return binary(operator, of, this.#member());
    if (operator !== "=") throw this.#words.refusal();
    return this.#comparison(this.#any(of));
  }

  #any(of: Expression): Expression {
    this.#words.expect("any");
    this.#words.expect("(");
    if (this.#words.take("select")) {
      return { kind: "in", of, isNegated: false, list: this.#query() };
    }
    if (this.#words.isNext("array")) return this.#inList(of);
    const array = this.read();
    this.#words.expect(")");
    // More brackets around a select say nothing.
    if (array.kind === "subquery") return { kind: "in", of, isNegated: false, list: array.of };
    return { kind: "any", of, array };
  }

  /** An array that is made for the comparison: ANY(ARRAY(SELECT ...)) or ANY(ARRAY[...]). */
  #inList(of: Expression): Expression {
    this.#words.expect("array");
    let list: readonly Expression[] | SelectStatement;
    if (this.#words.isNext("(", "select")) {
      list = this.#listed();
    } else {
      this.#words.expect("[");
      list = this.#words.list(() => this.read(), "]");
    }
    this.#words.expect(")");
    return { kind: "in", of, isNegated: false, list, isArray: true };
  }

  /** The elements of an array, as rows: `IN (SELECT unnest(...))`. */
  #inArray(of: Expression, isNegated: boolean): Expression {
    for (const word of ["(", "select", "unnest", "("]) this.#words.expect(word);
    const array = this.read();
    for (const word of [")", ")"]) this.#words.expect(word);
    const found = { kind: "any", of, array, isUnnested: true } as const;
    return isNegated ? { kind: "not", of: found } : found;
  }

  #listed(): readonly Expression[] | SelectStatement {
    this.#words.expect("(");
    if (this.#words.take("select")) return this.#query();
    const list = this.#words.list(() => this.read());
    const [first, ...others] = list;
    return first?.kind === "subquery" && others.length === 0 ? first.of : list;
  }

  /** Reads a select in brackets, behind its first word. */
  #query(): SelectStatement {
    const select = this.#select();
    this.#words.expect(")");
    return select;
  }

  #member(given?: Expression): Expression {
    let of = this.#sum(given);
    for (;;) {
      if (this.#words.take("||")) {
        of = { kind: "concat", left: of, right: this.#sum() };
        continue;
      }
      const operator = JSON_OPERATORS.find((one) => this.#words.take(one));
      if (operator === undefined) return of;
      of = { kind: "json", operator, of, at: this.#sum() };
    }
  }

  #sum(given?: Expression): Expression {
    let left = this.#product(given);
    for (;;) {
      if (this.#words.take("+")) left = binary("+", left, this.#product());
      else if (this.#words.take("-")) left = binary("-", left, this.#product());
      else return left;
    }
  }

  #product(given?: Expression): Expression {
    let left = this.#power(given);
    for (;;) {
      const operator = PRODUCTS.find((one) => this.#words.take(one));
      if (operator === undefined) return left;
      left = binary(operator, left, this.#power());
    }
  }

  #power(given?: Expression): Expression {
    let left = this.#typed(given);
    while (this.#words.take("^")) left = binary("^", left, this.#typed());
    return left;
  }

  #typed(given?: Expression): Expression {
    let of = given ?? this.#primary();
    while (this.#words.take("::")) {
      of = this.#cast(of);
    }
    return of;
  }

  /** Reads the type that a value is cast to. */
  #cast(of: Expression): Expression {
    const type = TYPES[this.#words.name()];
    if (type === undefined) throw this.#words.refusal();
    const isArray = this.#words.take("[");
    if (isArray) this.#words.expect("]");
    return isArray ? { kind: "array", of, type } : { kind: "cast", of, type };
  }

  /** CAST(5 AS text), which is 5::text, behind its bracket. */
  #castCall(): Expression {
    const of = this.read();
    this.#words.expect("as");
    const cast = this.#cast(of);
    this.#words.expect(")");
    return cast;
  }

  /** NULLIF(a, b), behind its bracket. */
  #nullIf(): Expression {
    const [of, other, ...more] = this.#words.list(() => this.read());
    if (of === undefined || other === undefined || more.length > 0) throw this.#words.refusal();
    // It has the type that the comparison gives it.
    if (of.kind === "literal" && of.value.type === "unknown") {
      throw new NotModelled("NULLIF of a text without a type", SEE);
    }
    const whens = [[binary("=", of, other), { kind: "literal", value: NULL }]] as const;
    return { kind: "case", name: "nullif", of: undefined, whens, otherwise: of };
  }

  #primary(): Expression {
    const { kind, text } = this.#words.next;
    if (kind === "end") throw this.#words.refusal();
    if (kind === "sign" && text !== "-" && text !== "(") throw this.#words.refusal();
    this.#words.takeAny();
    if (kind === "param") return { kind: "param", index: Number(text) - 1 };
    if (kind === "string") return { kind: "literal", value: { type: "unknown", value: text } };
    if (kind === "number") {
      const whole = Number(text) > INTEGER_MAX ? "bigint" : "integer";
      const type = /[.e]/i.test(text) ? "numeric" : whole;
      return { kind: "literal", value: { ...numberOf(type, Number(text)), ...placesOf(text) } };
    }
    if (text === "-") return negative(this.#typed());
    if (kind === "word" && text === "not") return this.#negatedOperand();
    if (text === "(" && this.#words.take("select")) return { kind: "subquery", of: this.#query() };
    if (text === "(") {
      const of = this.read();
      this.#words.expect(")");
      return of;
    }
    return this.#named(text);
  }

  #named(text: string): Expression {
    if (text === "default") throw new NotModelled("DEFAULT as a value", SEE);
    if (text === "null") return { kind: "literal", value: NULL };
    if (text === "true") return { kind: "literal", value: TRUE };
    if (text === "false") return { kind: "literal", value: FALSE };
    if (text === "case") return this.#case();
    if (text === "cast" && this.#words.take("(")) return this.#castCall();
    if (text === "interval" && this.#words.next.kind === "string") {
      const value = { type: "unknown", value: this.#words.takeAny().text } as const;
      return { kind: "cast", of: { kind: "literal", value }, type: "interval" };
    }
    if (text === "current_timestamp") return { kind: "call", name: text };
    if (RESERVED.has(text)) throw new NotModelled(text, SEE);
    if (NO_COLUMNS.has(text)) throw new NotModelled(`the word ${text} as a value`, SEE);
    if (this.#words.isNext(".", "*")) {
      for (const sign of [".", "*"]) this.#words.expect(sign);
      return { kind: "star", of: text };
    }
    if (this.#words.take(".")) return { kind: "column", name: this.#words.name(), of: text };
    if (!this.#words.take("(")) return { kind: "column", name: text, of: undefined };
    return this.#call(text);
  }

  #case(): Expression {
    const of = this.#words.isNext("when") ? undefined : this.read();
    const whens: (readonly [Expression, Expression])[] = [];
    while (this.#words.take("when")) {
      const when = this.read();
      this.#words.expect("then");
      whens.push([when, this.read()]);
    }
    if (whens.length === 0) throw this.#words.refusal();
    const otherwise = this.#words.take("else") ? this.read() : undefined;
    this.#words.expect("end");
    return { kind: "case", of, whens, otherwise };
  }

  #call(text: string): Expression {
    if (text === "make_interval") return this.#interval();
    if (text === "nullif") return this.#nullIf();
    if (text === "exists" && this.#words.take("select"))
      return { kind: "exists", of: this.#query() };
    if (text === "pg_notify") {
      const [channel, payload, ...others] = this.#words.list(() => this.read());
      if (channel === undefined || payload === undefined || others.length > 0) {
        throw this.#words.refusal();
      }
      return { kind: "notify", channel, payload };
    }
    if (text === "coalesce") return { kind: "coalesce", list: this.#words.list(() => this.read()) };
    if (text === "count" || text === "min" || text === "max" || text === "sum") {
      return this.#aggregate(text);
    }
    if (text === "extract") return this.#extract();
    const known = FUNCTIONS.find((one) => one === text);
    if (known !== undefined && !this.#words.isNext(")")) {
      const list = this.#words.list(() => this.read());
      return { kind: "function", name: known, list };
    }
    if (
      text === "pg_advisory_lock" ||
      text === "pg_advisory_xact_lock" ||
      text === "pg_try_advisory_lock" ||
      text === "pg_try_advisory_xact_lock" ||
      text === "pg_advisory_unlock"
    ) {
      return { kind: "advisory", name: text, of: this.#argument() };
    }
    const clock = CLOCKS.find((one) => one === text);
    if (clock === undefined || !this.#words.take(")")) {
      throw new NotModelled(`the function ${text}() with what it is given`, SEE);
    }
    return { kind: "call", name: clock };
  }

  #aggregate(name: AggregateName): Expression {
    const isOfRows = name === "count" && this.#words.take("*");
    if (isOfRows) this.#words.expect(")");
    const of = isOfRows ? undefined : this.#argument();
    if (!this.#words.take("filter")) return { kind: "aggregate", name, of, where: undefined };
    for (const word of ["(", "where"]) this.#words.expect(word);
    return { kind: "aggregate", name, of, where: this.#argument() };
  }

  /** The seconds since the epoch, or of an interval. */
  #extract(): Expression {
    if (!this.#words.isNext("epoch", "from")) {
      throw new NotModelled(`extract() of ${this.#words.next.text}`, SEE);
    }
    for (const word of ["epoch", "from"]) this.#words.expect(word);
    return { kind: "function", name: "extract", list: [this.#argument()] };
  }

  #argument(): Expression {
    const of = this.read();
    this.#words.expect(")");
    return of;
  }

  #interval(): Expression {
    if (this.#words.take(")")) return { kind: "interval", parts: [] };
    const parts = this.#words.list(() => {
      const unit = this.#words.name();
      this.#words.expect("=>");
      return [unit, this.read()] as const;
    });
    return { kind: "interval", parts };
  }
}

const INTEGER_MAX = 2_147_483_647;
/** So many digits of a decimal come back as they were. */
const DIGITS_MAX = 15;

/** How many places a decimal shows that is written so; unknown where a number cannot hold it. */
function placesOf(text: string): { readonly places?: number } {
  const [, whole = "", fraction = ""] = /^(\d*)\.(\d*)$/.exec(text) ?? [];
  const isHeld = text.includes(".") && `${whole}${fraction}`.length <= DIGITS_MAX;
  return isHeld ? { places: fraction.length } : {};
}

/** A number with its sign is one constant: the least integer has no positive counterpart. */
function negative(of: Expression): Expression {
  if (of.kind !== "literal" || !isNumber(of.value.type)) return { kind: "negative", of };
  const value = -Number(of.value.value);
  const type = of.value.type === "bigint" && value === -INTEGER_MAX - 1 ? "integer" : of.value.type;
  return { kind: "literal", value: { ...of.value, ...numberOf(type, value) } };
}
