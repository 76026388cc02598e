import { ReplyError, WRONG_TYPE } from "./reply-error.ts";
import { type ArgumentReader, integerFrom, NO_INTEGER, wholeFrom } from "./arguments.ts";

interface StoredString {
  readonly value: string;
  /** When it expires by the server's clock, in milliseconds; undefined: never. */
  readonly until: number | undefined;
}

const SECOND_MS = 1_000;
const NO_KEY = -2;
/** How long a key lives that does not expire, as TTL has it. */
export const NO_EXPIRY = -1;
const OVERFLOW = "ERR increment or decrement would overflow";

/**
 * The strings of a Redis server, with which producers tell what they have seen or where they are.
 *
 * Holds: a key that has expired is there no more; no other command than those of strings sees it.
 *
 * Source: redis.io, commands SET, GET, EXPIRE, TTL, INCR
 */
export class Strings {
  readonly #strings = new Map<string, StoredString>();
  readonly #now: () => number;

  /** `now` returns the server's time in epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get(key: string): string | null {
    return this.#live(key)?.value ?? null;
  }

  has(key: string): boolean {
    return this.#live(key) !== undefined;
  }

  delete(key: string): boolean {
    return this.has(key) && this.#strings.delete(key);
  }

  /** Sets it for some milliseconds. */
  setFor(key: string, value: string, ms: number, command: string): "OK" {
    if (ms <= 0) throw new ReplyError(`ERR invalid expire time in '${command}' command`);
    this.#strings.set(key, { value, until: this.#now() + ms });
    return "OK";
  }

  /** Sets it for good. */
  put(key: string, value: string): void {
    this.#strings.set(key, { value, until: undefined });
  }

  setIfNew(key: string, value: string): 0 | 1 {
    if (this.has(key)) return 0;
    this.put(key, value);
    return 1;
  }

  /** Has it expire no more; returns whether it would have. */
  persist(key: string): boolean {
    const before = this.#live(key);
    if (before?.until === undefined) return false;
    this.put(key, before.value);
    return true;
  }

  /** Performs SET, from its value on; `other`: what the key holds, if that is no string. */
  set(
    key: string,
    words: ArgumentReader,
    other: { readonly until: number | undefined } | undefined,
  ): { readonly reply: string | null; readonly isSet: boolean } {
    const value = words.word();
    const options = setOptionsFrom(words, this.#now());
    const before = this.#live(key);
    if (options.gets && other !== undefined) throw new ReplyError(WRONG_TYPE);
    const isThere = before !== undefined || other !== undefined;
    const answer = options.gets ? (before?.value ?? null) : "OK";
    if ((options.only === "NX" && isThere) || (options.only === "XX" && !isThere)) {
      return { reply: options.gets ? answer : null, isSet: false };
    }
    const until = options.keepsTtl ? (before ?? other)?.until : options.until;
    this.#strings.set(key, { value, until });
    return { reply: answer, isSet: true };
  }

  /** Adds to a number; a key that is not there has 0. */
  add(key: string, by: bigint): number {
    const before = this.#live(key);
    const value = integerFrom(before?.value ?? "0");
    if (value === undefined) throw new ReplyError(NO_INTEGER);
    const sum = String(value + by);
    if (integerFrom(sum) === undefined) throw new ReplyError(OVERFLOW);
    this.#strings.set(key, { value: sum, until: before?.until });
    // The library reads each number as one of JavaScript, however large it is.
    return Number(sum);
  }

  /** Makes it expire then. */
  expire(key: string, until: number): void {
    const before = this.#live(key);
    if (before !== undefined) this.#strings.set(key, { value: before.value, until });
  }

  /** Returns when it expires; undefined: never. */
  untilOf(key: string): number | undefined {
    return this.#live(key)?.until;
  }

  /** Returns how long it lives, in milliseconds. */
  leftMs(key: string): number {
    const stored = this.#live(key);
    if (stored === undefined) return NO_KEY;
    return stored.until === undefined ? NO_EXPIRY : stored.until - this.#now();
  }

  #live(key: string): StoredString | undefined {
    const stored = this.#strings.get(key);
    if (stored?.until !== undefined && stored.until <= this.#now()) {
      this.#strings.delete(key);
      return undefined;
    }
    return stored;
  }
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
