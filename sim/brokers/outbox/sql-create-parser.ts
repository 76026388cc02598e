import { NotModelled } from "../not-modelled.ts";
import type { Expression, Statement } from "./sql-statement.ts";
import { SEE, type TokenReader } from "./sql-tokens.ts";

/**
 * Reads what makes a table, or an index, unless it is there; `condition` reads which rows an index
 * is of.
 *
 * @throws {NotModelled} for all else that can be made
 */
export function createFrom(words: TokenReader, condition: () => Expression | undefined): Statement {
  if (words.take("table")) {
    const isIfMissing = takeIfMissing(words);
    const { name } = words.relation();
    passBrackets(words);
    return { kind: "create-table", name, isIfMissing };
  }
  if (!words.take("index") || !takeIfMissing(words)) throw new NotModelled("CREATE in SQL", SEE);
  words.name();
  words.expect("on");
  const { name: table } = words.relation();
  if (words.take("using")) words.expect("btree");
  words.expect("(");
  const columns = words.list(() => indexed(words));
  return { kind: "create-index", table, columns, where: condition() };
}

function takeIfMissing(words: TokenReader): boolean {
  if (!words.take("if")) return false;
  words.expect("not");
  words.expect("exists");
  return true;
}

/** Returns the column's name; the order in an index is no matter of results. */
function indexed(words: TokenReader): string {
  const name = words.name();
  if (!words.take("asc")) words.take("desc");
  if (words.take("nulls") && !words.take("first")) words.expect("last");
  return name;
}

/** A server does not look at the columns of a table that is there. */
function passBrackets(words: TokenReader): void {
  words.expect("(");
  for (let depth = 1; depth > 0;) {
    if (words.next.kind === "end") throw words.refusal();
    if (words.isNext("(")) depth += 1;
    if (words.isNext(")")) depth -= 1;
    words.takeAny();
  }
}
