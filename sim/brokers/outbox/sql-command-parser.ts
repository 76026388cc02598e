import { createFrom } from "./sql-create-parser.ts";
import type { Expression, Statement } from "./sql-statement.ts";
import type { TokenReader } from "./sql-tokens.ts";

/** Reads a statement that is about the connection and no row; undefined for any other. */
export function commandFrom(
  words: TokenReader,
  condition: () => Expression | undefined,
): Statement | undefined {
  if (words.take("create")) return createFrom(words, condition);
  if (words.take("set")) return setFrom(words);
  if (words.take("reset"))
    return { kind: "set", name: words.name(), value: undefined, isReset: true, isLocal: false };
  if (words.take("listen")) return { kind: "listen", channel: words.name() };
  if (words.take("unlisten")) {
    return { kind: "unlisten", channel: words.take("*") ? undefined : words.name() };
  }
  if (!words.take("notify")) return undefined;
  const channel = words.name();
  if (!words.take(",")) return { kind: "notify", channel, payload: "" };
  if (words.next.kind !== "string") throw words.refusal();
  return { kind: "notify", channel, payload: words.takeAny().text };
}

function setFrom(words: TokenReader): Statement {
  const isLocal = words.take("local");
  if (!isLocal) words.take("session");
  const isOfZone = words.take("time");
  if (isOfZone) words.expect("zone");
  const name = isOfZone ? "timezone" : words.name();
  if (!isOfZone && !words.take("=")) words.expect("to");
  if (words.take("default"))
    return { kind: "set", name, value: undefined, isReset: false, isLocal };
  if (!["string", "number", "word"].includes(words.next.kind)) throw words.refusal();
  return { kind: "set", name, value: words.takeAny().text, isReset: false, isLocal };
}
