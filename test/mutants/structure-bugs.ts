import type { Mutant } from "./mutant.ts";

/**
 * Bugs of the structures that make the books fast: cursors, pages, chains, queues and the index of
 * sequence numbers. Most of them strike where a page ends, which needs many events.
 */
export const STRUCTURE_BUGS: readonly Mutant[] = [
  {
    bug: "S-01",
    what: "a cursor leaves its page one event early",
    edits: [["account.ts", "(id & MASK) === 0 && page.firstId !== id", "(id & MASK) === MASK"]],
  },
  {
    bug: "S-02",
    what: "a cursor on a new page begins one event late",
    edits: [
      [
        "account.ts",
        "    this.nextId = id;\n",
        "    this.nextId = (id & MASK) === 0 ? id + 1 : id;\n",
      ],
    ],
  },
  {
    bug: "S-03",
    what: "who left and times out fails what was broadcast later, too",
    edits: [
      [
        "ledger.ts",
        "    if (!account.hasLeft) this.#failAhead(account);\n",
        "    this.#failAhead(account);\n",
      ],
      [
        "ledger.ts",
        "    account.hasLeft = true;\n    account.endQueue();\n",
        "    account.hasLeft = true;\n",
      ],
    ],
  },
  {
    bug: "S-04",
    what: "who fails owes again the event that it sits on and has settled",
    edits: [["account.ts", "this.canBind ? this.nextId - 1", "this.isOpen ? this.nextId - 1"]],
  },
  {
    bug: "S-05",
    what: "growing by a page loses the next event of each lane",
    edits: [
      [
        "lanes.ts",
        "tailPage.nextInLane[tailAt] = page.firstId + at - (tailPage.firstId + tailAt);",
        "if (tailPage === page) tailPage.nextInLane[tailAt] = at - tailAt;",
      ],
    ],
  },
  {
    bug: "S-06",
    what: "growing by a page loses an event",
    edits: [
      ["ledger.ts", "this.#newest.size === PAGE_SIZE ?", "this.#newest.size === PAGE_SIZE - 1 ?"],
    ],
  },
  {
    bug: "S-07",
    what: "a page is let go of one event early",
    edits: [
      ["ledger.ts", "if (page.advanced === PAGE_SIZE)", "if (page.advanced === PAGE_SIZE - 1)"],
    ],
  },
  {
    bug: "S-08",
    what: "a ready lane is queued twice",
    edits: [
      ["lanes.ts", "    this.#ready.push(queue);", "    this.#ready.push(queue, queue);"],
      [
        "fifo.ts",
        "  push(item: Item): void {\n    this.#items.push(item);",
        "  push(...items: Item[]): void {\n    this.#items.push(...items);",
      ],
    ],
  },
  {
    bug: "S-09",
    what: "a lane is queued for every event that is resolved, not for its head",
    edits: [
      ["lanes.ts", "    if (queue.headAt !== at || queue.headPage !== page) return false;\n", ""],
    ],
  },
  {
    bug: "S-10",
    what: "the queue of ready lanes loses one when it is trimmed",
    edits: [
      ["fifo.ts", "this.#items.splice(0, this.#head);", "this.#items.splice(0, this.#head + 1);"],
    ],
  },
  {
    bug: "S-11",
    what: "the newest page is scanned first for deadlines",
    edits: [
      [
        "ledger.ts",
        "for (const page of this.#pages.values()) {\n",
        "for (const page of [...this.#pages.values()].reverse()) {\n",
      ],
    ],
  },
  {
    bug: "S-12",
    what: "a scan passes over the event at which the one before it stopped",
    edits: [
      [
        "ledger.ts",
        "      return page.firstId + page.firstUnresolved;\n",
        "      page.firstUnresolved += 1;\n      return page.firstId + page.firstUnresolved - 1;\n",
      ],
    ],
  },
  {
    bug: "S-13",
    what: "an entry of the index outlives its number",
    edits: [["seq-index.ts", "    page.waiters[at] = FREE;\n", ""]],
  },
  {
    bug: "S-14",
    what: "a page of sequence numbers is let go of with an entry",
    edits: [
      [
        "seq-index.ts",
        "if (page.settled === SEQS_PER_PAGE)",
        "if (page.settled === SEQS_PER_PAGE - 1)",
      ],
    ],
  },
  {
    bug: "S-15",
    what: "the last number of a page is sought on the next",
    edits: [
      ["seq-index.ts", "seq < recent.first + SEQS_PER_PAGE", "seq <= recent.first + SEQS_PER_PAGE"],
    ],
  },
  {
    bug: "S-16",
    what: "the first event of a page is taken for nobody's",
    edits: [
      [
        "ledger.ts",
        "      if (waiter === NOBODY) continue;\n",
        "      if (waiter === NOBODY || (waiter & MASK) === 0) continue;\n",
      ],
    ],
  },
  {
    bug: "S-17",
    what: "an event with several numbers waits for one of them only",
    edits: [
      [
        "ledger.ts",
        "    page.pending[at] = (page.pending[at] as number) + 1;\n",
        "    if (!account.hasBound) page.pending[at] = (page.pending[at] as number) + 1;\n",
      ],
    ],
  },
  {
    bug: "S-18",
    what: "an outcome is given out again although somebody failed",
    edits: [["ledger.ts", "known.failed !== failed || ", ""]],
  },
  {
    bug: "S-19",
    what: "a ring of numbers that is trimmed loses one that is waited for",
    edits: [
      [
        "bound-seqs.ts",
        "    this.#head = (this.#head + settled) & this.#mask;\n",
        "    if (settled < this.#count) settled += 1;\n    this.#head = (this.#head + settled) & this.#mask;\n",
      ],
    ],
  },
  {
    bug: "S-20",
    what: "who joins amid a page pulls from where it begins",
    edits: [["account.ts", "    this.nextId = id;\n", "    this.nextId = page.firstId;\n"]],
  },
  {
    bug: "S-21",
    what: "a list of members is taken for the one before it, if it is as long",
    edits: [["ledger.ts", "members !== this.#members", "members.length !== this.#members.length"]],
  },
  {
    bug: "S-22",
    what: "a reject drops what was bound to earlier events, too",
    edits: [["ledger.ts", "      if (seq < account.firstSeqInWindow) break;\n", ""]],
  },
  {
    bug: "S-23",
    what: "a ring of numbers that grows loses what was in it",
    edits: [["bound-seqs.ts", "kept.push(this.at(nth));", "kept.push(0);"]],
  },
  {
    bug: "S-24",
    what: "a ring of numbers is written from its beginning, wherever its head is",
    edits: [
      [
        "bound-seqs.ts",
        "this.#ring[(this.#head + this.#count) & this.#mask] = seq;",
        "this.#ring[this.#count & this.#mask] = seq;",
      ],
    ],
  },
  {
    bug: "S-25",
    what: "an event that waits for several numbers fails several times",
    edits: [["ledger.ts", "waiter !== counted && ", ""]],
  },
  {
    bug: "S-26",
    what: "the oldest number that is waited for is taken for settled",
    edits: [["bound-seqs.ts", "if (this.at(middle) < seq)", "if (this.at(middle) <= seq)"]],
  },
  {
    bug: "S-27",
    what: "a lane that comes again hangs behind its old tail",
    edits: [["lanes.ts", "    queue.tailPage = undefined;\n", ""]],
  },
  {
    bug: "S-28",
    what: "a sweep of empty lanes takes live ones, too",
    edits: [["lanes.ts", "if (headPage === undefined) this", "if (headPage !== null) this"]],
  },
  {
    bug: "S-29",
    what: "two pages of events get one place in the index",
    edits: [["seq-index.ts", "this.#freePlaces.pop() ??", "this.#freePlaces.at(-1) ??"]],
  },
  {
    bug: "S-30",
    what: "the number that comes after a full page of numbers is written behind its end",
    edits: [
      [
        "seq-index.ts",
        "if (this.#drawn === SEQS_PER_PAGE) this",
        "if (this.#drawn > SEQS_PER_PAGE) this",
      ],
    ],
  },
];
