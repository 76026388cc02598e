import { type EventPage, PAGE_BITS, PAGE_MASK } from "./event-page.ts";

const SEQS_PER_PAGE = 1_024;
/** Pages that are kept for later: what a burst of some thousand numbers needs. */
const SPARES_MAX = 16;
/** The entry of a number that nobody waits for. */
export const NOBODY = -1;

/** Locals: an imported or exported constant is looked up at each use. */
const FREE = NOBODY;
const BITS = PAGE_BITS;
const MASK = PAGE_MASK;

const NONE = new Int32Array(0);

interface SeqPage {
  first: number;
  /** What waits for the number: an event's place in its page, and before it that page's place. */
  readonly waiters: Int32Array;
  /** How many of its numbers were drawn and are waited for no more. */
  settled: number;
}

/**
 * Which event waits for which sequence number: a flat table in pages, so that an entry costs 4
 * bytes and a number that is never confirmed holds one page and not all that came after it.
 *
 * Holds: a page is let go of when all its numbers are drawn and none is waited for, and used again
 * for later ones.
 */
export class SeqIndex {
  readonly #pages = new Map<number, SeqPage>();
  /** The page that is drawn from: its first number, its entries, and how many are drawn. */
  #first = -SEQS_PER_PAGE;
  #waiters: Int32Array = NONE;
  #drawn = SEQS_PER_PAGE;
  /** The page that was looked at last: numbers are confirmed in runs. */
  #recent: SeqPage | undefined;
  readonly #spares: SeqPage[] = [];
  /** The events that may wait for numbers, page by page, by place. */
  readonly #events: (EventPage | undefined)[] = [];
  readonly #freePlaces: number[] = [];

  /** How many numbers are waited for. */
  get waiting(): number {
    let waiting = 0;
    for (const { first, settled } of this.#pages.values()) {
      waiting += Math.min(this.#first + this.#drawn - first, SEQS_PER_PAGE) - settled;
    }
    return waiting;
  }

  /** All numbers before this one are waited for no more. */
  get oldest(): number {
    const [oldest = this.#first + this.#drawn] = this.#pages.keys();
    return oldest;
  }

  /** Events of the page may wait for numbers, until it leaves. */
  enter(page: EventPage): void {
    const place = this.#freePlaces.pop() ?? this.#events.length;
    this.#events[place] = page;
    page.firstWaiter = place << BITS;
  }

  /** No event of the page waits for a number, nor will. */
  leave(page: EventPage): void {
    const place = page.firstWaiter >> BITS;
    if (this.#events[place] !== page) return;
    this.#events[place] = undefined;
    this.#freePlaces.push(place);
  }

  /** The next sequence number, from 0, for which the event waits from now on. */
  draw(page: EventPage, at: number): number {
    if (this.#drawn === SEQS_PER_PAGE) this.#openPage();
    const nth = this.#drawn;
    this.#drawn = nth + 1;
    this.#waiters[nth] = page.firstWaiter + at;
    return this.#first + nth;
  }

  /** The trigger event behind `seq` is persisted: the event that waits for it is told, once. */
  confirm(seqs: Iterable<number>): void {
    for (const seq of seqs) {
      const waiter = typeof seq === "number" ? this.take(seq) : FREE;
      if (waiter === FREE) continue;
      const page = this.pageAt(waiter);
      page.gate.settle(page, waiter & MASK);
    }
  }

  /** The page of the event that waited for what was taken. */
  pageAt(waiter: number): EventPage {
    return this.#events[waiter >> BITS] as EventPage;
  }

  isWaitedFor(seq: number): boolean {
    return this.eventOf(seq) !== undefined;
  }

  /** The number of the event that waits for `seq`, if one does. */
  eventOf(seq: number): number | undefined {
    const page = this.#pageOf(seq);
    return page === undefined ? undefined : this.#eventId(page.waiters[seq - page.first] as number);
  }

  /**
   * Nobody waits for `seq` any more; answers which event did: its place in its page in the lowest
   * digits of it, and `pageAt` tells the page.
   */
  take(seq: number): number {
    const page = this.#pageOf(seq);
    if (page === undefined) return FREE;
    const at = seq - page.first;
    const waiter = page.waiters[at] ?? FREE;
    if (waiter === FREE) return FREE;
    page.waiters[at] = FREE;
    page.settled += 1;
    if (page.settled === SEQS_PER_PAGE) this.#close(page);
    return waiter;
  }

  #eventId(waiter: number): number | undefined {
    if (waiter === FREE) return undefined;
    return this.pageAt(waiter).firstId + (waiter & MASK);
  }

  #pageOf(seq: number): SeqPage | undefined {
    const recent = this.#recent;
    if (recent !== undefined && seq >= recent.first && seq < recent.first + SEQS_PER_PAGE) {
      return recent;
    }
    const page = this.#pages.get(Math.floor(seq / SEQS_PER_PAGE) * SEQS_PER_PAGE);
    if (page !== undefined) this.#recent = page;
    return page;
  }

  #openPage(): void {
    const page = this.#spares.pop() ?? emptyPage();
    this.#first += SEQS_PER_PAGE;
    page.first = this.#first;
    page.settled = 0;
    this.#pages.set(page.first, page);
    this.#waiters = page.waiters;
    this.#drawn = 0;
  }

  #close(page: SeqPage): void {
    this.#pages.delete(page.first);
    if (this.#recent === page) this.#recent = undefined;
    if (this.#spares.length < SPARES_MAX) this.#spares.push(page);
  }
}

function emptyPage(): SeqPage {
  return { first: 0, waiters: new Int32Array(SEQS_PER_PAGE).fill(FREE), settled: 0 };
}
