import type { Share } from "./event-page.ts";

const SEQS_PER_PAGE = 1_024;
/** Pages that are kept for later: what a burst of some thousand numbers needs. */
const SPARES_MAX = 16;
/** The answer when nobody waits for a number. */
export const NOBODY = -1;

interface SeqPage {
  readonly first: number;
  /** Whose event waits for the number; undefined where nobody waits any more. */
  readonly shares: (Share | undefined)[];
  /** Which event of the share's page. */
  readonly events: Uint8Array;
  waiting: number;
}

/**
 * Who waits for which sequence number: a flat table in pages, so that an entry costs 9 bytes and a
 * number that is never confirmed holds one page and not all that came after it.
 *
 * Holds: a page without a number that is waited for is let go of, and used again for later ones.
 */
export class SeqIndex {
  readonly #pages = new Map<number, SeqPage>();
  #next = 0;
  /** The page that was used last: numbers come and are confirmed in runs. */
  #recent: SeqPage | undefined;
  readonly #spares: SeqPage[] = [];

  get isEmpty(): boolean {
    return this.#pages.size === 0;
  }

  /** The next sequence number, from 0, which an event of the share waits for. */
  draw(share: Share, event: number): number {
    const seq = this.#next;
    this.#next += 1;
    const page = this.#pageOf(seq) ?? this.#openPage(seq);
    const at = seq - page.first;
    page.shares[at] = share;
    page.events[at] = event;
    page.waiting += 1;
    return seq;
  }

  /** The trigger event behind `seq` is persisted: whoever waits for it is told, once. */
  confirm(seq: number): void {
    const page = this.#pageOf(seq);
    if (page === undefined) return;
    const at = seq - page.first;
    const share = page.shares[at];
    if (share === undefined) return;
    const event = page.events[at] as number;
    this.#clear(page, at);
    share.gate.confirm(share, event);
  }

  /** Nobody waits for `seq` any more; answers which event of its share did, or NOBODY. */
  remove(seq: number): number {
    const page = this.#pageOf(seq);
    if (page === undefined) return NOBODY;
    const at = seq - page.first;
    if (page.shares[at] === undefined) return NOBODY;
    this.#clear(page, at);
    return page.events[at] as number;
  }

  /** Which event of its share waits for `seq`, or NOBODY. */
  eventOf(seq: number): number {
    const page = this.#pageOf(seq);
    const at = seq - (page?.first ?? 0);
    return page?.shares[at] === undefined ? NOBODY : (page.events[at] as number);
  }

  /** How many numbers `dropFailed` looks at. */
  get extent(): number {
    return this.#pages.size * SEQS_PER_PAGE;
  }

  /** Drops everything that failed subscriptions wait for: one pass over all that is waited for. */
  dropFailed(): void {
    for (const page of this.#pages.values()) {
      const { shares, events } = page;
      for (let at = 0; at < SEQS_PER_PAGE; at += 1) {
        const share = shares[at];
        if (share === undefined || !share.account.hasFailed) continue;
        this.#clear(page, at);
        share.gate.drop(share, events[at] as number);
      }
    }
  }

  #clear(page: SeqPage, at: number): void {
    page.shares[at] = undefined;
    page.waiting -= 1;
    if (page.waiting > 0) return;
    this.#pages.delete(page.first);
    if (this.#recent === page) this.#recent = undefined;
    if (this.#spares.length < SPARES_MAX) this.#spares.push(page);
  }

  #pageOf(seq: number): SeqPage | undefined {
    const recent = this.#recent;
    if (recent !== undefined && seq >= recent.first && seq < recent.first + SEQS_PER_PAGE) {
      return recent;
    }
    const page = this.#pages.get(firstOfPage(seq));
    if (page !== undefined) this.#recent = page;
    return page;
  }

  #openPage(seq: number): SeqPage {
    const { shares, events } = this.#spares.pop() ?? emptyPage();
    const page: SeqPage = { first: firstOfPage(seq), shares, events, waiting: 0 };
    this.#pages.set(page.first, page);
    this.#recent = page;
    return page;
  }
}

function emptyPage(): Pick<SeqPage, "shares" | "events"> {
  return {
    shares: Array<undefined>(SEQS_PER_PAGE).fill(undefined),
    events: new Uint8Array(SEQS_PER_PAGE),
  };
}

function firstOfPage(seq: number): number {
  return Math.floor(seq / SEQS_PER_PAGE) * SEQS_PER_PAGE;
}
