import type { Mutant } from "./mutant.ts";

/**
 * Bugs of the structures that make the books fast: cursors, pages, chains, queues and the index of
 * sequence numbers. Most of them strike where a page ends, which needs many events.
 */
export const STRUCTURE_BUGS: readonly Mutant[] = [
  {
    bug: "S-01",
    what: "a cursor leaves its page one event early",
    edits: [
      ["ledger.ts", "if (share.cursor === PAGE_SIZE) {", "if (share.cursor === PAGE_SIZE - 1) {"],
    ],
  },
  {
    bug: "S-02",
    what: "a cursor on a new page begins one event late",
    edits: [
      ["event-page.ts", "    this.cursor = from;\n", "    this.cursor = from === 0 ? 1 : from;\n"],
    ],
  },
  {
    bug: "S-03",
    what: "who leaves owes what is broadcast later to its page",
    edits: [
      ["ledger.ts", "      share.cursor = PAGE_SIZE;\n", "      share.cursor = share.page.size;\n"],
    ],
  },
  {
    bug: "S-04",
    what: "who fails owes again the event that it sits on and has settled",
    edits: [["ledger.ts", "isCursorResolved ? cursor + 1 : cursor", "cursor"]],
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
    edits: [["ledger.ts", "last.size === PAGE_SIZE ?", "last.size === PAGE_SIZE - 1 ?"]],
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
        "        page.firstUnresolved = at;\n",
        "        page.firstUnresolved = at + 1;\n",
      ],
    ],
  },
  {
    bug: "S-13",
    what: "a page of sequence numbers is used again with its old entries",
    edits: [["seq-index.ts", "    page.shares[at] = undefined;\n", ""]],
  },
  {
    bug: "S-14",
    what: "a page of sequence numbers is let go of with an entry",
    edits: [["seq-index.ts", "if (page.waiting > 0) return;", "if (page.waiting > 1) return;"]],
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
    edits: [["ledger.ts", "if (at !== NOBODY) this.drop", "if (at > 0) this.drop"]],
  },
  {
    bug: "S-17",
    what: "an event with several numbers waits for one of them only",
    edits: [
      [
        "ledger.ts",
        "    pending[at] = (pending[at] as number) + 1;\n",
        "    if (share.boundToOpen().length === 0) pending[at] = (pending[at] as number) + 1;\n",
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
    what: "a share is closed while an event of it waits",
    edits: [
      [
        "ledger.ts",
        "    if (share.cursor === PAGE_SIZE && share.waiting === 0) share.finish();\n",
        "    if (share.cursor === PAGE_SIZE) share.finish();\n",
      ],
    ],
  },
  {
    bug: "S-20",
    what: "a subscriber that gets its second page skips the rest of the first",
    edits: [["event-page.ts", "    if (this.current !== undefined) return;\n", ""]],
  },
  {
    bug: "S-21",
    what: "a list of members is taken for the one before it, if it is as long",
    edits: [["ledger.ts", "members !== this.#members", "members.length !== this.#members.length"]],
  },
  {
    bug: "S-22",
    what: "a reject drops what was bound to earlier events, too",
    edits: [
      [
        "event-page.ts",
        "    return this.#bound.subarray(this.#boundBefore, this.#bounds);\n",
        "    return this.bound();\n",
      ],
    ],
  },
  {
    bug: "S-23",
    what: "a list of numbers that grows loses what was in it",
    edits: [["event-page.ts", "    more.set(this.#bound);\n", ""]],
  },
  {
    bug: "S-24",
    what: "a pass over all numbers drops everybody's",
    edits: [
      [
        "seq-index.ts",
        "if (share === undefined || !share.account.hasFailed) continue;",
        "if (share === undefined) continue;",
      ],
    ],
  },
  {
    bug: "S-25",
    what: "an event that waits for several numbers fails several times",
    edits: [["ledger.ts", "at !== share.cursor && at !== share.dropped", "at !== share.cursor"]],
  },
  {
    bug: "S-26",
    what: "a pass over all numbers leaves out the last of each page",
    edits: [
      [
        "seq-index.ts",
        "for (let at = 0; at < SEQS_PER_PAGE; at += 1) {\n        const share = shares[at];\n",
        "for (let at = 0; at < SEQS_PER_PAGE - 1; at += 1) {\n        const share = shares[at];\n",
      ],
      [
        "ledger.ts",
        "this.#seqs.dropFailed();",
        "{\n      this.#seqs.dropFailed();\n      for (const share of shares) share.waiting = 0;\n    }",
      ],
    ],
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
];
