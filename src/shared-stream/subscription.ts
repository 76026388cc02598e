import type { Logger } from "../time/mod.ts";
import {
  ANY_WINDOW,
  type AmbientWindow,
  beginVisit,
  endVisit,
  enterOpenWindow,
  enterWindow,
  type RejectTarget,
} from "./ambient.ts";
import { Fifo } from "./fifo.ts";
import { SubscriberCursor } from "./ledger/cursor.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { endOf, PendingPulls } from "./pull.ts";
import type { SharedStream } from "./shared-stream.ts";
import { Visit, type Visitor } from "./visit.ts";

/** What a subscription needs from its group. */
export interface SubscriptionOwner {
  readonly logger: Logger;
  /** Rejects the open event of the subscriber. */
  rejectOpenEvent(cursor: SubscriberCursor, triggerId: number): void;
  /** Binds a trigger event to the open event; null when there is nothing to bind to. */
  bind(cursor: SubscriberCursor): number | null;
  warnOutsideWindow(triggerId: number): void;
  /** Called when a subscriber begins or ends a visit. */
  visitorsChanged(): void;
}

/** `open`: takes part. `failed`: has a failure to throw, or threw it. `left`: unsubscribed. */
type State =
  | { readonly kind: "open" }
  | { readonly kind: "failed"; readonly error: unknown; readonly isThrown: boolean }
  | { readonly kind: "left" };

const OPEN: State = Object.freeze({ kind: "open" });
const LEFT: State = Object.freeze({ kind: "left" });

/**
 * One subscriber's stream: its queue, and the three ways in which a filter receives events, by
 * pulls (`pull.ts`), by a visit (`visit.ts`), and with the ambient reject (`ambient.ts`).
 *
 * Holds:
 * - a pull or a visit first closes the open window, then waits;
 * - a failure replaces everything that was queued, and is thrown once; then the stream is done;
 * - `return()` ends the iterator at once and closes no window;
 * - concurrent pulls are served in order.
 */
export class Subscription<Raw> implements SharedStream<Raw>, RejectTarget {
  readonly triggerId: number;
  readonly cursor: SubscriberCursor = new SubscriberCursor();
  readonly #owner: SubscriptionOwner;
  readonly #ledger: Ledger<unknown> | undefined;
  readonly #queueMax: number;
  /** The queue on the fast path; in ack mode the ledger has the queued events. */
  readonly #raws = new Fifo<Raw>();
  readonly #pulls = new PendingPulls<Raw>();
  /** The ambient window of the last event that was taken. */
  #window: AmbientWindow | undefined;
  #visit: Visit<Raw> | undefined;
  #state: State = OPEN;
  /** Whether `return()` was called: no event comes any more, but what is owed stays owed. */
  #isReturned = false;

  /** Without a ledger it is on the fast path. */
  constructor(
    triggerId: number,
    queueMax: number,
    owner: SubscriptionOwner,
    ledger: Ledger<unknown> | undefined,
  ) {
    this.triggerId = triggerId;
    this.#queueMax = queueMax;
    this.#owner = owner;
    this.#ledger = ledger;
  }

