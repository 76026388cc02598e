import { textOf } from "../ref-in.ts";
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

  /** @throws {ReplyError} when there are no more arguments */
  word(): string {
    const word = this.#words[this.#at];
    if (word === undefined) throw new ReplyError("ERR wrong number of arguments");
    this.#at += 1;
    return word;
  }

  /** @throws {ReplyError} when the next argument is not a whole number */
  number(): number {
    const number = Number(this.word());
    if (!Number.isInteger(number)) {
      throw new ReplyError("ERR value is not an integer or out of range");
    }
    return number;
  }

  /** Takes the next argument if it is one of `names`, ignoring case. */
  option<Name extends string>(...names: Name[]): Name | undefined {
    const word = this.#words[this.#at]?.toUpperCase();
    const name = names.find((candidate) => candidate === word);
    if (name !== undefined) this.#at += 1;
    return name;
  }

  /** Takes all remaining arguments. */
  rest(): readonly string[] {
    const rest = this.#words.slice(this.#at);
    this.#at = this.#words.length;
    return rest;
  }
}
