import { refIn } from "../ref-in.ts";
import type { ArgumentReader } from "./arguments.ts";
import { wrongArity } from "./arity.ts";
import {
  assertAtEnd,
  atLeast,
  type Commands,
  growing,
  plain,
  popCountFrom,
  severalPopFrom,
} from "./collection-commands.ts";
import type { Command, CommandPlace } from "./command-place.ts";
import { type ListEnd, type RedisList, spanOf } from "./list.ts";
import { ReplyError } from "./reply-error.ts";

type ListCommand =
  | ("lpush" | "rpush" | "lpushx" | "rpushx" | "lpop" | "rpop" | "llen" | "lrange" | "ltrim")
  | ("lindex" | "lset" | "lrem" | "linsert" | "lpos" | "lmove" | "rpoplpush" | "lmpop");

/**
 * The commands of lists, but for those that wait. What is put into a list is a dead letter, if it
 * has a record in it.
 *
 * Source: redis, t_list.c
 */
export const LISTS: Commands<ListCommand> = {
  lpush: pushing("LEFT", "made"),
  rpush: pushing("RIGHT", "made"),
  lpushx: pushing("LEFT", "there"),
  rpushx: pushing("RIGHT", "there"),
  lpop: popping("LEFT", "lpop"),
  rpop: popping("RIGHT", "rpop"),
  llen: plain(({ keys }, words) => keys.of("list", words.word())?.size ?? 0),
  lrange: plain(({ keys }, words) => {
    const [key, first, last] = [words.word(), words.number(), words.number()];
    const list = keys.of("list", key);
    const { from, to } = spanOf(first, last, list?.size ?? 0);
    return list?.items.slice(from, to) ?? [];
  }),
  ltrim: plain(({ keys, server }, words) => {
    const [key, first, last] = [words.word(), words.number(), words.number()];
    const list = keys.of("list", key);
    if (list === undefined) return "OK";
    const { from, to } = spanOf(first, last, list.size);
    const dropped = [...list.items.slice(0, from), ...list.items.slice(to)];
    for (const item of dropped) server.settlements.deadLetterDropped(refIn(item));
    list.items = list.items.slice(from, to);
    keys.taken(key, list);
    return "OK";
  }),
  lindex: plain(({ keys }, words) => {
    const list = keys.of("list", words.word());
    return list?.items.at(words.number()) ?? null;
  }),
  lset: growing((place, words) => {
    const list = place.keys.of("list", words.word());
    if (list === undefined) throw new ReplyError("ERR no such key");
    const index = words.number();
    const at = index < 0 ? list.size + index : index;
    if (at < 0 || at >= list.size) throw new ReplyError("ERR index out of range");
    list.items[at] = letter(place, words.word());
    return "OK";
  }),
  lrem: plain(({ keys }, words) => {
    const [key, count, item] = [words.word(), words.number(), words.word()];
    const list = keys.of("list", key);
    if (list === undefined) return 0;
    const found = placesOf(list, item, count < 0 ? "RIGHT" : "LEFT");
    const gone = new Set(found.slice(0, Math.abs(count) || list.size));
    list.items = list.items.filter((_, at) => !gone.has(at));
    keys.taken(key, list);
    return gone.size;
  }),
  linsert: growing((place, words) => {
    const [key, side] = [words.word(), words.option("BEFORE", "AFTER")];
    if (side === undefined) throw new ReplyError("ERR syntax error");
    const list = place.keys.of("list", key);
    if (list === undefined) return 0;
    const at = list.items.indexOf(words.word());
    if (at === -1) return -1;
    list.items.splice(side === "BEFORE" ? at : at + 1, 0, letter(place, words.word()));
    return list.size;
  }),
  lpos: plain(positionsOf),
  lmove: growing((place, words) => {
    const [from, to] = [words.word(), words.word()];
    return moved(place, [from, endFrom(words)], [to, endFrom(words)]);
  }),
  rpoplpush: growing((place, words) =>
    moved(place, [words.word(), "RIGHT"], [words.word(), "LEFT"]),
  ),
  lmpop: plain(({ keys }, words) => {
    const { keys: asked, end, count } = severalPopFrom(words, "LEFT", "RIGHT");
    for (const key of asked) {
      const list = keys.of("list", key);
      if (list === undefined) continue;
      const items = list.pop(count, end);
      keys.taken(key, list);
      return [key, items];
    }
    return null;
  }),
};

function pushing(end: ListEnd, where: "made" | "there"): Command {
  return growing((place, words) => {
    const key = words.word();
    const { keys } = place;
    const list = where === "made" ? keys.made("list", key) : keys.of("list", key);
    if (list === undefined) return 0;
    for (const item of words.rest()) list.push(letter(place, item), end);
    return list.size;
  });
}

function letter({ server }: CommandPlace, item: string): string {
  server.settlements.deadLettered(refIn(item));
  return item;
}

function popping(end: ListEnd, name: string): Command {
  return plain(({ keys }, words) => {
    if (words.left > 2) throw wrongArity(name);
    const key = words.word();
    const count = popCountFrom(words);
    const list = keys.of("list", key);
    if (list === undefined) return null;
    const items = list.pop(count ?? 1, end);
    keys.taken(key, list);
    return count === undefined ? items[0] : items;
  });
}

function endFrom(words: ArgumentReader): ListEnd {
  const end = words.option("LEFT", "RIGHT");
  if (end === undefined) throw new ReplyError("ERR syntax error");
  return end;
}

type Side = readonly [key: string, end: ListEnd];

function moved({ keys }: CommandPlace, [from, taking]: Side, [to, putting]: Side): string | null {
  const source = keys.of("list", from);
  if (source === undefined) return null;
  keys.of("list", to);
  const [item = ""] = source.pop(1, taking);
  // The same list may be the last item's new place.
  keys.made("list", to).push(item, putting);
  keys.taken(from, source);
  return item;
}

/** Returns where an item is in a list, from one end on. */
function placesOf({ items }: RedisList, item: string, from: ListEnd): readonly number[] {
  const places = [...items.keys()].filter((at) => items[at] === item);
  return from === "LEFT" ? places : places.toReversed();
}

const NO_RANK =
  "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list";

function positionsOf({ keys }: CommandPlace, words: ArgumentReader): unknown {
  const [key, item] = [words.word(), words.word()];
  let [rank, count, scanned]: [number, number | undefined, number] = [1, undefined, 0];
  while (!words.isAtEnd) {
    const option = words.optionWithValue("RANK", "COUNT", "MAXLEN");
    if (option === "RANK") {
      rank = words.number();
      if (rank === 0) throw new ReplyError(NO_RANK);
    } else if (option === "COUNT") count = atLeast(0, words, "ERR COUNT can't be negative");
    else if (option === "MAXLEN") scanned = atLeast(0, words, "ERR MAXLEN can't be negative");
    else assertAtEnd(words);
  }
  const list = keys.of("list", key);
  const size = list?.size ?? 0;
  const isNear = (at: number): boolean =>
    scanned === 0 || (rank < 0 ? size - 1 - at : at) < scanned;
  const places = list === undefined ? [] : placesOf(list, item, rank < 0 ? "RIGHT" : "LEFT");
  const found = places.filter(isNear).slice(Math.abs(rank) - 1);
  return count === undefined ? (found[0] ?? null) : found.slice(0, count || size);
}
