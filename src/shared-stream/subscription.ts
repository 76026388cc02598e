import { type Account, type Binding, createAccount, type Gate } from "./ledger.ts";
import type { AmbientWindow, RejectTarget } from "./reject.ts";
import type { SharedStream } from "./shared-stream.ts";

/** A raw event on its way to one subscriber; the binding is there in ack mode only. */
interface QueuedEvent<Raw> {
  readonly raw: Raw;
  readonly binding: Binding | undefined;
}

interface Waiter<Raw> {
  readonly resolve: (result: IteratorResult<Raw>) => void;
  readonly reject: (error: unknown) => void;
  readonly window: AmbientWindow | undefined;
}

/** What a subscription asks of its group. */
export interface SubscriptionOwner extends Gate {
  /** The subscriber moved past the event. */
  closeWindow(binding: Binding): void;
  /** The subscriber refuses the event; false when there is nothing to refuse. */
  rejectWindow(binding: Binding, triggerId: number): void;
  warnOutsideWindow(triggerId: number): void;
  /** Lets the ambient reject find the window that the pull of this moment will open. */
  enterWindow(subscription: RejectTarget): AmbientWindow | undefined;
}

/** `open`: takes part. `failed`: a failure is owed or was given. `left`: unsubscribed. */
type State =
  | { readonly kind: "open" }
  | { readonly kind: "failed"; readonly error: unknown; readonly isGiven: boolean }
  | { readonly kind: "left" };

const OPEN: State = Object.freeze({ kind: "open" });
const LEFT: State = Object.freeze({ kind: "left" });

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
  readonly account: Account;
  readonly #owner: SubscriptionOwner;
  readonly #queueMax: number;
  #queue: QueuedEvent<Raw>[] = [];
  #queueHead = 0;
  readonly #waiters: Waiter<Raw>[] = [];
  #open: Binding | undefined;
  #state: State = OPEN;
  /** `return()` was called: nobody pulls any more, but the subscriber still owes what it owes. */
  #isReturned = false;

  constructor(triggerId: number, queueMax: number, owner: SubscriptionOwner) {
    this.triggerId = triggerId;
    this.#queueMax = queueMax;
    this.#owner = owner;
    this.account = createAccount(owner);
  }

  /** The binding of the event that the subscriber sits on. */
  get open(): Binding | undefined {
    return this.#open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Raw>> {
    this.#closeWindow();
    if (this.#isReturned) return Promise.resolve(endOf<Raw>());
    const state = this.#state;
    if (state.kind === "failed" && !state.isGiven) {
      this.#state = { ...state, isGiven: true };
      return Promise.reject(state.error);
    }
    if (state.kind !== "open") return Promise.resolve(endOf<Raw>());
    const window = this.#owner.enterWindow(this);
    const item = this.#dequeue();
    if (item !== undefined) {
      return Promise.resolve({ done: false, value: this.#handOut(item, window) });
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject, window });
    });
  }

  return(): Promise<IteratorResult<Raw>> {
    this.#isReturned = true;
    this.#endWaiters();
    return Promise.resolve(endOf<Raw>());
  }

  reject(): void {
    this.rejectIfOpen(this.#open);
  }

  rejectIfOpen(binding: Binding | undefined): void {
    if (binding === undefined || binding !== this.#open) {
      this.#owner.warnOutsideWindow(this.triggerId);
    } else {
      this.#owner.rejectWindow(binding, this.triggerId);
    }
  }

  /** Hands an event to the subscriber, or queues it; false when the queue is full. */
  deliver(raw: Raw, binding: Binding | undefined): boolean {
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.resolve({ done: false, value: this.#handOut({ raw, binding }, waiter.window) });
      return true;
    }
    const length = this.#queue.length - this.#queueHead;
    if (this.#queueMax > 0 && length >= this.#queueMax) return false;
    if (this.#state.kind === "open") this.#queue.push({ raw, binding });
    return true;
  }

  /**
   * Throws `error` into the subscriber, in place of all that was queued and of an unread failure.
   */
  fail(error: unknown): void {
    if (this.#state.kind === "left") return;
    if (this.#state.kind === "failed" && this.#state.isGiven) return;
    this.#dropQueue();
    const waiter = this.#waiters.shift();
    this.#state = { kind: "failed", error, isGiven: waiter !== undefined };
    waiter?.reject(error);
    this.#endWaiters();
  }

  /** The subscriber is gone: its stream ends, for pulls that wait and those to come. */
  leave(): Binding | undefined {
    const open = this.#open;
    this.#open = undefined;
    this.#end();
    return open;
  }

  #handOut({ raw, binding }: QueuedEvent<Raw>, window: AmbientWindow | undefined): Raw {
    // Of two pulls that waited at once the second one leaves the first one's event.
    this.#closeWindow();
    this.#open = binding;
    if (window !== undefined) window.binding = binding;
    return raw;
  }

  #closeWindow(): void {
    const binding = this.#open;
    if (binding === undefined) return;
    this.#open = undefined;
    this.#owner.closeWindow(binding);
  }

  #dequeue(): QueuedEvent<Raw> | undefined {
    const item = this.#queue[this.#queueHead];
    if (item === undefined) return undefined;
    this.#queueHead += 1;
    if (this.#queueHead === this.#queue.length) this.#dropQueue();
    else if (this.#queueHead > QUEUE_TRIM_AT) {
      this.#queue.splice(0, this.#queueHead);
      this.#queueHead = 0;
    }
    return item;
  }

  #dropQueue(): void {
    this.#queue = [];
    this.#queueHead = 0;
  }

  #end(): void {
    this.#state = LEFT;
    this.#dropQueue();
    this.#endWaiters();
  }

  #endWaiters(): void {
    for (const { resolve } of this.#waiters.splice(0)) resolve(endOf<Raw>());
  }
}

/** How many taken items a queue keeps before it is moved to the front again. */
const QUEUE_TRIM_AT = 256;

function endOf<Raw>(): IteratorResult<Raw> {
  return { done: true, value: undefined };
}
