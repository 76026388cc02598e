import { expect, test } from "vitest";
import { EventPage } from "../../src/shared-stream/ledger/event-page.ts";
import { SeqIndex } from "../../src/shared-stream/ledger/seq-index.ts";

function openPages(count: number): { readonly index: SeqIndex; readonly pages: EventPage[] } {
  const index = new SeqIndex();
  const pages = Array.from(
    { length: count },
    () => new EventPage(0, { decrementPending: () => undefined }),
  );
  for (const page of pages) index.addPage(page);
  return { index, pages };
}

test("the slot of a page that is removed goes to the next page, and to one only", () => {
  const { index, pages } = openPages(3);
  const [first, second] = pages as [EventPage, EventPage];
  const slots = pages.map(({ firstSlot }) => firstSlot);
  index.removePage(first);
  index.removePage(first);
  const [next, later] = openPages(2).pages as [EventPage, EventPage];
  index.addPage(next);
  index.addPage(later);
  expect(next.firstSlot).toBe(slots[0]);
  // The page that is gone has no claim to the slot any more.
  index.removePage(first);
  const last = openPages(1).pages[0] as EventPage;
  index.addPage(last);
  const taken = [second, pages[2] as EventPage, next, later, last];
  expect(new Set(taken.map(({ firstSlot }) => firstSlot)).size).toBe(5);
});
