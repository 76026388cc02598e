import type { ArgumentReader } from "./arguments.ts";
import { NotModelled } from "../not-modelled.ts";
import { ReplyError } from "./reply-error.ts";
import { compareIds, FIRST_ID } from "./stream-id.ts";
import type { RedisStream, StreamEntry, StreamGroup } from "./stream.ts";

/** From this version on (7.2 to be exact) the reply says how long a consumer got nothing. */
const TELLS_INACTIVE_MAJOR = 8;
const NEVER = -1;

/** What XINFO needs to know besides the streams. */
interface InfoPlace {
  readonly now: number;
  readonly major: number;
  streamAt(key: string): RedisStream | undefined;
}

/**
 * Returns the reply of XINFO.
 *
 * Its number of nodes in the tree is that of a small stream.
 *
 * @throws {ReplyError} for what is not there
 *
 * Source: redis, t_stream.c, xinfoCommand
 */
export function streamInfo(place: InfoPlace, args: ArgumentReader): unknown[] {
  const word = args.word();
  const what = word.toUpperCase();
  if (what === "HELP") throw new NotModelled("XINFO HELP", "brokers.redis");
  const key = args.word();
  const stream = place.streamAt(key);
  if (stream === undefined) throw new ReplyError("ERR no such key");
  if (what === "GROUPS") return groupsOf(stream);
  if (what === "CONSUMERS") return consumersOf(place, stream, key, args.word());
  if (args.option("FULL") !== undefined)
    throw new NotModelled("XINFO STREAM FULL", "brokers.redis");
  if (!args.isAtEnd) {
    throw new ReplyError(
      "ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.",
    );
  }
  return factsOf(stream);
}

function factsOf(stream: RedisStream): unknown[] {
  const { entries, groups, lastId, maxDeletedId, entriesAdded, firstId, nodes } = stream;
  const all = [...entries.values()];
  return [
    ...["length", entries.size, "radix-tree-keys", nodes, "radix-tree-nodes", nodes + 1],
    ...["last-generated-id", lastId, "max-deleted-entry-id", maxDeletedId],
    ...["entries-added", entriesAdded, "recorded-first-entry-id", firstId],
    ...["groups", groups.size, "first-entry", replyOf(all[0]), "last-entry", replyOf(all.at(-1))],
  ];
}

function replyOf(entry: StreamEntry | undefined): unknown {
  return entry === undefined ? null : [entry.id, [...entry.fields]];
}

function groupsOf(stream: RedisStream): unknown[] {
  return [...stream.groups.values()]
    .toSorted(byName)
    .map((group) => [
      ...["name", group.name, "consumers", group.consumers.size, "pending", group.pending.size],
      ...["last-delivered-id", group.lastDelivered, "entries-read", group.entriesRead],
      ...["lag", lagOf(stream, group)],
    ]);
}

function consumersOf(
  { now, major }: InfoPlace,
  stream: RedisStream,
  key: string,
  name: string,
): unknown[] {
  const group = stream.groups.get(name);
  if (group === undefined) {
    throw new ReplyError(`NOGROUP No such consumer group '${name}' for key name '${key}'`);
  }
  const consumers = [...group.consumers].map(([name, times]) => ({ name, ...times }));
  return consumers.toSorted(byName).map(({ name, seenAt, activeAt }) => {
    const pending = [...group.pending.values()].filter((one) => one.consumer === name).length;
    const inactive = activeAt === undefined ? NEVER : now - activeAt;
    return [
      ...["name", name, "pending", pending, "idle", now - seenAt],
      ...(major >= TELLS_INACTIVE_MAJOR ? ["inactive", inactive] : []),
    ];
  });
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Returns how many entries a group has read after it has read one more. */
export function readAfter(stream: RedisStream, group: StreamGroup, id: string): number | null {
  return group.entriesRead !== null && !hasDeletedFrom(stream, id)
    ? group.entriesRead + 1
    : distanceTo(stream, id);
}

function lagOf(stream: RedisStream, group: StreamGroup): number | null {
  if (stream.entriesAdded === 0) return 0;
  const read =
    group.entriesRead !== null && !hasDeletedFrom(stream, group.lastDelivered)
      ? group.entriesRead
      : distanceTo(stream, group.lastDelivered);
  return read === null ? null : stream.entriesAdded - read;
}

/**
 * Whether an entry was deleted at an id or behind it, so that those there are not counted; one that
 * was before all that are left does not count.
 */
function hasDeletedFrom(stream: RedisStream, id: string): boolean {
  if (stream.entries.size === 0 || stream.maxDeletedId === FIRST_ID) return false;
  if (compareIds(stream.firstId, stream.maxDeletedId) > 0) return false;
  return compareIds(stream.maxDeletedId, id) >= 0;
}

/** Returns the number of an entry since the first ever, where the server can tell; null otherwise. */
function distanceTo(stream: RedisStream, id: string): number | null {
  const { entries, entriesAdded, firstId, lastId, maxDeletedId } = stream;
  if (entriesAdded === 0) return 0;
  const toLast = compareIds(id, lastId);
  if (entries.size === 0 && toLast <= 0) return entriesAdded;
  if (toLast === 0) return entriesAdded;
  if (toLast > 0) return null;
  if (maxDeletedId !== FIRST_ID && compareIds(maxDeletedId, firstId) >= 0) return null;
  const toFirst = compareIds(id, firstId);
  if (toFirst > 0) return null;
  return entriesAdded - entries.size + (toFirst === 0 ? 1 : 0);
}
