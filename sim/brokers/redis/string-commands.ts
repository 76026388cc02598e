import {
  type ArgumentReader,
  integerFrom,
  NO_INTEGER,
  readInteger,
  wholeFrom,
} from "./arguments.ts";
import { wrongArity } from "./arity.ts";
import { type Commands, growing, plain } from "./collection-commands.ts";
import type { Command, CommandPlace } from "./command-place.ts";
import type { RedisString } from "./keyspace.ts";
import { ReplyError, WRONG_TYPE } from "./reply-error.ts";

type StringCommand =
  | ("set" | "get" | "getdel" | "setnx" | "setex" | "psetex" | "mget" | "mset")
  | ("incr" | "incrby" | "decr" | "decrby");

const SECOND_MS = 1_000;
const INTEGER_MIN = -0x8000_0000_0000_0000n;
const OVERFLOW = "ERR increment or decrement would overflow";

/**
 * The commands of strings, with which producers tell what they have seen or where they are.
 *
 * Source: redis.io, commands SET, GET, INCR; redis, t_string.c
 */
export const STRINGS: Commands<StringCommand> = {
  set: growing(set),
  get: plain(({ keys }, words) => keys.of("string", words.word())?.value ?? null),
  getdel: plain(({ keys }, words) => {
    const key = words.word();
    const value = keys.of("string", key)?.value ?? null;
    keys.delete(key);
    return value;
  }),
  setnx: growing(({ keys }, words) => {
    const key = words.word();
    if (keys.has(key)) return 0;
    keys.put(key, stringOf(words.word()));
    return 1;
  }),
  setex: setting(SECOND_MS, "setex"),
  psetex: setting(1, "psetex"),
  /** Keys of another kind have no value here, and are no error. */
  mget: plain(({ keys }, words) =>
    words.rest().map((key) => {
      const stored = keys.at(key);
      return stored?.kind === "string" ? stored.value : null;
    }),
  ),
  mset: growing(({ server, who }, words) => {
    if (words.left % 2 === 1) throw wrongArity("mset");
    while (!words.isAtEnd) server.replace(who, words.word(), stringOf(words.word()));
    return "OK";
  }),
  incr: adding(() => 1n),
  incrby: adding((words) => words.integer()),
  decr: adding(() => -1n),
  decrby: adding((words) => negated(words.integer())),
};

function stringOf(value: string, until?: number): RedisString {
  return { kind: "string", value, until };
}

function set({ server, keys, who, wallMs }: CommandPlace, words: ArgumentReader): string | null {
  const [key, value] = [words.word(), words.word()];
  const options = setOptionsFrom(words, wallMs);
  const before = keys.at(key);
  if (options.gets && (before?.kind ?? "string") !== "string") throw new ReplyError(WRONG_TYPE);
  const answer = options.gets ? (keys.of("string", key)?.value ?? null) : "OK";
  const isThere = before !== undefined;
  if ((options.only === "NX" && isThere) || (options.only === "XX" && !isThere)) {
    return options.gets ? answer : null;
  }
  const until = options.keepsTtl ? before?.until : options.until;
  server.replace(who, key, stringOf(value, until));
  return answer;
}

/** A command that sets a key for a time. */
function setting(unitMs: number, name: string): Command {
  return growing(({ server, who, wallMs }, words) => {
    const [key, ms, value] = [words.word(), words.number() * unitMs, words.word()];
    if (ms <= 0) throw new ReplyError(`ERR invalid expire time in '${name}' command`);
    server.replace(who, key, stringOf(value, wallMs + ms));
    return "OK";
  });
}

/** A command that adds to a number; a key that is not there has 0. */
function adding(byFrom: (words: ArgumentReader) => bigint): Command {
  return growing(({ keys }, words) => {
    const key = words.word();
    // The number is looked at before the key is.
    const by = byFrom(words);
    const before = keys.of("string", key);
    const value = integerFrom(before?.value ?? "0");
    if (value === undefined) throw new ReplyError(NO_INTEGER);
    const sum = value + by;
    if (integerFrom(String(sum)) === undefined) throw new ReplyError(OVERFLOW);
    keys.put(key, stringOf(String(sum), before?.until));
    return readInteger(sum);
  });
}

/** @throws {ReplyError} for the least number of 64 bits, without its sign none of them */
function negated(by: bigint): bigint {
  if (by === INTEGER_MIN) throw new ReplyError("ERR decrement would overflow");
  return -by;
}

interface SetOptions {
  readonly only: "NX" | "XX" | undefined;
  readonly gets: boolean;
  readonly keepsTtl: boolean;
  readonly until: number | undefined;
}

function setOptionsFrom(words: ArgumentReader, now: number): SetOptions {
  let only: SetOptions["only"];
  let [gets, keepsTtl] = [false, false];
  let timed: "EX" | "PX" | "EXAT" | "PXAT" | undefined;
  let time = "";
  while (!words.isAtEnd) {
    const flag = words.option("NX", "XX", "GET", "KEEPTTL");
    if (flag === "GET") gets = true;
    else if (flag === "KEEPTTL" && timed === undefined) keepsTtl = true;
    else if ((flag === "NX" || flag === "XX") && (only ?? flag) === flag) only = flag;
    else {
      const option =
        flag === undefined ? words.optionWithValue("EX", "PX", "EXAT", "PXAT") : undefined;
      if (option === undefined || timed !== undefined || keepsTtl) {
        throw new ReplyError("ERR syntax error");
      }
      [timed, time] = [option, words.word()];
    }
  }
  // The server looks at the time when it has looked at all options.
  const until = timed === undefined ? undefined : untilFrom(timed, time, now);
  return { only, gets, keepsTtl, until };
}

function untilFrom(timed: "EX" | "PX" | "EXAT" | "PXAT", time: string, now: number): number {
  const given = Number(wholeFrom(time));
  if (given <= 0) throw new ReplyError("ERR invalid expire time in 'set' command");
  const ms = timed.startsWith("EX") ? given * SECOND_MS : given;
  return timed.endsWith("AT") ? ms : now + ms;
}
