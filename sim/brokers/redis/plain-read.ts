import type { ArgumentReader } from "./arguments.ts";
import { ReplyError } from "./reply-error.ts";
import type { PlainRead } from "./requests.ts";
import { compareIds, entryId, FIRST_ID, rangeEnd, rangeStart } from "./stream-id.ts";
import type { EntryReply } from "./stream-server.ts";
import type { RedisStream } from "./stream.ts";

const NEEDS_GROUP =
  "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.";

/** Where streams are looked up. */
interface Streams {
  streamAt(key: string): RedisStream | undefined;
}

/**
 * Replaces "$" by the stream's last id, from which on a blocking read waits.
 *
 * @throws {ReplyError} for the first key that `assertKey` refuses, or whose id is none
 */
export function positioned(
  streams: Streams,
  { count, streams: asked }: PlainRead,
  assertKey: (key: string) => void,
): PlainRead {
  const at = asked.map(([key, id]) => {
    assertKey(key);
    if (id === ">") throw new ReplyError(NEEDS_GROUP);
    const from = id === "$" ? (streams.streamAt(key)?.lastId ?? FIRST_ID) : entryId(id);
    return [key, from] as const;
  });
  return { count, streams: at };
}

/** Returns what XREAD finds; undefined where nothing is new, so that the reader may block. */
export function readPlain(
  streams: Streams,
  { count, streams: asked }: PlainRead,
): [string, EntryReply[]][] | undefined {
  const replies: [string, EntryReply[]][] = [];
  for (const [key, after] of asked) {
    const found = streams.streamAt(key)?.after(after, count) ?? [];
    if (found.length > 0) replies.push([key, found.map(({ id, fields }) => [id, [...fields]])]);
  }
  return replies.length === 0 ? undefined : replies;
}

/** Returns the entries of a range in order, or from its end. */
export function entriesBetween(
  streams: Streams,
  key: string,
  args: ArgumentReader,
  direction: 1 | -1,
): EntryReply[] | null {
  const words = [args.word(), args.word()] as const;
  const [from, to] = direction === 1 ? words : [words[1], words[0]];
  const [first, last] = [rangeStart(from), rangeEnd(to)];
  const option = args.optionWithValue("COUNT");
  const count = option === undefined ? Number.MAX_SAFE_INTEGER : args.number();
  if (!args.isAtEnd) throw new ReplyError("ERR syntax error");
  const stream = streams.streamAt(key);
  if (stream === undefined) return [];
  if (option !== undefined && count <= 0) return null;
  const inside = [...stream.entries]
    .filter(([id]) => compareIds(id, first) >= 0 && compareIds(id, last) <= 0)
    .toSorted(([a], [b]) => direction * compareIds(a, b));
  return inside.slice(0, count).map(([id, { fields }]) => [id, [...fields]]);
}
