import { NotModelled } from "../not-modelled.ts";

/** A piece of a statement. The text of a word is in lower case, that of a name in quotes as it is. */
export interface Token {
  readonly kind: "word" | "number" | "string" | "param" | "sign" | "end";
  readonly text: string;
}

/** Where one reads which statements the model has. */
export const SEE = "brokers.outbox";

const TOKEN =
  /\s+|--[^\n]*|\/\*(?:(?!\*\/|\/\*)[\s\S])*\*\/|(?<word>[a-z_]\w*)|"(?<name>[^"]+)"|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?!\w))|'(?<string>(?:[^']|'')*)'|\$(?<param>\d+)|(?<sign>::|->>|->|#>>|#>|@>|\|\||<=|>=|<>|!=|=>|[=<>(),.*+\-/%^?;[\]])/giy;

/**
 * Splits a statement into tokens; comments are left out.
 *
 * @throws {NotModelled} for what is none
 */
function tokensFrom(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN.source, TOKEN.flags);
  while (pattern.lastIndex < sql.length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(sql)?.groups;
    if (groups === undefined) {
      throw new NotModelled(`SQL at ${JSON.stringify(sql.slice(at, at + 20))}`, SEE);
    }
    const { word, name, number, string, param, sign } = groups;
    if (word !== undefined) tokens.push({ kind: "word", text: word.toLowerCase() });
    else if (name !== undefined) tokens.push({ kind: "word", text: name });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (string !== undefined) {
      tokens.push({ kind: "string", text: string.replaceAll("''", "'") });
    } else if (param !== undefined) tokens.push({ kind: "param", text: param });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
  }
  return tokens;
}

const END: Token = { kind: "end", text: "" };

/** Reads the tokens of a statement, one after the other. */
export class TokenReader {
  readonly #sql: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(sql: string) {
    this.#sql = sql;
    this.#tokens = tokensFrom(sql);
  }

  /** The number of the last parameter; 0 where there is none. */
  get paramCount(): number {
    return Math.max(0, ...this.params.map(([number]) => number));
  }

  /** Its parameters, each as often as it is named, and where. */
  get params(): readonly (readonly [number: number, at: number])[] {
    return this.#tokens.flatMap(({ kind, text }, at) =>
      kind === "param" ? [[Number(text), at] as const] : [],
    );
  }

  /** How many tokens were taken. */
  get at(): number {
    return this.#at;
  }

  get next(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  isNext(...texts: readonly string[]): boolean {
    return texts.every((text, at) => isSaid(this.#tokens[this.#at + at], text));
  }

  /** Takes the next token, whatever it is. */
  takeAny(): Token {
    const { next } = this;
    this.#at += 1;
    return next;
  }

  /** Takes the next token if it says this. */
  take(text: string): boolean {
    if (!isSaid(this.next, text)) return false;
    this.#at += 1;
    return true;
  }

  /** @throws {NotModelled} when the next token says something else */
  expect(text: string): void {
    if (!this.take(text)) throw this.refusal();
  }

  /** @throws {NotModelled} when the next token is no name */
  name(): string {
    if (this.next.kind !== "word") throw this.refusal();
    return this.takeAny().text;
  }

  /**
   * Reads the name of a table, which may say that it is in the schema of the model's tables, and
   * what the statement calls it unless it says so.
   *
   * @throws {NotModelled} for another schema
   */
  relation(): { readonly name: string; readonly alias: string } {
    const name = this.name();
    if (name !== "public" || !this.take(".")) return { name, alias: name };
    const alias = this.name();
    return { name: `${name}.${alias}`, alias };
  }

  /** Returns what stands before the bracket that closes a list. */
  list<T>(one: () => T, end: ")" | "]" = ")"): readonly T[] {
    const list: T[] = [];
    do list.push(one());
    while (this.take(","));
    this.expect(end);
    return list;
  }

  /** What a statement is refused with that goes on as the model does not expect. */
  refusal(): NotModelled {
    const { text } = this.next;
    const where = text === "" ? "at its end" : `at ${JSON.stringify(text)}`;
    return new NotModelled(`the statement ${JSON.stringify(this.#sql)}, ${where}`, SEE);
  }
}

/** Returns the name of a table without the schema that `relation()` leaves in it. */
export function withoutSchema(name: string): string {
  return name.replace(/^public\./, "");
}

/** A text in quotes is no word, whatever it says. */
function isSaid(token: Token | undefined, text: string): boolean {
  return token?.text === text && (token.kind === "word" || token.kind === "sign");
}
