import { type EventPage, PAGE_BITS, PAGE_MASK } from "./event-page.ts";

const SEQS_PER_PAGE = 1_024;
/** Freed pages kept for reuse: enough for a burst of 16,384 sequence numbers. */
const SPARES_MAX = 16;
/** Stands for "no event": the number was never drawn, or nothing waits for it any more. */
export const NO_WAITER = -1;

/** Local copies, because V8 looks an imported or exported constant up at each use. */
const FREE = NO_WAITER;
const BITS = PAGE_BITS;
const MASK = PAGE_MASK;

const NO_SLOTS = new Int32Array(0);

interface SeqPage {
  /** The sequence number at index 0. */
  first: number;
  /** For each sequence number the event slot of the event that waits for it, or FREE. */
  readonly eventSlots: Int32Array;
  /** How many of its numbers were drawn and are confirmed or abandoned by now. */
  settled: number;
}

/**
 * Maps each unconfirmed sequence number of a manager to the event that waits for it.
 *
 * An event is named by its event slot: the slot of its page in this index, shifted left by
 * PAGE_BITS, plus its index in the page. The map is a flat table in pages, so that an entry costs 4
 * bytes, and a number that is never confirmed keeps one page alive and not all that came after it.
 *
 * Holds: a page is freed once all its numbers are drawn and none is waited for, and reused for
 * later numbers.
 */
export class SeqIndex {
  readonly #pages = new Map<number, SeqPage>();
  /** The page that numbers are drawn from: its first number, its slots, how many are drawn. */
  #first = -SEQS_PER_PAGE;
  #eventSlots: Int32Array = NO_SLOTS;
  #drawn = SEQS_PER_PAGE;
  /** The page that was used last: numbers are mostly confirmed in runs. */
  #recent: SeqPage | undefined;
  readonly #spares: SeqPage[] = [];
  /** The event pages by slot. */
  readonly #eventPages: (EventPage | undefined)[] = [];
  readonly #freeSlots: number[] = [];

  /** How many sequence numbers are drawn and not confirmed. */
  get unconfirmed(): number {
    let unconfirmed = 0;
    for (const { first, settled } of this.#pages.values()) {
      unconfirmed += Math.min(this.#first + this.#drawn - first, SEQS_PER_PAGE) - settled;
    }
    return unconfirmed;
  }

  /** A lower bound of the unconfirmed numbers: none before this one is waited for. */
  get oldest(): number {
    const [oldest = this.#first + this.#drawn] = this.#pages.keys();
    return oldest;
  }

  /** Gives a page of events a slot, so that they may wait for numbers. */
  addPage(page: EventPage): void {
    const slot = this.#freeSlots.pop() ?? this.#eventPages.length;
    this.#eventPages[slot] = page;
    page.firstSlot = slot << BITS;
  }

  /** Frees the slot of a page none of whose events waits for a number. */
  removePage(page: EventPage): void {
    const slot = page.firstSlot >> BITS;
    if (this.#eventPages[slot] !== page) return;
    this.#eventPages[slot] = undefined;
    this.#freeSlots.push(slot);
  }

  /** Draws the next sequence number, from 0; from now on the event waits for it. */
  draw(page: EventPage, at: number): number {
    if (this.#drawn === SEQS_PER_PAGE) this.#openPage();
    const nth = this.#drawn;
    this.#drawn = nth + 1;
    this.#eventSlots[nth] = page.firstSlot + at;
    return this.#first + nth;
  }

  /** Confirms `seqs`: notifies the page of each event that waits for one of them, once. */
  confirm(seqs: Iterable<number>): void {
    for (const seq of seqs) {
      const eventSlot = typeof seq === "number" ? this.take(seq) : FREE;
      if (eventSlot === FREE) continue;
      const page = this.pageAt(eventSlot);
      page.listener.decrementPending(page, eventSlot & MASK);
    }
  }

  /** Returns the page of an event slot that `take` returned. */
  pageAt(eventSlot: number): EventPage {
    return this.#eventPages[eventSlot >> BITS] as EventPage;
  }

  isUnconfirmed(seq: number): boolean {
    return this.eventIdOf(seq) !== undefined;
  }

  /** Returns the id of the event that waits for `seq`; undefined if none does. */
  eventIdOf(seq: number): number | undefined {
    const page = this.#pageOf(seq);
    if (page === undefined) return undefined;
    return this.#eventIdAt(page.eventSlots[seq - page.first] as number);
  }

  /** Removes `seq`; returns the slot of the event that waited for it, or NO_WAITER. */
  take(seq: number): number {
    const page = this.#pageOf(seq);
    if (page === undefined) return FREE;
    const at = seq - page.first;
    const eventSlot = page.eventSlots[at] ?? FREE;
    if (eventSlot === FREE) return FREE;
    page.eventSlots[at] = FREE;
    page.settled += 1;
    if (page.settled === SEQS_PER_PAGE) this.#freePage(page);
    return eventSlot;
  }

  #eventIdAt(eventSlot: number): number | undefined {
    if (eventSlot === FREE) return undefined;
    return this.pageAt(eventSlot).firstId + (eventSlot & MASK);
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
    this.#eventSlots = page.eventSlots;
    this.#drawn = 0;
  }

  #freePage(page: SeqPage): void {
    this.#pages.delete(page.first);
    if (this.#recent === page) this.#recent = undefined;
    if (this.#spares.length < SPARES_MAX) this.#spares.push(page);
  }
}

function emptyPage(): SeqPage {
  return { first: 0, eventSlots: new Int32Array(SEQS_PER_PAGE).fill(FREE), settled: 0 };
}
