import type { Share } from "./event-page.ts";

const SEQS_PER_PAGE = 1_024;

interface SeqPage {
  readonly number: number;
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
  /** The page that was used last: numbers come and are confirmed in runs. */
  #recent: SeqPage | undefined;
  #spare: SeqPage | undefined;

  get isEmpty(): boolean {
    return this.#pages.size === 0;
  }

  add(seq: number, share: Share, event: number): void {
    const page = this.#pageOf(seq) ?? this.#openPage(Math.floor(seq / SEQS_PER_PAGE));
    const at = seq % SEQS_PER_PAGE;
    page.shares[at] = share;
    page.events[at] = event;
    page.waiting += 1;
  }

  /** The trigger event behind `seq` is persisted: whoever waits for it is told. */
  confirm(seq: number): void {
    const page = this.#pageOf(seq);
    if (page === undefined) return;
    const at = seq % SEQS_PER_PAGE;
    const share = page.shares[at];
    if (share === undefined) return;
    share.account.gate.confirm(share, page.events[at] as number, seq);
  }

  /** Nobody waits for `seq` any more. */
  remove(seq: number): void {
    const page = this.#pageOf(seq);
    const at = seq % SEQS_PER_PAGE;
    if (page?.shares[at] === undefined) return;
    page.shares[at] = undefined;
    page.waiting -= 1;
    if (page.waiting === 0) this.#closePage(page);
  }

  #pageOf(seq: number): SeqPage | undefined {
    const number = Math.floor(seq / SEQS_PER_PAGE);
    if (this.#recent?.number === number) return this.#recent;
    const page = this.#pages.get(number);
    if (page !== undefined) this.#recent = page;
    return page;
  }

  #openPage(number: number): SeqPage {
    const spare = this.#spare;
    this.#spare = undefined;
    const page: SeqPage = {
      number,
      shares: spare?.shares ?? [],
      events: spare?.events ?? new Uint8Array(SEQS_PER_PAGE),
      waiting: 0,
    };
    this.#pages.set(number, page);
    this.#recent = page;
    return page;
  }

  #closePage(page: SeqPage): void {
    this.#pages.delete(page.number);
    if (this.#recent === page) this.#recent = undefined;
    this.#spare = page;
  }
}
