import { preconditionFailed } from "./amqp-error.ts";
import { fieldTypeOf, toldApart } from "./queue-arguments.ts";

/** The options of amqplib's `assertExchange`. */
export interface ExchangeOptions {
  readonly durable?: boolean | undefined;
  readonly internal?: boolean | undefined;
  readonly autoDelete?: boolean | undefined;
  readonly alternateExchange?: string | undefined;
  readonly arguments?: unknown;
}

/** What an exchange was declared with. */
export interface ExchangeDeclaration {
  readonly type: string;
  readonly durable: boolean;
  readonly autoDelete: boolean;
  readonly internal: boolean;
  /** Where that goes which has no route; the exchange need not be there. */
  readonly alternate: string | undefined;
}

export interface Binding {
  /** Undefined where every routing key matches, whatever the type of the exchange. */
  readonly pattern: string | undefined;
  /** What an exchange of the type `headers` compares. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly to: string;
  readonly kind: "queue" | "exchange";
}

export interface Exchange {
  /** Undefined until a client declares an exchange that the node had before. */
  declared: ExchangeDeclaration | undefined;
  bindings: Binding[];
}

const MATCHES = ["all", "any", "all-with-x", "any-with-x"];

export function exchangeDeclarationFrom(
  type: string,
  options?: ExchangeOptions | null,
): ExchangeDeclaration {
  const { durable = true, autoDelete = false, internal = false, alternateExchange } = options ?? {};
  const given = (options?.arguments ?? {}) as Readonly<Record<string, unknown>>;
  const { "alternate-exchange": own } = given as { readonly "alternate-exchange"?: string };
  const alternate = alternateExchange === undefined ? own : alternateExchange;
  return { type, durable, autoDelete, internal, alternate };
}

/** @throws {Refused} 406 when the exchange was declared otherwise */
export function assertSameExchange(
  name: string,
  current: ExchangeDeclaration,
  given: ExchangeDeclaration,
): void {
  const where = `for exchange '${name}' in vhost '/'`;
  for (const flag of ["type", "durable", "autoDelete", "internal"] as const) {
    if (current[flag] === given[flag]) continue;
    const named = flag === "autoDelete" ? "auto_delete" : flag;
    const values = `received '${given[flag]}' but current is '${current[flag]}'`;
    throw preconditionFailed(`inequivalent arg '${named}' ${where}: ${values}`);
  }
  const [is, received] = [current.alternate, given.alternate];
  if (is === received) return;
  const values = toldApart(received, is);
  throw preconditionFailed(`inequivalent arg 'alternate-exchange' ${where}: ${values}`);
}

/** @throws {Refused} 406 for an alternate exchange whose name is no text */
export function assertAlternate(name: string, { alternate }: ExchangeDeclaration): void {
  if (alternate === undefined || typeof alternate === "string") return;
  const where = `for arg 'alternate-exchange' in exchange '${name}' in vhost '/'`;
  throw preconditionFailed(`invalid type '${fieldTypeOf(alternate)}' ${where}`);
}

/** @throws {Refused} 406 for an `x-match` that there is not */
export function assertBindable(type: string | undefined, args: Binding["args"]): void {
  const match = args["x-match"];
  if (type !== "headers" || match === undefined || MATCHES.some((one) => one === match)) return;
  if (typeof match !== "string") {
    // The server has a name for nothing.
    const value = match === null ? "undefined" : JSON.stringify(match);
    const given = `type ${fieldTypeOf(match)} (value ${value})`;
    throw preconditionFailed(`Invalid x-match field ${given}; expected longstr`);
  }
  const expected = "expected all, any, all-with-x, or any-with-x";
  throw preconditionFailed(`Invalid x-match field value <<${JSON.stringify(match)}>>; ${expected}`);
}

/** Whether an exchange of this type sends a message along the binding. */
export function isMatch(
  type: string | undefined,
  { pattern, args }: Binding,
  { routingKey, headers }: { readonly routingKey: string; readonly headers: Binding["args"] },
): boolean {
  if (pattern === undefined || type === "fanout") return true;
  if (type === "headers") return isHeadersMatch(args, headers);
  if (type !== "topic") return pattern === routingKey;
  return isTopicMatch(pattern.split("."), routingKey.split("."));
}

/** A value of undefined or null asks only that the header is there. */
function isHeadersMatch(args: Binding["args"], headers: Binding["args"]): boolean {
  const { "x-match": match = "all" } = args as { readonly "x-match"?: string };
  const isCompared = (name: string): boolean =>
    name !== "x-match" && (match.endsWith("-with-x") || !name.startsWith("x-"));
  const asked = Object.entries(args).filter(([name]) => isCompared(name));
  const isMet = ([name, value]: readonly [string, unknown]): boolean =>
    name in headers && (value === null || value === undefined || headers[name] === value);
  return match.startsWith("any") ? asked.some(isMet) : asked.every(isMet);
}

/** Whether a routing key matches: `*` is one word and `#` any number of words. */
function isTopicMatch(pattern: readonly string[], words: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return words.length === 0;
  if (first === "#") {
    return words.length === 0
      ? isTopicMatch(rest, words)
      : isTopicMatch(rest, words) || isTopicMatch(pattern, words.slice(1));
  }
  return words.length > 0 && ["*", words[0]].includes(first) && isTopicMatch(rest, words.slice(1));
}
