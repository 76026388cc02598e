import type { EventPage, LaneQueue } from "./event-page.ts";
import { Fifo } from "./fifo.ts";
import type { LaneKey } from "./key.ts";

/** So many empty lanes are kept, and as many more as there are live ones. */
const EMPTY_MAX = 16;

/**
 * The lanes of a group, each a chain of the events that are not advanced yet, and those whose
 * head is resolved.
 *
 * Holds: a lane is ready once for each head, and ready lanes are served in the order in which they
 * became so.
 *
 * Why empty ones are kept: a lane that comes and goes with each event would cost two changes of a
 * map that may be large. They are let go of when they outnumber the live ones, or nothing is left.
 */
export class Lanes {
  readonly #known = new Map<LaneKey, LaneQueue>();
  readonly #ready = new Fifo<LaneQueue>();
  #live = 0;

  /** How many have an event. */
  get live(): number {
    return this.#live;
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Puts an event at the end of its lane. */
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

  /** Answers whether a resolved event makes its lane ready: the head does. */
  noteResolved(page: EventPage, at: number): boolean {
    const queue = page.lanes[at] as LaneQueue;
    if (queue.headAt !== at || queue.headPage !== page) return false;
    this.#ready.push(queue);
    return true;
  }

  /** The lane that is served next; undefined when none is ready. */
  nextReady(): LaneQueue | undefined {
    return this.#ready.shift();
  }

  /** The last event of a lane was taken. */
  release(queue: LaneQueue): void {
    queue.headPage = undefined;
    queue.tailPage = undefined;
    this.#live -= 1;
    if (this.#live === 0) this.#sweep();
  }

  #open(key: LaneKey): LaneQueue {
    this.#sweep();
    const queue = { key, headPage: undefined, headAt: 0, tailPage: undefined, tailAt: 0 };
    this.#known.set(key, queue);
    return queue;
  }

  #sweep(): void {
    if (this.#known.size - this.#live <= this.#live + EMPTY_MAX) return;
    if (this.#live === 0) this.#known.clear();
    else
      for (const { key, headPage } of this.#known.values()) {
        if (headPage === undefined) this.#known.delete(key);
      }
  }
}
