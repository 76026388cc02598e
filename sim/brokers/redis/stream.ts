import { compareIds, FIRST_ID } from "./stream-id.ts";

/** An entry of a stream; `fields` is a flat list of names and values. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
  /** The published record that it contains, if any. */
  readonly ref: string | undefined;
}

/** An entry of a group's pending list. */
export interface PendingEntry {
  readonly id: string;
  readonly ref: string | undefined;
  consumer: string;
  deliveredAt: number;
  deliveries: number;
}

/** A consumer group. */
export interface StreamGroup {
  readonly name: string;
  lastDelivered: string;
  readonly pending: Map<string, PendingEntry>;
  readonly consumers: Set<string>;
}

/** A stream with its consumer groups. */
export class RedisStream {
  readonly entries: Map<string, StreamEntry> = new Map();
  readonly groups: Map<string, StreamGroup> = new Map();
  #lastId = FIRST_ID;

  get lastId(): string {
    return this.#lastId;
  }

  /** Appends an entry whose id has the time `now`, or follows the last id if that is later. */
  add(now: number, fields: readonly string[], ref: string | undefined): StreamEntry {
    const [lastMs = 0, sequence = 0] = this.#lastId.split("-").map(Number);
    const id = now > lastMs ? `${now}-0` : `${lastMs}-${sequence + 1}`;
    const entry = { id, fields, ref };
    this.#lastId = id;
    this.entries.set(id, entry);
    return entry;
  }

  /** Returns at most `count` entries with ids above `after`, in order. */
  after(after: string, count: number): readonly StreamEntry[] {
    const found: StreamEntry[] = [];
    for (const entry of this.entries.values()) {
      if (found.length === count) break;
      if (compareIds(entry.id, after) > 0) found.push(entry);
    }
    return found;
  }
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
