import { SubscriberCursor } from "../../../src/shared-stream/ledger/cursor.ts";
import type { LaneKey } from "../../../src/shared-stream/key.ts";
import { Ledger } from "../../../src/shared-stream/ledger/ledger.ts";
import { SeqIndex } from "../../../src/shared-stream/ledger/seq-index.ts";
import type { Path } from "../../../sim/search/exhaustive/exhaustive.ts";
import { PlainBooks } from "./plain-books.ts";

export interface LedgerWorldSize {
  readonly subscribers: number;
  readonly events: number;
  readonly lanes: number;
}

/** Events are broadcast a millisecond apart, and time out so long after. */
const TIMEOUT_MS = 1_000;

type Act = () => void;

/**
 * A ledger of the shared stream beside plain books of the same: publish, pull, bind, confirm,
 * reject, close, harvest in every order, with faults at every place: a subscriber overflows or
 * leaves, a confirmation is lost, events time out.
 */
class LedgerWorld {
  readonly #size: LedgerWorldSize;
  readonly #seqs = new SeqIndex();
  readonly #ledger: Ledger<number>;
  readonly #books: PlainBooks;
  readonly #cursors: readonly SubscriberCursor[];
  /** What the ledger drew for a number of the plain books, which are the same in every order. */
  readonly #drawn = new Map<number, number>();
  #wrong: string | undefined;

  constructor(size: LedgerWorldSize, Books: typeof Ledger) {
    this.#size = size;
    this.#ledger = new Books<number>(TIMEOUT_MS, this.#seqs);
    this.#books = new PlainBooks(size.subscribers);
    this.#cursors = Array.from({ length: size.subscribers }, () => new SubscriberCursor());
  }

  /** What the ledger does otherwise than the plain books. */
  get wrong(): string | undefined {
    return this.#wrong;
  }

  text(): string {
    return this.#books.text();
  }

  acts(): readonly Act[] {
    const acts: Act[] = [];
    if (this.#books.published < this.#size.events) acts.push(() => this.#publish());
    for (let sub = 0; sub < this.#size.subscribers; sub += 1) acts.push(...this.#actsOf(sub));
    for (const seq of this.#books.underWay()) acts.push(() => this.#confirm(seq));
    if (this.#books.ready.length > 0) acts.push(() => this.#harvest());
    return acts;
  }

  faults(): readonly Act[] {
    const faults: Act[] = [];
    for (let sub = 0; sub < this.#size.subscribers; sub += 1) {
      if (this.#books.isGone(sub)) continue;
      faults.push(
        () => this.#overflow(sub),
        () => this.#leave(sub),
      );
    }
    for (const seq of this.#books.underWay()) faults.push(() => this.#books.lose(seq));
    for (const event of this.#books.pendingEvents()) faults.push(() => this.#timeOut(event));
    return faults;
  }

  /** Looks at the ledger from outside. */
  compare(): void {
    const { outstanding, lanes } = this.#ledger.counts();
    const seen = [outstanding, lanes, this.#seqs.unconfirmed, this.#ledger.hasReady].join();
    const books = this.#books;
    const due = [books.outstanding, books.lanes, books.gates, books.ready.length > 0].join();
    if (seen !== due) this.#wrong ??= `the ledger holds ${seen}, due is ${due}`;
    for (const [sub, cursor] of this.#cursors.entries()) {
      if (cursor.canBind === books.isOpen(sub)) continue;
      this.#wrong ??= `subscriber ${sub} ${books.isOpen(sub) ? "sits on an event" : "sits on none"}`;
    }
  }

  #actsOf(sub: number): readonly Act[] {
    const books = this.#books;
    if (books.hasFailed(sub)) return books.hasLeft(sub) ? [] : [() => this.#leave(sub)];
    if (books.hasLeft(sub)) return [];
    const acts: Act[] = [];
    if (!books.isWaiting(sub)) acts.push(() => this.#next(sub));
    if (!books.isOpen(sub)) return acts;
    acts.push(() => {
      this.#ledger.reject(this.#cursors[sub] as SubscriberCursor);
      books.settle(sub, "rejected");
    });
    if (!books.hasBound(sub)) acts.push(() => this.#bind(sub));
    return acts;
  }

  /** Asks for the next event: closes the window of the last, and opens the next when it is there. */
  #next(sub: number): void {
    const books = this.#books;
    const cursor = this.#cursors[sub] as SubscriberCursor;
    if (books.hasOpen(sub)) {
      this.#ledger.close(cursor);
      books.close(sub);
    }
    if (books.hasQueued(sub)) this.#pull(sub);
    else books.wait(sub);
  }

  #pull(sub: number): void {
    this.#ledger.pull(this.#cursors[sub] as SubscriberCursor);
    this.#books.pull(sub);
  }

  #publish(): void {
    const { published } = this.#books;
    const lane = published % this.#size.lanes;
    const members = this.#cursors.filter((_, sub) => !this.#books.isGone(sub));
    this.#ledger.fanOut(
      { raw: published, brokerPayload: published, lane: laneKey(lane) },
      members,
      published,
    );
    this.#books.publish(lane);
    for (let sub = 0; sub < this.#size.subscribers; sub += 1) {
      if (this.#books.isWaiting(sub) && !this.#books.hasFailed(sub)) this.#pull(sub);
    }
  }

  #bind(sub: number): void {
    const seq = this.#books.bind(sub);
    this.#drawn.set(seq, this.#ledger.bind(this.#cursors[sub] as SubscriberCursor));
  }

  #confirm(seq: number): void {
    this.#seqs.confirm([this.#drawn.get(seq) as number]);
    this.#books.confirm(seq);
  }

  #overflow(sub: number): void {
    this.#ledger.failAll(this.#cursors[sub] as SubscriberCursor);
    this.#books.failAll(sub);
  }

  #leave(sub: number): void {
    this.#ledger.leave(this.#cursors[sub] as SubscriberCursor);
    this.#books.leave(sub);
  }

  #timeOut(event: number): void {
    this.#ledger.failOverdue(event + TIMEOUT_MS);
    this.#books.timeOut(event);
  }

  #harvest(): void {
    const batch = this.#ledger.harvest();
    const due = this.#books.harvest();
    const seen = batch?.items.map(({ brokerPayload, outcome }) => {
      const { acked, failed, rejected } = outcome;
      return { event: brokerPayload, acked, failed, rejected };
    });
    const [one, other] = [JSON.stringify(seen), JSON.stringify(due)];
    if (one !== other) this.#wrong ??= `the ledger advances ${one}, due is ${other}`;
  }
}

/** Walks one run; answers where the ledger and the plain books part. */
export function ledgerWorld(
  path: Path,
  size: LedgerWorldSize,
  Books: typeof Ledger = Ledger,
): string | undefined {
  const world = new LedgerWorld(size, Books);
  while (!path.wasVisited(() => world.text())) {
    if (path.isNew) world.compare();
    if (world.wrong !== undefined) return world.wrong;
    const faults = world.faults();
    const fault = path.choose(1 + faults.length, "faults");
    if (fault > 0) {
      faults[fault - 1]?.();
      continue;
    }
    const acts = world.acts();
    if (acts.length === 0) return undefined;
    acts[path.choose(acts.length)]?.();
  }
  return undefined;
}

function laneKey(lane: number): LaneKey {
  return `lane ${lane}`;
}
