import { ReplyError } from "./reply-error.ts";
import { compareIds, entryId, FIRST_ID, fullId } from "./stream-id.ts";

/** An entry of a stream; `fields` is a flat list of names and values. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
  /** The published record that it contains, if any. */
  readonly ref: string | undefined;
  /** The number of the node in which it is stored. */
  readonly node: number;
}

/** How a stream is trimmed: to a length, or to the entries from an id on. */
export interface Trimming {
  readonly lengthMax: number | undefined;
  readonly least: string | undefined;
  /** Set: only whole nodes are removed, of at most so many entries; 0: of any number. */
  readonly wholeNodesMax: number | undefined;
}

/** A new node begins after so many entries. Source: redis.conf, stream-node-max-entries */
const NODE_ENTRIES = 100;

/** An entry of a group's pending list. */
export interface PendingEntry {
  readonly id: string;
  readonly ref: string | undefined;
  consumer: string;
  deliveredAt: number;
  deliveries: number;
}

/** When a consumer last asked for entries, and when it last got some. */
export interface ConsumerTimes {
  seenAt: number;
  activeAt: number | undefined;
}

/** A consumer group. */
export interface StreamGroup {
  readonly name: string;
  lastDelivered: string;
  /** How many entries of the stream it has read; null where the server does not know. */
  entriesRead: number | null;
  readonly pending: Map<string, PendingEntry>;
  readonly consumers: Map<string, ConsumerTimes>;
}

/** A stream with its consumer groups. */
export class RedisStream {
  readonly kind = "stream";
  readonly entries: Map<string, StreamEntry> = new Map();
  readonly groups: Map<string, StreamGroup> = new Map();
  /** When it expires by the server's clock, in milliseconds; undefined: never. */
  until: number | undefined;
  /** What became of the entries that are gone, in words. */
  readonly #removed = new Map<string, string>();
  #lastId = FIRST_ID;
  #entriesAdded = 0;
  #maxDeletedId = FIRST_ID;
  /** The last node: its number, what it has stored, and how much of that is still there. */
  #node = 0;
  #nodeStored = 0;
  #nodeLeft = 0;

  get lastId(): string {
    return this.#lastId;
  }

  /** How many entries were ever added. */
  get entriesAdded(): number {
    return this.#entriesAdded;
  }

  /** The greatest id of an entry that was deleted, other than by trimming. */
  get maxDeletedId(): string {
    return this.#maxDeletedId;
  }

  /** The id of the oldest entry that is left. */
  get firstId(): string {
    return this.entries.keys().next().value ?? FIRST_ID;
  }

  /** In how many nodes the entries are stored. */
  get nodes(): number {
    return new Set([...this.entries.values()].map(({ node }) => node)).size;
  }

  /** Sets the last id, and what else it knows of its past; a deleted id of 0-0 says nothing. */
  setLastId(
    id: string,
    past: {
      readonly entriesAdded: number | undefined;
      readonly maxDeletedId: string | undefined;
    },
  ): void {
    this.#lastId = id;
    this.#entriesAdded = past.entriesAdded ?? this.#entriesAdded;
    const { maxDeletedId = FIRST_ID } = past;
    if (maxDeletedId !== FIRST_ID) this.#maxDeletedId = maxDeletedId;
  }

