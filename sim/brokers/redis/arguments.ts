import { textOf } from "../ref-in.ts";
import { ID } from "./stream-id.ts";
import { ReplyError } from "./reply-error.ts";

/** An argument of an ioredis command, other than a callback. */
export type RedisValue = string | number | Uint8Array;

/** The callback of a command, as its last argument. */
export type RedisCallback = (error?: Error | null, result?: never) => void;

export type RedisArgument = RedisValue | RedisCallback | undefined;

/** Parses the arguments of a command from left to right, as the server does. */
export class ArgumentReader {
  readonly #words: readonly string[];
  #at = 0;

  constructor(words: readonly RedisArgument[]) {
    this.#words = words.flatMap((word) =>
      word === undefined || typeof word === "function"
        ? []
        : [typeof word === "number" ? String(word) : textOf(word)],
    );
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  /** How many arguments are left. */
  get left(): number {
    return this.#words.length - this.#at;
  }

  /** @throws {ReplyError} when there are no more arguments */
  word(): string {
    const word = this.#words[this.#at];
    if (word === undefined) throw new ReplyError("ERR syntax error");
    this.#at += 1;
    return word;
  }

  /** @throws {ReplyError} `refusal`, when the next argument is not a whole number */
  number(refusal = "ERR value is not an integer or out of range"): number {
    const word = this.word();
    if (!/^(0|-?[1-9]\d*)$/.test(word)) throw new ReplyError(refusal);
    return Number(word);
  }

  /** Takes the next argument if it is one of `names`, ignoring case. */
  option<Name extends string>(...names: Name[]): Name | undefined {
    const word = this.#words[this.#at]?.toUpperCase();
    const name = names.find((candidate) => candidate === word);
    if (name !== undefined) this.#at += 1;
    return name;
  }

  /** Takes the option and, with it, its value; undefined where either is not there. */
  optionWithValue<Name extends string>(...names: Name[]): Name | undefined {
    return this.left > 1 ? this.option(...names) : undefined;
  }

  /** Takes the next argument if it has the form of an id. */
  idOrNone(): string | undefined {
    const word = this.#words[this.#at];
    if (word === undefined || !ID.test(word)) return undefined;
    this.#at += 1;
    return word;
  }

  /** Takes all remaining arguments. */
  rest(): readonly string[] {
    const rest = this.#words.slice(this.#at);
    this.#at = this.#words.length;
    return rest;
  }
}

/** The fewest arguments of each command. Source: redis, src/commands.def, arity */
const FEWEST: Readonly<Record<string, number>> = {
  ...{ xack: 3, xadd: 4, xautoclaim: 5, xclaim: 5, xdel: 2, xlen: 1, xpending: 2, xrange: 3 },
  ...{ xreadgroup: 6, xrevrange: 3, xtrim: 3, xgroup: 1 },
  ...{ "xgroup|create": 3, "xgroup|setid": 3, "xgroup|destroy": 2 },
  ...{ "xgroup|createconsumer": 3, "xgroup|delconsumer": 3 },
};

/** @throws {ReplyError} when fewer arguments are left than the command has */
export function assertArity(command: string, words: ArgumentReader): void {
  if (words.left >= (FEWEST[command] ?? 0)) return;
  throw wrongArity(command);
}

export function wrongArity(command: string): ReplyError {
  return new ReplyError(`ERR wrong number of arguments for '${command}' command`);
}
