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
  readonly #heartbeats = new Map<string, number>();
  #ids = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
  }

  createTrigger(stream: string, ordinal: number): TriggerRow {
    this.#ids += 1;
    const row: TriggerRow = { id: this.#ids, stream, ordinal, triggerer: undefined };
    this.#rows.set(row.id, row);
    return row;
  }

  deleteTrigger(id: number): void {
    this.#rows.delete(id);
  }

  triggersOf(stream: string): readonly TriggerRow[] {
    return [...this.#rows.values()].filter((row) => row.stream === stream);
  }

  heartbeat(triggerer: string): void {
    this.#heartbeats.set(triggerer, this.#world.now);
  }

  /**
   * Returns all rows that the triggerer owns, after it has claimed up to `limit` more: rows without
   * an owner, or whose owner's last heartbeat is more than `staleMs` ago.
   */
  claim(
    triggerer: string,
    options: { readonly limit: number; readonly capacity: number; readonly staleMs: number },
  ): readonly TriggerRow[] {
    const owned: TriggerRow[] = [];
    const free: TriggerRow[] = [];
    for (const row of this.#rows.values()) {
      if (row.triggerer === triggerer) owned.push(row);
      else if (this.#isFree(row, options.staleMs)) free.push(row);
    }
    const room = Math.max(0, Math.min(options.limit, options.capacity - owned.length));
    for (const row of free.slice(0, room)) {
      row.triggerer = triggerer;
      owned.push(row);
      this.#world.trace.emit(this.#name, { kind: "claimed", trigger: row.id, triggerer });
    }
    return owned;
  }

  /** First half of storing a trigger event: the asset event, in a session of its own (K11). */
  storeAssetEvent(_stored: StoredEvent): void {
    // No promise is about asset events without rows; the commit is a site where faults strike.
  }

  /** Second half: the rows that the asset event queues. From now on the event counts as stored. */
  queueRuns({ event, trigger, ref }: StoredEvent): void {
    this.#world.trace.emit(this.#name, { kind: "persisted", event, trigger, ref });
  }

  #isFree(row: TriggerRow, staleMs: number): boolean {
    if (row.triggerer === undefined) return true;
    const seenAt = this.#heartbeats.get(row.triggerer) ?? Number.NEGATIVE_INFINITY;
    return this.#world.now - seenAt > staleMs;
  }
}