  /**
   * Appends an entry whose id has the time `now`, or follows the last id if that is later; or with
   * an id of the client's, "5-1" or "5-*".
   *
   * @throws {ReplyError} for an id that is not above the last one
   */
  add(
    now: number,
    fields: readonly string[],
    ref: string | undefined,
    wanted?: string,
  ): StreamEntry {
    const id = wanted === undefined ? nextId(this.#lastId, now) : ownId(this.#lastId, wanted);
    this.#entriesAdded += 1;
    if (this.#nodeLeft === 0 || this.#nodeStored === NODE_ENTRIES) {
      this.#node += 1;
      this.#nodeStored = 0;
      this.#nodeLeft = 0;
    }
    this.#nodeStored += 1;
    this.#nodeLeft += 1;
    const entry = { id, fields, ref, node: this.#node };
    this.#lastId = id;
    this.entries.set(id, entry);
    return entry;
  }

  /** Removes an entry; returns it if it was there. */
  remove(id: string, why: "deleted" | "trimmed"): StreamEntry | undefined {
    const entry = this.entries.get(id);
    if (why === "deleted" && entry !== undefined && compareIds(id, this.#maxDeletedId) > 0) {
      this.#maxDeletedId = id;
    }
    if (this.entries.delete(id)) this.#removed.set(id, `it was ${why}`);
    if (entry?.node === this.#node) this.#nodeLeft -= 1;
    return entry;
  }

  /** Says in words why an entry is gone, if it was here. */
  whyGone(id: string): string | undefined {
    return this.#removed.get(id);
  }

  /** Returns the ids of the entries that trimming removes, the oldest first. */
  surplusOf({ lengthMax, least, wholeNodesMax }: Trimming): readonly string[] {
    const entries = [...this.entries.values()];
    const isSurplus = ({ id }: StreamEntry, removed: number): boolean =>
      least === undefined
        ? entries.length - removed >= (lengthMax ?? 0)
        : compareIds(id, least) < 0;
    const surplus: string[] = [];
    if (wholeNodesMax === undefined) {
      for (const entry of entries) {
        if (!isSurplus(entry, surplus.length + 1)) break;
        surplus.push(entry.id);
      }
      return surplus;
    }
    const nodes = Map.groupBy(entries, ({ node }) => node);
    for (const node of nodes.values()) {
      const removed = surplus.length + node.length;
      const last = node.at(-1);
      const isOver = wholeNodesMax > 0 && removed > wholeNodesMax;
      if (isOver || last === undefined || !isSurplus(last, removed)) break;
      surplus.push(...node.map(({ id }) => id));
    }
    return surplus;
  }

  /** Returns at most `count` entries with ids above `after`, in order. */
  after(after: string, count: number = Number.MAX_SAFE_INTEGER): readonly StreamEntry[] {
    const found: StreamEntry[] = [];
    for (const entry of this.entries.values()) {
      if (found.length === count) break;
      if (compareIds(entry.id, after) > 0) found.push(entry);
    }
    return found;
  }
}

function nextId(lastId: string, now: number): string {
  const [lastMs = 0, sequence = 0] = lastId.split("-").map(Number);
  return now > lastMs ? `${now}-0` : `${lastMs}-${sequence + 1}`;
}

function ownId(lastId: string, wanted: string): string {
  const [lastMs = 0, sequence = 0] = lastId.split("-").map(Number);
  const [ms = 0] = wanted.split("-").map(Number);
  const id = wanted.endsWith("-*") ? `${ms}-${ms === lastMs ? sequence + 1 : 0}` : wanted;
  if (compareIds(id, lastId) > 0) return id;
  throw new ReplyError(
    "ERR The ID specified in XADD is equal or smaller than the target stream top item",
  );
}

/** Returns the id behind which a group begins to read. */
export function positionIn(stream: RedisStream, id: string): string {
  return id === "$" ? stream.lastId : entryId(id);
}

/** Returns the pending entries of a group between two ids (inclusive), in order. */
export function pendingBetween(
  group: StreamGroup,
  from: string,
  to: string,
): readonly PendingEntry[] {
  return [...group.pending.values()]
    .filter(({ id }) => compareIds(id, from) >= 0 && compareIds(id, to) <= 0)
    .toSorted((a, b) => compareIds(a.id, b.id));
}

/** What XPENDING asks for in its long form. */
export interface PendingRequest {
  readonly minIdleMs: number;
  readonly start: string;
  readonly end: string;
  readonly count: number;
  readonly consumer: string | undefined;
}

/** Returns the reply of XPENDING in its long form. */
export function pendingLines(group: StreamGroup, request: PendingRequest, now: number): unknown[] {
  const { minIdleMs, start, end, count, consumer } = request;
  return pendingBetween(group, start, end)
    .filter((entry) => now - entry.deliveredAt >= minIdleMs)
    .filter((entry) => consumer === undefined || entry.consumer === consumer)
    .slice(0, count)
    .map((entry) => [entry.id, entry.consumer, now - entry.deliveredAt, entry.deliveries]);
}

/** Returns the reply of XPENDING in its short form. */
export function pendingSummary(group: StreamGroup): unknown[] {
  const entries = pendingBetween(group, fullId("-"), fullId("+"));
  const counts = new Map<string, number>();
  for (const { consumer } of entries) counts.set(consumer, (counts.get(consumer) ?? 0) + 1);
  const byName = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const byConsumer = byName.map(([consumer, count]) => [consumer, String(count)]);
  const [first, last] = [entries[0]?.id ?? null, entries.at(-1)?.id ?? null];
  return [entries.length, first, last, byConsumer.length === 0 ? null : byConsumer];
}

/** @throws {ReplyError} `NOGROUP`, where a stream is not there or has no such group */
export function groupIn(
  stream: RedisStream | undefined,
  key: string,
  name: string,
  where = "",
): StreamGroup {
  const group = stream?.groups.get(name);
  if (group !== undefined) return group;
  throw new ReplyError(`NOGROUP No such key '${key}' or consumer group '${name}'${where}`);
}
