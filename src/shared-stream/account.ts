import { BoundSeqs } from "./bound-seqs.ts";
import { type EventPage, PAGE_MASK } from "./event-page.ts";

/** No window is open: it waits for an event, or has not come for it. */
const CLOSED = 0;
/** It sits on an event that it has resolved already, by a reject or by failing. */
const SETTLED = 1;
/** It sits on an event that it has not resolved. */
const OPEN = 2;
/** As before, and something was bound to the event, confirmed or not. */
const BOUND = 3;

/** A local: an imported constant is looked up at each use. */
const MASK = PAGE_MASK;

/** One subscription in the books: what it has not pulled, and what it still has to resolve. */
export class Account {
  /** Where the event lies that it sits on, or sat on last; undefined before its first one. */
  page: EventPage | undefined;
  /** The event that it pulls next, once it has a page. */
  nextId = 0;
  /** What was bound to its events, oldest first, as far as somebody may wait for it. */
  readonly seqs: BoundSeqs = new BoundSeqs();
  /** The first number that was bound in the open window, if any was. */
  firstSeqInWindow = 0;
  hasLeft = false;
  hasFailed = false;
  #window = CLOSED;

  /** Whether it sits on an event. */
  get isOpen(): boolean {
    return this.#window !== CLOSED;
  }

  /** Whether it sits on an event that it has not resolved. */
  get canBind(): boolean {
    return this.#window >= OPEN;
  }

  /** Whether it sits on such an event, and something was bound to that. */
  get hasBound(): boolean {
    return this.#window === BOUND;
  }

  /** The place in its page of the event that it sits on. */
  get openAt(): number {
    return (this.nextId - 1) & MASK;
  }

  /** The first event that it has not passed, be it pulled or not. */
  get firstAhead(): number {
    return this.canBind ? this.nextId - 1 : this.nextId;
  }

  /** It is there from this event on. */
  join(page: EventPage, id: number): void {
    this.page = page;
    this.nextId = id;
  }

  /** Opens the window of the event that it pulls next, which must be there. */
  open(): void {
    const id = this.nextId;
    const page = this.page as EventPage;
    if ((id & MASK) === 0 && page.firstId !== id) this.page = page.next;
    this.nextId = id + 1;
    this.#window = OPEN;
  }

  /** Closes the window; answers whether its event was not resolved. */
  close(): boolean {
    const wasOpen = this.canBind;
    this.#window = CLOSED;
    return wasOpen;
  }

  /** The event that it sits on is resolved, if it sits on one. */
  noteResolved(): void {
    if (this.#window !== CLOSED) this.#window = SETTLED;
  }

  /** It gets no more events, and holds on to none: each page knows all that follow. */
  endQueue(): void {
    this.page = undefined;
  }

  /** The number was bound to the event that it sits on. */
  noteBound(seq: number): void {
    if (this.#window !== OPEN) return;
    this.#window = BOUND;
    this.firstSeqInWindow = seq;
  }
}
