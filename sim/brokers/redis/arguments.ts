import { textOf } from "../ref-in.ts";
import { ID } from "./stream-id.ts";
import { ReplyError } from "./reply-error.ts";

/** An argument of an ioredis command, other than a callback. */
export type RedisValue = string | number | Uint8Array;

/** The callback of a command, as its last argument. */
export type RedisCallback = (error?: Error | null, result?: never) => void;

export type RedisArgument = RedisValue | RedisCallback | undefined;

export const NO_INTEGER = "ERR value is not an integer or out of range";

/** Returns the whole number of 64 bits that a text holds, if it holds one. */
export function integerFrom(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
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
    const value = integerFrom(this.word());
    if (value === undefined) throw new ReplyError(refusal);
    return value;
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

/** Returns arguments as the library sends them, without a callback. */
export function sentWords(args: readonly RedisArgument[]): readonly string[] {
  return args.flat(Number.POSITIVE_INFINITY).flatMap(sentAs);
}

/**
 * Returns an argument as the library sends it, which has no types: nothing is an empty text.
 *
 * Source: ioredis 6, Command.js, toArg
 */
function sentAs(given: unknown): readonly string[] {
  if (typeof given === "function") return [];
  if (given === null || given === undefined) return [""];
  if (typeof given === "string" || given instanceof Uint8Array) return [textOf(given)];
  return [`${given as number}`];
}

/** The fewest arguments of each command. Source: redis, src/commands.def, arity */
const FEWEST: Readonly<Record<string, number>> = {
  ...{ xack: 3, xadd: 4, xautoclaim: 5, xclaim: 5, xdel: 2, xlen: 1, xpending: 2, xrange: 3 },
  ...{ xread: 3, xreadgroup: 6, xrevrange: 3, xtrim: 3, xgroup: 1, xinfo: 1, xsetid: 2 },
  ...{ "xinfo|stream": 1, "xinfo|groups": 1, "xinfo|consumers": 2 },
  ...{ set: 2, get: 1, getdel: 1, setnx: 2, setex: 3, psetex: 3, del: 1, unlink: 1, exists: 1 },
  ...{ type: 1, expire: 2, pexpire: 2, ttl: 1, pttl: 1, incr: 1, incrby: 2, decr: 1, decrby: 2 },
  ...{ "xgroup|create": 3, "xgroup|setid": 3, "xgroup|destroy": 2 },
  ...{ "xgroup|createconsumer": 3, "xgroup|delconsumer": 3 },
};

/** The most arguments of those that have a fixed number of them. */
const MOST: Readonly<Record<string, number>> = {
  ...{ xlen: 1, get: 1, getdel: 1, setnx: 2, setex: 3, psetex: 3, type: 1, ttl: 1, pttl: 1 },
  ...{ incr: 1, incrby: 2, decr: 1, decrby: 2, ping: 1, time: 0 },
  ...{ "xinfo|groups": 1, "xinfo|consumers": 2 },
  ...{ "xgroup|destroy": 2, "xgroup|createconsumer": 3, "xgroup|delconsumer": 3 },
};

/** @throws {ReplyError} when fewer arguments are left than the command has, or too many */
export function assertArity(command: string, words: ArgumentReader): void {
  const isTooMany = words.left > (MOST[command] ?? Number.MAX_SAFE_INTEGER);
  if (words.left >= (FEWEST[command] ?? 0) && !isTooMany) return;
  throw wrongArity(command);
}

export function wrongArity(command: string): ReplyError {
  return new ReplyError(`ERR wrong number of arguments for '${command}' command`);
}

/**
 * Reads the options of XGROUP CREATE or SETID. How many entries were read shows in XINFO alone.
 *
 * @throws {ReplyError} when they are not valid
 */
export function positionOptionsFrom(
  of: "CREATE" | "SETID",
  words: ArgumentReader,
): {
  readonly makesStream: boolean;
  readonly entriesRead: number | null;
} {
  let makesStream = false;
  let entriesRead: number | null = null;
  while (!words.isAtEnd) {
    if (of === "CREATE" && words.option("MKSTREAM") !== undefined) makesStream = true;
    else if (words.optionWithValue("ENTRIESREAD") !== undefined) {
      const given = words.number();
      if (given < -1) throw new ReplyError("ERR value for ENTRIESREAD must be positive or -1");
      entriesRead = given === -1 ? null : given;
    } else {
      const what = `unknown subcommand or wrong number of arguments for '${of}'`;
      throw new ReplyError(`ERR ${what}. Try XGROUP HELP.`);
    }
  }
  return { makesStream, entriesRead };
}
