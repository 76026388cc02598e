import { expect, test } from "vitest";
import { BoundSeqs } from "../../src/shared-stream/ledger/bound-seqs.ts";
import { EventPage } from "../../src/shared-stream/ledger/event-page.ts";
import { SeqIndex } from "../../src/shared-stream/ledger/seq-index.ts";

function openIndex(): { readonly index: SeqIndex; readonly bind: (seqs: BoundSeqs) => number } {
  const index = new SeqIndex();
  const page = new EventPage(0, { decrementPending: () => undefined });
  index.addPage(page);
  const bind = (seqs: BoundSeqs): number => {
    const seq = index.draw(page, 0);
    seqs.push(seq, index);
    return seq;
  };
  return { index, bind };
}

test("a number that is never confirmed does not keep those that come after it", () => {
  const { index, bind } = openIndex();
  const seqs = new BoundSeqs();
  const stuck = bind(seqs);
  for (let nth = 0; nth < 10_000; nth += 1) index.confirm([bind(seqs)]);
  expect(seqs.count).toBeLessThan(10);
  expect(seqs.oldest(index)).toBe(stuck);
});

test("numbers that are waited for stay, in order, whichever were confirmed before", () => {
  const { index, bind } = openIndex();
  const [seqs, others] = [new BoundSeqs(), new BoundSeqs()];
  const waited: number[] = [];
  for (let nth = 0; nth < 5_000; nth += 1) {
    bind(others);
    const seq = bind(seqs);
    if (nth % 3 === 0) waited.push(seq);
    else index.confirm([seq]);
  }
  const kept = Array.from({ length: seqs.count }, (_, nth) => seqs.at(nth));
  expect(kept.filter((seq) => index.isUnconfirmed(seq))).toEqual(waited);
  index.confirm(waited.slice(0, -1));
  expect(seqs.oldest(index)).toBe(waited.at(-1));
  index.confirm(waited);
  expect([seqs.oldest(index), seqs.count]).toEqual([undefined, 0]);
});
