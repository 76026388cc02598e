import type { World } from "../kernel/world.ts";

/** A row of the trigger table. */
export interface TriggerRow {
  readonly id: number;
  readonly stream: string;
  /** Its number among the triggers of its stream, from 1. */
  readonly ordinal: number;
  /** The triggerer that owns it. */
  triggerer: string | undefined;
}

/** A trigger event that is to be stored. */
export interface StoredEvent {
  readonly event: number;
  readonly trigger: number;
  readonly ref: string;
}

/**
 * The metadata database of the triggerers: trigger rows, heartbeats, stored trigger events.
 *
 * Holds: each method is one transaction, at one instant. Its content survives every crash: a
 * crashed database is only unreachable.
 */
export class MetadataDatabase {
  readonly #world: World;
  readonly #name: string;
  readonly #rows = new Map<number, TriggerRow>();
  /** The rows that nobody owns, in the order of their ids. */
  readonly #unowned = new Map<number, TriggerRow>();
  /** The rows of each triggerer, in the order of their ids; a list is replaced when it changes. */
  readonly #owned = new Map<string, readonly TriggerRow[]>();
  /** The last heartbeat of each triggerer, the oldest first. */
  readonly #heartbeats = new Map<string, number>();
  /** Triggerers that own rows and have sent no heartbeat yet. */
  readonly #silent = new Set<string>();
  #ids = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
  }

  createTrigger(stream: string, ordinal: number): TriggerRow {
    this.#ids += 1;
    const row: TriggerRow = { id: this.#ids, stream, ordinal, triggerer: undefined };
    this.#rows.set(row.id, row);
    this.#unowned.set(row.id, row);
    return row;
  }

  deleteTrigger(id: number): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    this.#rows.delete(id);
    this.#unowned.delete(id);
    this.#disown(row);
  }

  triggersOf(stream: string): readonly TriggerRow[] {
    return [...this.#rows.values()].filter((row) => row.stream === stream);
  }

  heartbeat(triggerer: string): void {
    this.#silent.delete(triggerer);
    this.#heartbeats.delete(triggerer);
    this.#heartbeats.set(triggerer, this.#world.now);
  }

  /**
   * Returns all rows that the triggerer owns, after it has claimed up to `limit` more: rows without
   * an owner, or whose owner's last heartbeat is more than `staleMs` ago. Takes as long as it has
   * rows to return, however many there are.
   */
  claim(
    triggerer: string,
    options: { readonly limit: number; readonly capacity: number; readonly staleMs: number },
  ): readonly TriggerRow[] {
    const owned = this.#owned.get(triggerer) ?? [];
    const room = Math.max(0, Math.min(options.limit, options.capacity - owned.length));
    const claimed = this.#free(triggerer, room, options.staleMs);
    if (claimed.length === 0) return owned;
    if (!this.#heartbeats.has(triggerer)) this.#silent.add(triggerer);
    for (const row of claimed) {
      this.#unowned.delete(row.id);
      this.#disown(row);
      row.triggerer = triggerer;
      this.#world.trace.emit(this.#name, { kind: "claimed", trigger: row.id, triggerer });
    }
    const all = [...owned, ...claimed];
    this.#owned.set(triggerer, all.toSorted(byId));
    return all;
  }

  #disown(row: TriggerRow): void {
    const { triggerer } = row;
    if (triggerer === undefined) return;
    const left = (this.#owned.get(triggerer) ?? []).filter((other) => other !== row);
    this.#owned.set(triggerer, left);
  }

  /** Returns up to `limit` rows that `triggerer` may claim, lowest ids first. */
  #free(triggerer: string, limit: number, staleMs: number): readonly TriggerRow[] {
    if (limit === 0) return [];
    const free: TriggerRow[] = [];
    for (const row of this.#unowned.values()) {
      if (free.length === limit) break;
      free.push(row);
    }
    const stale = [...this.#silent];
    for (const [owner, seenAt] of this.#heartbeats) {
      if (this.#world.now - seenAt <= staleMs) break;
      stale.push(owner);
    }
    for (const owner of stale) {
      if (owner !== triggerer) free.push(...(this.#owned.get(owner) ?? []));
    }
    return free.toSorted(byId).slice(0, limit);
  }

  /** First half of storing a trigger event: the asset event, in a session of its own (K11). */
  storeAssetEvent(_stored: StoredEvent): void {
    // No promise is about asset events without rows; the commit is a site where faults strike.
  }

  /** Second half: the rows that the asset event queues. From now on the event counts as stored. */
  queueRuns({ event, trigger, ref }: StoredEvent): void {
    this.#world.trace.emit(this.#name, { kind: "persisted", event, trigger, ref });
  }
}

function byId(one: TriggerRow, other: TriggerRow): number {
  return one.id - other.id;
}
