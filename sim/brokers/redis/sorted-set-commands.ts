import type { ArgumentReader } from "./arguments.ts";
import {
  type Commands,
  growing,
  plain,
  popCountFrom,
  severalPopFrom,
} from "./collection-commands.ts";
import type { Command, CommandPlace } from "./command-place.ts";
import { scoreFrom, scoreText } from "./floats.ts";
import { ReplyError } from "./reply-error.ts";
import { type Scored, SortedSet, namedWithin, scoredWithin } from "./sorted-set.ts";
import {
  boundsOfMembers,
  boundsOfScores,
  type RangeRequest,
  rangeFrom,
} from "./sorted-set-range.ts";
import { spanOf } from "./list.ts";

type SortedSetCommand =
  | ("zadd" | "zincrby" | "zrem" | "zcard" | "zscore" | "zmscore" | "zcount" | "zlexcount")
  | ("zrank" | "zrevrank" | "zrange" | "zrevrange" | "zrangebyscore" | "zrevrangebyscore")
  | ("zrangebylex" | "zrevrangebylex" | "zrangestore" | "zpopmin" | "zpopmax" | "zmpop")
  | ("zremrangebyrank" | "zremrangebyscore" | "zremrangebylex");

/** From this version on (7.2 to be exact) ZRANK takes WITHSCORE. */
const RANKS_WITH_SCORE_MAJOR = 8;

/**
 * The commands of sorted sets, but for those that combine several, and that draw a member.
 *
 * Source: redis, t_zset.c
 */
export const SORTED_SETS: Commands<SortedSetCommand> = {
  zadd: growing((place, words) => add(place, words, "no")),
  zincrby: growing((place, words) => add(place, words, "yes")),
  zrem: plain(({ keys }, words) => {
    const key = words.word();
    const set = keys.of("zset", key);
    return set === undefined ? 0 : without(keys, key, set, words.rest());
  }),
  zcard: plain(({ keys }, words) => keys.of("zset", words.word())?.size ?? 0),
  zscore: plain(({ keys, server }, words) =>
    told(keys.of("zset", words.word())?.scores.get(words.word()), server.major),
  ),
  zmscore: plain(({ keys, server }, words) => {
    const set = keys.of("zset", words.word());
    return words.rest().map((member) => told(set?.scores.get(member), server.major));
  }),
  zcount: plain(({ keys }, words) => {
    const [key, bounds] = [words.word(), boundsOfScores(words.word(), words.word())];
    return scoredWithin(keys.of("zset", key)?.inOrder() ?? [], bounds).length;
  }),
  zlexcount: plain(({ keys }, words) => {
    const [key, bounds] = [words.word(), boundsOfMembers(words.word(), words.word())];
    return namedWithin(keys.of("zset", key)?.inOrder() ?? [], bounds).length;
  }),
  zrank: ranking("up"),
  zrevrank: ranking("down"),
  zrange: ranging((words) => rangeFrom(words, {})),
  zrevrange: ranging((words) => rangeFrom(words, { by: "RANK", direction: "down" })),
  zrangebyscore: ranging((words) => rangeFrom(words, { by: "SCORE", direction: "up" })),
  zrevrangebyscore: ranging((words) => rangeFrom(words, { by: "SCORE", direction: "down" })),
  zrangebylex: ranging((words) => rangeFrom(words, { by: "LEX", direction: "up" })),
  zrevrangebylex: ranging((words) => rangeFrom(words, { by: "LEX", direction: "down" })),
  zrangestore: growing((place, words) => {
    const [target, from] = [words.word(), words.word()];
    const { find } = rangeFrom(words, { isStored: true });
    const stored = new SortedSet();
    const found = find(place.keys.of("zset", from)?.inOrder() ?? []);
    for (const [member, score] of found) stored.scores.set(member, score);
    place.server.replace(place.who, target, stored.size === 0 ? undefined : stored);
    return stored.size;
  }),
  zpopmin: popping("up"),
  zpopmax: popping("down"),
  zmpop: plain(({ keys, server }, words) => {
    const { keys: asked, end, count } = severalPopFrom(words, "MIN", "MAX");
    for (const key of asked) {
      const set = keys.of("zset", key);
      if (set === undefined) continue;
      const found = popped(keys, key, count, end === "MIN" ? "up" : "down");
      return [key, found.map((one) => toldPair(one, server.major))];
    }
    return null;
  }),
  zremrangebyrank: plain(({ keys }, words) => {
    const [key, first, last] = [words.word(), words.number(), words.number()];
    return removed(keys, key, (list) => {
      const { from, to } = spanOf(first, last, list.length);
      return list.slice(from, to);
    });
  }),
  zremrangebyscore: plain(({ keys }, words) => {
    const [key, bounds] = [words.word(), boundsOfScores(words.word(), words.word())];
    return removed(keys, key, (list) => scoredWithin(list, bounds));
  }),
  zremrangebylex: plain(({ keys }, words) => {
    const [key, bounds] = [words.word(), boundsOfMembers(words.word(), words.word())];
    return removed(keys, key, (list) => namedWithin(list, bounds));
  }),
};

type Keys = CommandPlace["keys"];
type Direction = "up" | "down";

