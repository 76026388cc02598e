import type { ArgumentReader } from "./arguments.ts";
import { anyFloatFrom } from "./floats.ts";
import { spanOf } from "./list.ts";
import { ReplyError } from "./reply-error.ts";
import { NO_INTEGER, wholeFrom } from "./arguments.ts";
import {
  type Bound,
  type Bounds,
  FIRST,
  LAST,
  type MemberEnd,
  namedWithin,
  type Scored,
  scoredWithin,
} from "./sorted-set.ts";

/** What a command of a range looks for. */
export interface RangeRequest {
  readonly hasScores: boolean;
  /** Returns what is in the range, of members in order. */
  readonly find: (list: readonly Scored[]) => readonly Scored[];
}

/** What the name of a command says already. */
interface Named {
  readonly by?: "RANK" | "SCORE" | "LEX";
  readonly direction?: "up" | "down";
  readonly isStored?: boolean;
}

const LIMITED =
  "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX";
const SCORED = "ERR syntax error, WITHSCORES not supported in combination with BYLEX";

/**
 * Reads the arguments of ZRANGE behind the key, or of a command that is a form of it.
 *
 * @throws {ReplyError} when they are not valid
 *
 * Source: redis, t_zset.c, zrangeGenericCommand
 */
export function rangeFrom(words: ArgumentReader, named: Named): RangeRequest {
  const ends = [words.word(), words.word()] as const;
  let { by, direction } = named;
  let hasScores = false;
  let [offset, count] = [0, -1];
  while (!words.isAtEnd) {
    if (named.isStored !== true && words.option("WITHSCORES") !== undefined) hasScores = true;
    else if (words.left > 2 && words.option("LIMIT") !== undefined) {
      [offset, count] = [words.number(), words.number()];
    } else if (direction === undefined && words.option("REV") !== undefined) direction = "down";
    else {
      const option = by === undefined ? words.option("BYSCORE", "BYLEX") : undefined;
      if (option === undefined) throw new ReplyError("ERR syntax error");
      by = option === "BYSCORE" ? "SCORE" : "LEX";
    }
  }
  if (count !== -1 && (by ?? "RANK") === "RANK") throw new ReplyError(LIMITED);
  if (hasScores && by === "LEX") throw new ReplyError(SCORED);
  const isDown = direction === "down";
  const [min, max] = isDown ? ([ends[1], ends[0]] as const) : ends;
  const cut = (found: readonly Scored[]): readonly Scored[] =>
    offset < 0 ? [] : found.slice(offset, count < 0 ? undefined : offset + count);
  if (by === "SCORE") {
    const bounds = boundsOfScores(min, max);
    return { hasScores, find: (list) => cut(turned(scoredWithin(list, bounds), isDown)) };
  }
  if (by === "LEX") {
    const bounds = boundsOfMembers(min, max);
    return { hasScores, find: (list) => cut(namedWithin(list, bounds, isDown ? "down" : "up")) };
  }
  const [first, last] = ends.map((end) => Number(wholeFrom(end, NO_INTEGER))) as [number, number];
  return {
    hasScores,
    find: (list) => {
      const { from, to } = spanOf(first, last, list.length);
      return turned(list, isDown).slice(from, to);
    },
  };
}

function turned(list: readonly Scored[], isDown: boolean): readonly Scored[] {
  return isDown ? list.toReversed() : list;
}

/** @throws {ReplyError} for what is no score */
export function boundsOfScores(min: string, max: string): Bounds<number> {
  return { min: boundOfScore(min), max: boundOfScore(max) };
}

function boundOfScore(text: string): Bound<number> {
  const isOut = text.startsWith("(");
  const given = isOut ? text.slice(1) : text;
  // Blanks are left out, and nothing at all is zero.
  const value = given === "" ? 0 : anyFloatFrom(given.trimStart());
  if (value === undefined) throw new ReplyError("ERR min or max is not a float");
  return { value, isOut };
}

/** @throws {ReplyError} for what is no end of a range of members */
export function boundsOfMembers(min: string, max: string): Bounds<MemberEnd> {
  return { min: boundOfMember(min), max: boundOfMember(max) };
}

function boundOfMember(text: string): Bound<MemberEnd> {
  if (text === "-") return { value: FIRST, isOut: false };
  if (text === "+") return { value: LAST, isOut: false };
  if (text.startsWith("(")) return { value: text.slice(1), isOut: true };
  if (text.startsWith("[")) return { value: text.slice(1), isOut: false };
  throw new ReplyError("ERR min or max not valid string range item");
}
