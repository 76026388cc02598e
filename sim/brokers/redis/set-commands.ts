import type { ArgumentReader } from "./arguments.ts";
import {
  assertAtEnd,
  atLeast,
  type Commands,
  growing,
  numberedKeysFrom,
  plain,
} from "./collection-commands.ts";
import type { Command, CommandPlace } from "./command-place.ts";
import { ReplyError } from "./reply-error.ts";
import { RedisSet } from "./set.ts";

type SetCommand =
  | ("sadd" | "srem" | "sismember" | "smismember" | "smembers" | "scard" | "smove")
  | ("sinter" | "sunion" | "sdiff" | "sinterstore" | "sunionstore" | "sdiffstore" | "sintercard");

/** Several sets; undefined for a key that is not there. */
type Sets = readonly (RedisSet | undefined)[];

/**
 * The commands of sets, but for those that draw a member.
 *
 * Source: redis, t_set.c
 */
export const SETS: Commands<SetCommand> = {
  sadd: growing(({ keys }, words) => {
    const set = keys.made("set", words.word());
    return words.rest().filter((member) => set.add(member)).length;
  }),
  srem: plain(({ keys }, words) => {
    const key = words.word();
    const set = keys.of("set", key);
    if (set === undefined) return 0;
    const gone = words.rest().filter((member) => set.delete(member)).length;
    keys.taken(key, set);
    return gone;
  }),
  sismember: plain(({ keys }, words) => (keys.of("set", words.word())?.has(words.word()) ? 1 : 0)),
  smismember: plain(({ keys }, words) => {
    const set = keys.of("set", words.word());
    return words.rest().map((member) => (set?.has(member) ? 1 : 0));
  }),
  smembers: plain(({ keys }, words) => [...(keys.of("set", words.word())?.members() ?? [])]),
  scard: plain(({ keys }, words) => keys.of("set", words.word())?.size ?? 0),
  smove: plain(({ keys }, words) => {
    const [from, to, member] = [words.word(), words.word(), words.word()];
    const source = keys.of("set", from);
    if (source === undefined) return 0;
    const target = keys.of("set", to);
    if (source === target) return source.has(member) ? 1 : 0;
    if (!source.delete(member)) return 0;
    keys.taken(from, source);
    keys.made("set", to).add(member);
    return 1;
  }),
  sinter: combining(intersection),
  sunion: combining(union),
  sdiff: combining(difference),
  sinterstore: storing(intersection),
  sunionstore: storing(union),
  sdiffstore: storing(difference),
  sintercard: plain(({ keys }, words) => {
    const asked = numberedKeysFrom(words);
    let limit = 0;
    while (!words.isAtEnd) {
      if (words.optionWithValue("LIMIT") === undefined) throw new ReplyError("ERR syntax error");
      limit = atLeast(0, words, "ERR LIMIT can't be negative");
    }
    assertAtEnd(words);
    const { length } = intersection(asked.map((key) => keys.of("set", key)));
    return limit === 0 ? length : Math.min(limit, length);
  }),
};

function combining(combine: (sets: Sets) => readonly string[]): Command {
  return plain((place, words) => combine(setsOf(place, words)));
}

function storing(combine: (sets: Sets) => readonly string[]): Command {
  return growing((place, words) => {
    const target = words.word();
    const combined = new RedisSet(combine(setsOf(place, words)));
    place.server.replace(place.who, target, combined.size === 0 ? undefined : combined);
    return combined.size;
  });
}

function setsOf({ keys }: CommandPlace, words: ArgumentReader): Sets {
  return words.rest().map((key) => keys.of("set", key));
}

/** In the order of the smallest set. */
function intersection(sets: Sets): readonly string[] {
  const [smallest, ...others] = sets.toSorted((a, b) => (a?.size ?? 0) - (b?.size ?? 0));
  return (smallest?.members() ?? []).filter((member) => others.every((one) => one?.has(member)));
}

function union(sets: Sets): readonly string[] {
  return new RedisSet(sets.flatMap((one) => one?.members() ?? [])).members();
}

function difference([first, ...others]: Sets): readonly string[] {
  const left = (first?.members() ?? []).filter((one) => !others.some((other) => other?.has(one)));
  return new RedisSet(left).members();
}