function without(keys: Keys, key: string, set: SortedSet, members: readonly string[]): number {
  const gone = members.filter((member) => set.scores.delete(member)).length;
  keys.taken(key, set);
  return gone;
}

function removed(
  keys: Keys,
  key: string,
  find: (list: readonly Scored[]) => readonly Scored[],
): number {
  const set = keys.of("zset", key);
  if (set === undefined) return 0;
  return without(
    keys,
    key,
    set,
    find(set.inOrder()).map(([member]) => member),
  );
}

function popped(keys: Keys, key: string, count: number, direction: Direction): readonly Scored[] {
  const list = keys.of("zset", key)?.inOrder() ?? [];
  const found = (direction === "up" ? list : list.toReversed()).slice(0, count);
  removed(keys, key, () => found);
  return found;
}

/** With a count the reply has a pair for each, and else is one. */
function popping(direction: Direction): Command {
  return plain(({ keys, server }, words) => {
    if (words.left > 2) throw new ReplyError("ERR syntax error");
    const key = words.word();
    const count = popCountFrom(words);
    keys.of("zset", key);
    const found = popped(keys, key, count ?? 1, direction).map((one) =>
      toldPair(one, server.major),
    );
    return count === undefined ? found.flat() : found;
  });
}

function told(score: number | undefined, major: number): string | null {
  return score === undefined ? null : scoreText(score, major);
}

function toldPair([member, score]: Scored, major: number): [member: string, score: string] {
  return [member, scoreText(score, major)];
}

function ranking(direction: Direction): Command {
  return plain(({ keys, server }, words) => {
    const [key, member] = [words.word(), words.word()];
    if (!words.isAtEnd && server.major < RANKS_WITH_SCORE_MAJOR) {
      const name = direction === "up" ? "zrank" : "zrevrank";
      throw new ReplyError(`ERR wrong number of arguments for '${name}' command`);
    }
    const isScored = words.option("WITHSCORE") !== undefined;
    if (!words.isAtEnd) throw new ReplyError("ERR syntax error");
    const list = keys.of("zset", key)?.inOrder() ?? [];
    const at = list.findIndex(([one]) => one === member);
    if (at === -1) return null;
    const rank = direction === "up" ? at : list.length - 1 - at;
    return isScored ? [rank, scoreText(list[at]?.[1] ?? 0, server.major)] : rank;
  });
}

function ranging(requestFrom: (words: ArgumentReader) => RangeRequest): Command {
  return plain(({ keys, server }, words) => {
    const key = words.word();
    const { find, hasScores } = requestFrom(words);
    const found = find(keys.of("zset", key)?.inOrder() ?? []);
    return found.map((one) => (hasScores ? toldPair(one, server.major) : one[0]));
  });
}

/** What is added under which conditions. Source: redis, t_zset.c, zaddGenericCommand */
function add({ keys, server }: CommandPlace, words: ArgumentReader, isBy: "yes" | "no"): unknown {
  const key = words.word();
  const given = new Set<string>(isBy === "yes" ? ["INCR"] : []);
  for (;;) {
    const option = words.option("NX", "XX", "CH", "INCR", "GT", "LT");
    if (option === undefined) break;
    given.add(option);
  }
  const [nx, xx, gt, lt] = ["NX", "XX", "GT", "LT"].map((one) => given.has(one));
  const rest = words.rest();
  assertAddable(given, rest.length);
  const pairs = pairsOf(rest).map(([score, member]) => [scoreFrom(score), member] as const);
  const before = keys.of("zset", key);
  const isIncrement = given.has("INCR");
  if (before === undefined && xx) return isIncrement ? null : 0;
  const { scores } = keys.made("zset", key);
  let [added, updated] = [0, 0];
  let reply: string | null = null;
  for (const [score, member] of pairs) {
    const current = scores.get(member);
    if (current === undefined ? xx : nx) continue;
    const next = isIncrement && current !== undefined ? current + score : score;
    if (Number.isNaN(next)) throw new ReplyError("ERR resulting score is not a number (NaN)");
    if (current !== undefined && ((lt && next >= current) || (gt && next <= current))) continue;
    if (current === undefined) added += 1;
    else if (next !== current) updated += 1;
    // As in a listpack, zero has no sign.
    scores.set(member, next + 0);
    reply = scoreText(next, server.major);
  }
  if (isIncrement) return reply;
  return given.has("CH") ? added + updated : added;
}

function assertAddable(given: ReadonlySet<string>, wordCount: number): void {
  const [nx, xx, gt, lt] = ["NX", "XX", "GT", "LT"].map((one) => given.has(one));
  if (wordCount === 0 || wordCount % 2 === 1) throw new ReplyError("ERR syntax error");
  if (nx && xx) {
    throw new ReplyError("ERR XX and NX options at the same time are not compatible");
  }
  if ((gt && nx) || (lt && nx) || (gt && lt)) {
    throw new ReplyError("ERR GT, LT, and/or NX options at the same time are not compatible");
  }
  if (given.has("INCR") && wordCount > 2) {
    throw new ReplyError("ERR INCR option supports a single increment-element pair");
  }
}

function pairsOf(words: readonly string[]): readonly (readonly [string, string])[] {
  return words
    .filter((_, at) => at % 2 === 0)
    .map((word, at) => [word, words[2 * at + 1] ?? ""] as const);
}
