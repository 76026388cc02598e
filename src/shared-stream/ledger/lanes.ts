import { Fifo } from "../fifo.ts";
import type { LaneKey } from "../key.ts";
import type { EventPage, LaneQueue } from "./event-page.ts";

/** Keep up to this many empty lanes, plus one for each live lane, for reuse. */
const EMPTY_MAX = 16;

/**
 * The lanes of a group: for each, its events that are not advanced yet, and which lanes are ready,
 * that is, have a resolved head.
 *
 * Holds: a lane is queued as ready once for each head, and ready lanes are served in the order in
 * which they became ready.
 *
 * Why empty lanes are kept: a lane that appears and disappears with each event would cost two
 * updates of a map that may be large. They are dropped when they outnumber the live ones.
 */
export class Lanes {
  readonly #known = new Map<LaneKey, LaneQueue>();
  readonly #ready = new Fifo<LaneQueue>();
  #live = 0;

  /** How many lanes have events. */
  get live(): number {
    return this.#live;
  }

  /** How many lanes are kept in memory, empty ones included. */
  get kept(): number {
    return this.#known.size;
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Appends an event to its lane. */
  append(page: EventPage, at: number, key: LaneKey): void {
    const queue = this.#known.get(key) ?? this.#open(key);
    const { tailPage, tailAt } = queue;
    if (tailPage === undefined) {
      this.#live += 1;
      queue.headPage = page;
      queue.headAt = at;
    } else {
      tailPage.nextInLane[tailAt] = page.firstId + at - (tailPage.firstId + tailAt);
    }
    queue.tailPage = page;
    queue.tailAt = at;
    page.lanes[at] = queue;
  }

  /**
   * Queues the lane of a resolved event as ready if the event is its head; returns whether it is.
   */
  markResolved(page: EventPage, at: number): boolean {
    const queue = page.lanes[at] as LaneQueue;
    if (queue.headAt !== at || queue.headPage !== page) return false;
    this.#ready.push(queue);
    return true;
  }

  /** Takes the lane that has been ready for longest; undefined when none is ready. */
  takeReady(): LaneQueue | undefined {
    return this.#ready.shift();
  }

  /** Marks a lane as empty, after its last event was taken. */
  markEmpty(queue: LaneQueue): void {
    queue.headPage = undefined;
    queue.tailPage = undefined;
    this.#live -= 1;
    if (this.#live === 0) this.#dropEmpty();
  }

  #open(key: LaneKey): LaneQueue {
    this.#dropEmpty();
    const queue = { key, headPage: undefined, headAt: 0, tailPage: undefined, tailAt: 0 };
    this.#known.set(key, queue);
    return queue;
  }

  #dropEmpty(): void {
    if (this.#known.size - this.#live <= this.#live + EMPTY_MAX) return;
    for (const { key, headPage } of this.#known.values()) {
      if (headPage === undefined) this.#known.delete(key);
    }
  }
}
