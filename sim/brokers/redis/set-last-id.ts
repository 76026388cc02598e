import type { ArgumentReader } from "./arguments.ts";
import { ReplyError } from "./reply-error.ts";
import { compareIds, entryId } from "./stream-id.ts";
import type { StreamServer } from "./stream-server.ts";

/**
 * Sets what a stream knows of its past.
 *
 * Source: redis.io, "XSETID"
 */
export function setLastId(server: StreamServer, key: string, words: ArgumentReader): "OK" {
  const { id, entriesAdded, maxDeletedId } = lastIdFrom(words);
  const stream = server.streamAt(key);
  if (stream === undefined) throw new ReplyError("ERR no such key");
  const top = [...stream.entries.keys()].at(-1);
  if (top !== undefined) assertNotBelow(id, top, "the target stream top item");
  if (entriesAdded !== undefined && entriesAdded < stream.entries.size) {
    const than = "the target stream length";
    throw new ReplyError(`ERR The entries_added specified in XSETID is smaller than ${than}`);
  }
  stream.setLastId(id, { entriesAdded, maxDeletedId });
  return "OK";
}

/** @throws {ReplyError} for words that are no options of XSETID, and numbers that cannot be */
export function lastIdFrom(words: ArgumentReader): {
  readonly id: string;
  readonly entriesAdded: number | undefined;
  readonly maxDeletedId: string | undefined;
} {
  const id = entryId(words.word());
  let entriesAdded: number | undefined;
  let maxDeletedId: string | undefined;
  while (!words.isAtEnd) {
    const option = words.left > 1 ? words.option("ENTRIESADDED", "MAXDELETEDID") : undefined;
    if (option === undefined) throw new ReplyError("ERR syntax error");
    if (option === "ENTRIESADDED") {
      entriesAdded = words.number();
      if (entriesAdded < 0) throw new ReplyError("ERR entries_added must be positive");
    } else {
      maxDeletedId = entryId(words.word());
      assertNotBelow(id, maxDeletedId, "the provided max_deleted_entry_id");
    }
  }
  return { id, entriesAdded, maxDeletedId };
}

function assertNotBelow(id: string, least: string, what: string): void {
  if (compareIds(id, least) >= 0) return;
  throw new ReplyError(`ERR The ID specified in XSETID is smaller than ${what}`);
}
