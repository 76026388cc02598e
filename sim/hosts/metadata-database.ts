import type { World } from "../world.ts";

/** A trigger as the database knows it. */
export interface TriggerRow {
  readonly id: number;
  readonly stream: string;
  /** Which of its stream's triggers it is, from 1. */
  readonly ordinal: number;
  triggerer: string | undefined;
}

/**
 * Who writes the trigger event of a record: once for the asset event, once for the rows it queues.
 */
export interface StoredEvent {
  readonly event: number;
  readonly trigger: number;
  readonly ref: string;
}

/**
 * The metadata database: trigger rows with their owner, triggerer heartbeats, stored trigger
 * events.
 *
 * Holds: each method is one transaction at one instant, whole or not at all. What is stored
 * outlives every crash; a crashed database is only unreachable.
 */
export class MetadataDatabase {
  readonly #world: World;
  readonly #name: string;
  readonly #rows = new Map<number, TriggerRow>();
  readonly #heartbeats = new Map<string, number>();
  readonly #orphans = new Set<number>();
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
   * Gives the triggerer at most `limit` more rows that nobody owns, or whose owner was not heard of
   * for `staleMs`, and answers all that it owns.
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

  /** First half of storing a trigger event: the asset event, in a session of its own (spec K11). */
  storeAssetEvent({ event }: StoredEvent): void {
    this.#orphans.add(event);
  }

  /** Second half: the rows that the asset event queues. Only now the trigger event is stored. */
  queueRuns({ event, trigger, ref }: StoredEvent): void {
    this.#orphans.delete(event);
    this.#world.trace.emit(this.#name, { kind: "persisted", event, trigger, ref });
  }

  #isFree(row: TriggerRow, staleMs: number): boolean {
    if (row.triggerer === undefined) return true;
    const seenAt = this.#heartbeats.get(row.triggerer) ?? Number.NEGATIVE_INFINITY;
    return this.#world.now - seenAt > staleMs;
  }
}
