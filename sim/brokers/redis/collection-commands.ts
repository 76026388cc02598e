import type { ArgumentReader } from "./arguments.ts";
import { assertMemory, type Command, type CommandPlace } from "./command-place.ts";
import { ReplyError } from "./reply-error.ts";

type Run = (place: CommandPlace, words: ArgumentReader) => unknown;

/** Commands of keys and what they hold, by their names in small letters. */
export type Commands<Names extends string> = Readonly<Record<Names, Command>>;

/** A command that reads, or takes something away. */
export function plain(execute: Run): Command {
  return { site: "broker.session", execute };
}

/** A command that needs memory, of which there may be none. */
export function growing(run: Run): Command {
  return plain((place, words) => {
    assertMemory(place.server);
    return run(place, words);
  });
}

/** @throws {ReplyError} when words are left, which the command does not know */
export function assertAtEnd(words: ArgumentReader): void {
  if (!words.isAtEnd) throw new ReplyError("ERR syntax error");
}

/** @throws {ReplyError} `refusal`, for what is no whole number or below the least one */
export function atLeast(least: number, words: ArgumentReader, refusal: string): number {
  const value = words.number(refusal);
  if (value < least) throw new ReplyError(refusal);
  return value;
}

/** Returns how many are to be taken; undefined where nothing says so. */
export function popCountFrom(words: ArgumentReader): number | undefined {
  if (words.isAtEnd) return undefined;
  return atLeast(0, words, "ERR value is out of range, must be positive");
}

/** Reads how many keys follow, and these. */
export function numberedKeysFrom(words: ArgumentReader): readonly string[] {
  const count = atLeast(1, words, "ERR numkeys should be greater than 0");
  if (count > words.left) {
    throw new ReplyError("ERR Number of keys can't be greater than number of args");
  }
  return Array.from({ length: count }, () => words.word());
}

/** What LMPOP and ZMPOP ask for. */
export interface SeveralPop<End extends string> {
  readonly keys: readonly string[];
  readonly end: End;
  readonly count: number;
}

/** Reads the arguments of LMPOP or ZMPOP, which takes from the first key that holds something. */
export function severalPopFrom<End extends string>(
  words: ArgumentReader,
  ...ends: End[]
): SeveralPop<End> {
  const keyCount = atLeast(1, words, "ERR numkeys should be greater than 0");
  if (keyCount >= words.left) throw new ReplyError("ERR syntax error");
  const keys = Array.from({ length: keyCount }, () => words.word());
  const end = words.option(...ends);
  if (end === undefined) throw new ReplyError("ERR syntax error");
  const count =
    words.optionWithValue("COUNT") === undefined
      ? 1
      : atLeast(1, words, "ERR count should be greater than 0");
  assertAtEnd(words);
  return { keys, end, count };
}
