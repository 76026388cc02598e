import { BoundSeqs } from "./bound-seqs.ts";
import { type EventPage, PAGE_MASK } from "./event-page.ts";

/** No window is open. */
const CLOSED = 0;
/** The window is open on an event that this subscriber has rejected or failed already. */
const RESOLVED = 1;
/** The window is open on an event that this subscriber has not resolved. */
const OPEN = 2;
/** As OPEN, and at least one sequence number was bound in this window. */
const BOUND = 3;

/** A local copy, because V8 looks an imported constant up at each use. */
const MASK = PAGE_MASK;

/**
 * How far one subscription has read the events of its group, and what it still has to resolve.
 *
 * A pull opens the window of the next event, the open event; the next pull closes it. An event is
 * passed once its window is closed or it is rejected or failed.
 */
export class SubscriberCursor {
  /** The page of the newest pulled event; undefined before the first event, and after `detach`. */
  page: EventPage | undefined;
  /** The id of the event that the next pull opens; valid while there is a page. */
  nextId = 0;
  /** The sequence numbers that were bound to its events, oldest first. */
  readonly seqs: BoundSeqs = new BoundSeqs();
  /** The first sequence number that was bound in the open window; valid while `hasBound`. */
  firstSeqInWindow = 0;
  hasLeft = false;
  hasFailed = false;
  #window = CLOSED;
  /** The id of the first event that it has no part in, because it was abandoned before. */
  #endId = Number.POSITIVE_INFINITY;

  /** Whether a window is open. */
  get isOpen(): boolean {
    return this.#window !== CLOSED;
  }

  /** Whether there is an open event that this subscriber has not resolved. */
  get canBind(): boolean {
    return this.#window >= OPEN;
  }

  /** As `canBind`, and at least one sequence number was bound to the open event. */
  get hasBound(): boolean {
    return this.#window === BOUND;
  }

  /** The index of the open event in its page. */
  get openAt(): number {
    return (this.nextId - 1) & MASK;
  }

  /** The id of the first event that it has not passed: the open one, or the next. */
  get firstUnpassed(): number {
    return this.canBind ? this.nextId - 1 : this.nextId;
  }

  /** Starts at the event `id`, which lies in `page`. */
  join(page: EventPage, id: number): void {
    this.page = page;
    this.nextId = id;
  }

  /** Opens the window of the next event, which must be there. */
  open(): void {
    const id = this.nextId;
    const page = this.page as EventPage;
    if ((id & MASK) === 0 && page.firstId !== id) this.page = page.next;
    this.nextId = id + 1;
    this.#window = OPEN;
  }

  /** Closes the window; returns whether there was an open event that was not resolved. */
  close(): boolean {
    const wasUnresolved = this.canBind;
    this.#window = CLOSED;
    return wasUnresolved;
  }

  /** Marks the open event, if there is one, as resolved by this subscriber. */
  markResolved(): void {
    if (this.#window !== CLOSED) this.#window = RESOLVED;
  }

  /** Returns the first id, up to `nextId`, of an event that it has no part in. */
  endIdUpTo(nextId: number): number {
    return Math.min(nextId, this.#endId);
  }

  /**
   * Closes the window and takes no part in the event `endId` and later ones. What is not resolved,
   * the open event included, it goes on owing.
   */
  abandon(endId: number): void {
    this.nextId = this.firstUnpassed;
    this.#endId = endId;
    this.#window = CLOSED;
  }

  /** Ends its part in the stream: no more events, and no reference to a page and its successors. */
  detach(): void {
    this.page = undefined;
  }

  /** Records that `seq` was bound to the open event. */
  markBound(seq: number): void {
    if (this.#window !== OPEN) return;
    this.#window = BOUND;
    this.firstSeqInWindow = seq;
  }
}
