import { compareIds, FIRST_ID } from "./stream-id.ts";

/** One entry of a stream: a flat list of names and values. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
  /** Which published record it is, if any. */
  readonly ref: string | undefined;
}

/** One line of a group's pending list. */
export interface PendingEntry {
  readonly id: string;
  readonly ref: string | undefined;
  consumer: string;
  deliveredAt: number;
  deliveries: number;
}

/** A consumer group: what it has been given, and what it has not acknowledged. */
export interface StreamGroup {
  readonly name: string;
  lastDelivered: string;
  readonly pending: Map<string, PendingEntry>;
  readonly consumers: Set<string>;
}

/** One key that holds a stream. */
export class RedisStream {
  readonly entries: Map<string, StreamEntry> = new Map();
  readonly groups: Map<string, StreamGroup> = new Map();
  #lastId = FIRST_ID;

  get lastId(): string {
    return this.#lastId;
  }

  /** Appends an entry with an id of the time `now`, or of the moment after the last one. */
  add(now: number, fields: readonly string[], ref: string | undefined): StreamEntry {
    const [lastMs = 0, sequence = 0] = this.#lastId.split("-").map(Number);
    const id = now > lastMs ? `${now}-0` : `${lastMs}-${sequence + 1}`;
    const entry = { id, fields, ref };
    this.#lastId = id;
    this.entries.set(id, entry);
    return entry;
  }

  /** At most `count` entries with an id above `after`, in order. */
  after(after: string, count: number): readonly StreamEntry[] {
    const found: StreamEntry[] = [];
    for (const entry of this.entries.values()) {
      if (found.length === count) break;
      if (compareIds(entry.id, after) > 0) found.push(entry);
    }
    return found;
  }
}

/** The pending entries of a group between two ids, in the order of their ids. */
export function pendingBetween(
  group: StreamGroup,
  from: string,
  to: string,
): readonly PendingEntry[] {
  return [...group.pending.values()]
    .filter(({ id }) => compareIds(id, from) >= 0 && compareIds(id, to) <= 0)
    .toSorted((a, b) => compareIds(a.id, b.id));
}
