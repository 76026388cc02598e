import { isBuffer } from "../library-buffer.ts";
import { textOf } from "../ref-in.ts";
import { ID } from "./stream-id.ts";
import { ReplyError } from "./reply-error.ts";

/** An argument of an ioredis command, other than a callback. */
export type RedisValue = string | number | Uint8Array;

/** A key of an ioredis command. */
export type RedisKey = string | Uint8Array;

/** The callback of a command, as its last argument. */
export type RedisCallback = (error?: Error | null, result?: never) => void;

export type RedisArgument = RedisValue | RedisCallback | undefined;

/** Calls a callback with what comes of a promise. */
export function callBack(outcome: Promise<unknown>, callback: RedisCallback): void {
  outcome.then(
    (result) => (result === undefined ? callback(null) : callback(null, result as never)),
    (error: unknown) => callback(error as Error),
  );
}

export const NO_INTEGER = "ERR value is not an integer or out of range";

/** Returns the whole number of 64 bits that a text holds, if it holds one. */
export function integerFrom(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const ZERO_CODE = 48;

/**
 * Returns a whole number of a reply as both libraries read it: digit by digit, as numbers of
 * JavaScript, which are not exact where they are large.
 *
 * Source: ioredis 6, resp/decoder.js, and \@redis/client 6, RESP/decoder.js, decodeUnsingedNumber
 */
export function readInteger(value: bigint): number {
  const digits = String(value < 0n ? -value : value);
  let read = 0;
  for (const digit of digits) read = read * 10 + (ZERO_CODE + Number(digit)) - ZERO_CODE;
  return value < 0n ? -read : read;
}

/** @throws {ReplyError} `refusal`, when a text holds no whole number of 64 bits */
export function wholeFrom(text: string, refusal: string = NO_INTEGER): bigint {
  const value = integerFrom(text);
  if (value === undefined) throw new ReplyError(refusal);
  return value;
}

/** Parses the arguments of a command from left to right, as the server does. */
export class ArgumentReader {
  readonly #words: readonly string[];
  #at = 0;

  constructor(words: readonly RedisArgument[]) {
    this.#words = sentWords(words);
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
  number(refusal: string = NO_INTEGER): number {
    return Number(this.integer(refusal));
  }

  /** @throws {ReplyError} `refusal`, when the next argument is not a whole number of 64 bits */
  integer(refusal: string = NO_INTEGER): bigint {
    return wholeFrom(this.word(), refusal);
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

  /** Returns all remaining arguments without taking them. */
  ahead(): readonly string[] {
    return this.#words.slice(this.#at);
  }

  /** Takes all remaining arguments. */
  rest(): readonly string[] {
    const rest = this.#words.slice(this.#at);
    this.#at = this.#words.length;
    return rest;
  }
}

/** The arguments of a command, and the callback behind them. */
export interface CommandArguments {
  readonly words: readonly RedisArgument[];
  readonly callback: RedisCallback | undefined;
}

/** The library takes the last argument for a callback, if it is a function. */
export function argumentsFrom(args: readonly RedisArgument[]): CommandArguments {
  const last = args.at(-1);
  if (typeof last !== "function") return { words: args, callback: undefined };
  return { words: args.slice(0, -1), callback: last };
}

/** Returns arguments as the library keeps them: buffers as they are, all others as texts. */
export function keptWords(args: readonly RedisArgument[]): readonly (string | Uint8Array)[] {
  return args
    .flat()
    .map((given) => (isBuffer(given) ? (given as Uint8Array) : keptAs(given as string)));
}

function sentWords(args: readonly RedisArgument[]): readonly string[] {
  return keptWords(args).map(textOf);
}

/**
 * Returns an argument as the library sends it, which has no types: nothing is an empty text, and
 * bytes that are no `Buffer` are a list of numbers.
 *
 * Source: ioredis 6, Command.js, toArg
 */
function keptAs(given: number | string | symbol | null | undefined): string {
  if (given === null || given === undefined) return "";
  const isLarge = Number.isInteger(given) && !Number.isSafeInteger(given);
  return isLarge ? BigInt(given as number).toString() : String(given);
}

/** Where a group begins. */
export interface GroupPosition {
  readonly id: string;
  readonly makesStream: boolean;
  readonly entriesRead: number | null;
}

/** Reads where a group begins, for the subcommands that say so: before the key is looked at. */
export function positionFrom(
  what: string,
  words: ArgumentReader,
  given: string,
): GroupPosition | undefined {
  if (what !== "CREATE" && what !== "SETID") return undefined;
  return { id: words.word(), ...positionOptionsFrom(what, words, given) };
}

/**
 * Reads the options of XGROUP CREATE or SETID. How many entries were read shows in XINFO alone.
 *
 * @throws {ReplyError} when they are not valid
 */
function positionOptionsFrom(
  of: "CREATE" | "SETID",
  words: ArgumentReader,
  given: string,
): Omit<GroupPosition, "id"> {
  let makesStream = false;
  let entriesRead: number | null = null;
  while (!words.isAtEnd) {
    if (of === "CREATE" && words.option("MKSTREAM") !== undefined) makesStream = true;
    else if (words.optionWithValue("ENTRIESREAD") !== undefined) {
      const given = words.number();
      if (given < -1) throw new ReplyError("ERR value for ENTRIESREAD must be positive or -1");
      entriesRead = given === -1 ? null : given;
    } else {
      const what = `unknown subcommand or wrong number of arguments for '${given}'`;
      throw new ReplyError(`ERR ${what}. Try XGROUP HELP.`);
    }
  }
  return { makesStream, entriesRead };
}
