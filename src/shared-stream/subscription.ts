import { Account } from "./account.ts";
import { Fifo } from "./fifo.ts";
import type { Ledger } from "./ledger.ts";
import {
  type AmbientWindow,
  ANY_WINDOW,
  enterVisit,
  leaveVisit,
  marksMade,
  type RejectTarget,
} from "./reject.ts";
import type { EventWindow, SharedStream } from "./shared-stream.ts";

interface Waiter<Raw> {
  readonly resolve: (result: IteratorResult<Raw>) => void;
  readonly reject: (error: unknown) => void;
  readonly window: AmbientWindow | undefined;
}

type Visitor<Raw> = (raw: Raw, window: EventWindow) => void;

/** What a visit comes to. */
interface VisitEnd {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What a subscription asks of its group. */
export interface SubscriptionOwner {
  /** The subscriber refuses the event that it sits on. */
  rejectWindow(account: Account, triggerId: number): void;
  /** Gates the event that the subscriber sits on; null when there is nothing to gate. */
  bind(account: Account): number | null;
  warnOutsideWindow(triggerId: number): void;
  /** A subscriber began to visit its stream, or ended it. */
  visitChanged(): void;
  /** Lets the ambient reject find the window that the pull of this moment will open. */
  enterWindow(target: RejectTarget): AmbientWindow | undefined;
  /** Lets the ambient reject find `window`; answers whether the current task had it already. */
  stayInWindow(window: AmbientWindow): boolean;
  /** Whether one of the group's filters has used the ambient reject. */
  isAmbientRejectUsed: boolean;
}

/** `open`: takes part. `failed`: a failure is owed or was given. `left`: unsubscribed. */
type State =
  | { readonly kind: "open" }
  | { readonly kind: "failed"; readonly error: unknown; readonly isGiven: boolean }
  | { readonly kind: "left" };

const OPEN: State = Object.freeze({ kind: "open" });
const LEFT: State = Object.freeze({ kind: "left" });

/**
 * So many pulls in a row get an async context each. When no filter of the group has used the
 * ambient reject by then, the stream gets one context for good, and a new one for each pull again
 * once somebody does.
 *
 * What that saves is a third of the time of an event. What it costs: when the first ambient reject
 * of a group comes this late, and out of a task that has outlived its window, it is taken for one
 * in the open window.
 */
const PULLS_WITH_OWN_CONTEXT = 64;

/**
 * When a pull finds its task marked, so many that follow are taken to come out of the same one, as
 * those of a filter do, unless some task was marked anew in between.
 *
 * What it costs: a stream that passes from the task which always pulled it to one that pulled
 * another stream before is noticed this late; a first ambient reject until then is about the other.
 */
const PULLS_WITHOUT_LOOK = 64;

/**
 * One subscriber's queue and the iterator on it.
 *
 * Holds:
 * - asking for the next item closes the open window first, then waits;
 * - a failure takes the place of all that was queued, and is thrown once; then the stream is done;
 * - `return()` ends the iterator at once and closes no window;
 * - concurrent pulls are answered in order.
 */
export class Subscription<Raw> implements SharedStream<Raw>, RejectTarget {
  readonly triggerId: number;
  readonly account: Account = new Account();
  readonly #owner: SubscriptionOwner;
  readonly #ledger: Ledger<unknown> | undefined;
  readonly #queueMax: number;
  /** What is queued on the fast path; in ack mode the books know. */
  readonly #raws = new Fifo<Raw>();
  /** The pull that waits, part by part: an object for each would be made for each event. */
  #resolve: Waiter<Raw>["resolve"] | undefined;
  #reject: Waiter<Raw>["reject"] | undefined;
  #pullWindow: AmbientWindow | undefined;
  /** Pulls that wait behind the first one; rare. */
  readonly #laterWaiters: Waiter<Raw>[] = [];
  #visitor: Visitor<Raw> | undefined;
  #visitEnd: VisitEnd | undefined;
  /** What a visitor is given with each event. */
  readonly #window: EventWindow = {
    reject: () => this.#rejectIfOpen(ANY_WINDOW),
    bind: () => this.#owner.bind(this.account),
  };
  /** How many more pulls are not looked at, as long as so many marks were made. */
  #unseenPulls = 0;
  #marksSeen = 0;
  /** How many more pulls get a context of their own, used or not. */
  #ownContexts = PULLS_WITH_OWN_CONTEXT;
  readonly #anyWindow: AmbientWindow;
  #state: State = OPEN;
  /** `return()` was called: nobody pulls any more, but the subscriber still owes what it owes. */
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
    this.#anyWindow = { target: this, number: ANY_WINDOW };
  }

  /** Whether `serve` has somebody to serve. */
  get isVisited(): boolean {
    return this.#visitor !== undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Raw>> {
    this.#closeWindow();
    if (this.#state !== OPEN || this.#isReturned || this.#visitor !== undefined) {
      return this.#nextOfEnded();
    }
    const window = this.#enterWindow();
    if (this.#queued() > 0) return Promise.resolve({ done: false, value: this.#take(window) });
    return new Promise((resolve, reject) => {
      if (this.#resolve !== undefined) {
        this.#laterWaiters.push({ resolve, reject, window });
        return;
      }
      this.#resolve = resolve;
      this.#reject = reject;
      this.#pullWindow = window;
    });
  }

  return(): Promise<IteratorResult<Raw>> {
    this.#isReturned = true;
    this.#endWaiters();
    return Promise.resolve(endOf<Raw>());
  }

  visit(visitor: Visitor<Raw>): Promise<void> {
    if (this.#visitor !== undefined || this.#resolve !== undefined) {
      throw new TypeError("Cannot visit a shared stream: it is pulled or visited already");
    }
    if (this.#state !== OPEN || this.#isReturned) return this.#nextOfEnded().then(() => undefined);
    return new Promise((resolve, reject) => {
      this.#visitor = visitor;
      this.#visitEnd = { resolve, reject };
      this.#owner.visitChanged();
      // What is queued already waits for a turn: nothing is visited before this returns.
      void Promise.resolve().then(() => {
        enterVisit(this);
        this.#visitAll();
        leaveVisit();
      });
    });
  }

  /** As `deliver`, for a subscriber that visits: it sees the event before this returns. */
  serve(raw: Raw): boolean {
    if (this.#state !== OPEN) return true;
    if (this.#ledger === undefined) this.#raws.push(raw);
    const ledger = this.#ledger;
    const visitor = this.#visitor;
    // As a rule this one is all there is, and nothing is open.
    if (visitor !== undefined && ledger?.isNewestNext(this.account) === true) {
      this.#visitOne(ledger, visitor, raw);
    } else if (!this.#isWithinBound()) return false;
    else this.#visitAll();
    return true;
  }

  reject(): void {
    this.#rejectIfOpen(ANY_WINDOW);
  }

  rejectIfOpen(window: number | undefined): void {
    this.#owner.isAmbientRejectUsed = true;
    this.#rejectIfOpen(window);
  }

  /** Hands an event to the subscriber; false when its queue was full. The fast path queues here. */
  deliver(raw: Raw): boolean {
    if (this.#state !== OPEN) return true;
    if (this.#ledger === undefined) this.#raws.push(raw);
    const resolve = this.#resolve;
    if (resolve === undefined) return this.#isWithinBound();
    // Of two pulls that waited at once the second one leaves the first one's event.
    this.#closeWindow();
    const value = this.#take(this.#pullWindow);
    this.#nextWaiter();
    resolve({ done: false, value });
    return true;
  }

  /**
   * Throws `error` into the subscriber, in place of all that was queued and of an unread failure.
   */
  fail(error: unknown): void {
    if (this.#state.kind === "left") return;
    if (this.#state.kind === "failed" && this.#state.isGiven) return;
    this.#raws.clear();
    const reject = this.#resolve === undefined ? this.#visitEnd?.reject : this.#reject;
    this.#nextWaiter();
    this.#state = { kind: "failed", error, isGiven: reject !== undefined };
    reject?.(error);
    this.#endWaiters();
  }

  /** The subscriber is gone: its stream ends, for pulls that wait and those to come. */
  leave(): void {
    this.#state = LEFT;
    this.#raws.clear();
    this.#endWaiters();
  }

  /** Hands what is queued to the visitor, event by event. */
  #visitAll(): void {
    // It may sit on one that it pulled.
    this.#closeWindow();
    for (let left = this.#queued(); left > 0 && this.#visitor !== undefined; left -= 1) {
      if (this.#show(this.#visitor, this.#take(undefined))) this.#closeWindow();
    }
  }

  /** Hands it the event that came just now, and is all there is. */
  #visitOne(ledger: Ledger<unknown>, visitor: Visitor<Raw>, raw: Raw): void {
    this.account.open();
    if (this.#show(visitor, raw)) ledger.close(this.account);
  }

  /** Answers false when the visitor threw: that ends its visit, and the window stays open. */
  #show(visitor: Visitor<Raw>, raw: Raw): boolean {
    try {
      visitor(raw, this.#window);
      return true;
    } catch (error) {
      this.#visitEnd?.reject(error);
      this.#endVisit();
      return false;
    }
  }

  #isWithinBound(): boolean {
    return this.#queueMax === 0 || this.#queued() <= this.#queueMax;
  }

  #queued(): number {
    const ledger = this.#ledger;
    return ledger === undefined ? this.#raws.length : ledger.queuedFor(this.account);
  }

  /** Takes the next event off the queue, which is not empty, and opens its window. */
  #take(window: AmbientWindow | undefined): Raw {
    if (this.#ledger === undefined) return this.#raws.shift() as Raw;
    const raw = this.#ledger.pull(this.account) as Raw;
    if (window !== undefined) window.number = this.account.nextId;
    return raw;
  }

  #closeWindow(): void {
    this.#ledger?.close(this.account);
  }

  #enterWindow(): AmbientWindow | undefined {
    const owner = this.#owner;
    if (this.#ownContexts > 0 || owner.isAmbientRejectUsed) {
      this.#ownContexts -= 1;
      return owner.enterWindow(this);
    }
    if (this.#unseenPulls > 0 && this.#marksSeen === marksMade()) this.#unseenPulls -= 1;
    else {
      this.#unseenPulls = owner.stayInWindow(this.#anyWindow) ? PULLS_WITHOUT_LOOK : 0;
      this.#marksSeen = marksMade();
    }
    return undefined;
  }

  #rejectIfOpen(window: number | undefined): void {
    const isThisOne = window === ANY_WINDOW || window === this.account.nextId;
    if (!this.account.isOpen || !isThisOne) this.#owner.warnOutsideWindow(this.triggerId);
    else this.#owner.rejectWindow(this.account, this.triggerId);
  }

  #nextOfEnded(): Promise<IteratorResult<Raw>> {
    const state = this.#state;
    if (this.#visitor !== undefined) {
      return Promise.reject(new TypeError("Cannot pull a shared stream that is visited"));
    }
    if (state.kind !== "failed" || state.isGiven || this.#isReturned) {
      return Promise.resolve(endOf<Raw>());
    }
    this.#state = { ...state, isGiven: true };
    return Promise.reject(state.error);
  }

  /** The pull that waited has its answer: the one behind it waits now, if there is one. */
  #nextWaiter(): void {
    const later = this.#laterWaiters.length > 0 ? this.#laterWaiters.shift() : undefined;
    this.#resolve = later?.resolve;
    this.#reject = later?.reject;
    this.#pullWindow = later?.window;
  }

  #endWaiters(): void {
    this.#visitEnd?.resolve();
    this.#endVisit();
    for (; this.#resolve !== undefined; this.#nextWaiter()) this.#resolve(endOf<Raw>());
  }

  #endVisit(): void {
    if (this.#visitor === undefined) return;
    this.#visitor = undefined;
    this.#visitEnd = undefined;
    this.#owner.visitChanged();
  }
}

function endOf<Raw>(): IteratorResult<Raw> {
  return { done: true, value: undefined };
}