  /** Whether events are to be passed to `deliverToVisitor` and not to `deliver`. */
  get isVisited(): boolean {
    return this.#visit !== undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Raw>> {
    this.#closeWindow();
    if (this.#state !== OPEN || this.#isReturned || this.#visit !== undefined) {
      return this.#nextOfEnded();
    }
    const window = enterWindow(this, this.#owner.logger);
    if (this.#queued() > 0) return Promise.resolve({ done: false, value: this.#take(window) });
    return this.#pulls.add(window);
  }

  return(): Promise<IteratorResult<Raw>> {
    this.#isReturned = true;
    this.#end();
    return Promise.resolve(endOf<Raw>());
  }

  visit(visitor: Visitor<Raw>): Promise<void> {
    if (this.#visit !== undefined || !this.#pulls.isEmpty) {
      throw new TypeError("Cannot visit a shared stream: it is pulled or visited already");
    }
    this.#closeWindow();
    if (this.#state !== OPEN || this.#isReturned) return this.#nextOfEnded().then(() => undefined);
    const visit = new Visit(visitor, {
      reject: () => this.rejectIfOpen(ANY_WINDOW),
      bind: () => this.#owner.bind(this.cursor),
    });
    this.#visit = visit;
    this.#owner.visitorsChanged();
    // What is queued already is shown a turn later, so that nothing is visited before this returns.
    void Promise.resolve().then(() => {
      // A broadcast may have come first, and its visitor may have thrown.
      if (this.#visit !== visit) return;
      beginVisit(this);
      this.#showQueued();
      endVisit();
    });
    return visit.ended;
  }

  reject(): void {
    this.rejectIfOpen(ANY_WINDOW);
  }

  rejectIfOpen(window: number | undefined): void {
    const isThisOne = window === ANY_WINDOW || window === this.cursor.nextId;
    if (!this.cursor.isOpen || !isThisOne) this.#owner.warnOutsideWindow(this.triggerId);
    else this.#owner.rejectOpenEvent(this.cursor, this.triggerId);
  }

  /** Binds a trigger event to the open event; null when there is nothing to bind to. */
  bind(): number | null {
    if (this.cursor.isOpen) enterOpenWindow(this.#window);
    return this.#owner.bind(this.cursor);
  }

  /** Receives an event that was broadcast; returns false when the queue was full. */
  deliver(raw: Raw): boolean {
    if (this.#state !== OPEN) return true;
    if (this.#ledger === undefined) this.#raws.push(raw);
    const pulls = this.#pulls;
    if (pulls.isEmpty) return this.#isWithinBound();
    // When two pulls wait at once, the second one closes the window of the first.
    this.#closeWindow();
    pulls.fulfil(this.#take(pulls.window));
    return true;
  }

  /** As `deliver`, for a subscriber that visits: it is shown the event before this returns. */
  deliverToVisitor(raw: Raw): boolean {
    if (this.#state !== OPEN) return true;
    const ledger = this.#ledger;
    if (ledger === undefined) this.#raws.push(raw);
    const visit = this.#visit;
    // As a rule this event is all that is queued, and no window is open.
    if (visit !== undefined && ledger?.isNewestNext(this.cursor) === true) {
      this.cursor.open();
      if (visit.show(raw)) ledger.close(this.cursor);
      else this.#endVisit();
    } else if (!this.#isWithinBound()) return false;
    else this.#showQueued();
    return true;
  }

  /** Fails the stream, in place of everything queued and of a failure that was not thrown yet. */
  fail(error: unknown): void {
    if (this.#state.kind === "left") return;
    if (this.#state.kind === "failed" && this.#state.isThrown) return;
    this.#raws.clear();
    const isThrown = this.#pulls.fail(error) || this.#visit !== undefined;
    this.#visit?.fail(error);
    this.#state = { kind: "failed", error, isThrown };
    this.#end();
  }

  /** Ends the stream because the subscriber is gone, for pulls that wait and for later ones. */
  leave(): void {
    this.#state = LEFT;
    this.#raws.clear();
    this.#end();
  }

  /** Shows the visitor everything that is queued, event by event. */
  #showQueued(): void {
    for (let left = this.#queued(); left > 0 && this.#visit !== undefined; left -= 1) {
      // A visitor that throws keeps the window open, as a filter that throws does.
      if (this.#visit.show(this.#take(undefined))) this.#closeWindow();
      else this.#endVisit();
    }
  }

  #isWithinBound(): boolean {
    return this.#queueMax === 0 || this.#queued() <= this.#queueMax;
  }

  #queued(): number {
    const ledger = this.#ledger;
    return ledger === undefined ? this.#raws.length : ledger.queuedFor(this.cursor);
  }

  /** Takes the next event from the queue, which must not be empty, and opens its window. */
  #take(window: AmbientWindow | undefined): Raw {
    if (this.#ledger === undefined) return this.#raws.shift() as Raw;
    const raw = this.#ledger.pull(this.cursor) as Raw;
    if (window !== undefined) window.number = this.cursor.nextId;
    this.#window = window;
    return raw;
  }

  #closeWindow(): void {
    this.#ledger?.close(this.cursor);
  }

  #nextOfEnded(): Promise<IteratorResult<Raw>> {
    const state = this.#state;
    if (this.#visit !== undefined) {
      return Promise.reject(new TypeError("Cannot pull a shared stream that is visited"));
    }
    if (state.kind !== "failed" || state.isThrown || this.#isReturned) {
      return Promise.resolve(endOf<Raw>());
    }
    this.#state = { ...state, isThrown: true };
    return Promise.reject(state.error);
  }

  #end(): void {
    this.#visit?.end();
    this.#endVisit();
    this.#pulls.end();
  }

  #endVisit(): void {
    if (this.#visit === undefined) return;
    this.#visit = undefined;
    this.#owner.visitorsChanged();
  }
}
