import type { Mutant } from "./mutant.ts";

const GRACE = ["hostile-client-with-grace"];

/** Life cycle, snapshot, windows, gate and reject: B-01 to B-61. */
export const RESOLUTION_BUGS: readonly Mutant[] = [
  {
    bug: "B-01",
    what: "a failed group is evicted some turns later",
    edits: [
      [
        "group.ts",
        "if (wasLive) this.#owner.evict();",
        "if (wasLive) void this.#clock.setTimer(50, () => this.#owner.evict());",
      ],
    ],
  },
  {
    bug: "B-02",
    what: "the last unsubscribe awaits the stop before it evicts",
    edits: [
      [
        "manager.ts",
        "    this.#groups.delete(text);\n    await group.stop();",
        "    await group.stop();\n    this.#groups.delete(text);",
      ],
    ],
  },
  {
    bug: "B-05",
    what: "the failure reaches the first subscriber only",
    edits: [
      [
        "group.ts",
        "for (const subscription of [...this.subscriptions]) subscription.fail(error);",
        "for (const subscription of [...this.subscriptions].slice(0, 1)) subscription.fail(error);",
      ],
    ],
  },
  {
    bug: "B-07",
    what: "a stop is broadcast as a failure",
    edits: [
      [
        "group.ts",
        '      this.#state = "stopped";\n',
        '      this.#state = "stopped";\n      for (const one of this.subscriptions) one.fail(new Error("cancelled"));\n',
      ],
    ],
  },
  {
    bug: "B-08",
    what: "a source that returns is taken for a success",
    edits: [
      [
        "group.ts",
        "if (result.done === true) throw new PollTerminated(this.#text);",
        "if (result.done === true) return;",
      ],
    ],
  },
  {
    bug: "B-13",
    what: "a producer for each subscriber",
    edits: [
      [
        "manager.ts",
        "    const subscription = group.subscribe(triggerId);\n",
        "    if (known !== undefined) known.start();\n    const subscription = group.subscribe(triggerId);\n",
      ],
      ["group.ts", '    invariant(!this.#isStarted, "The group was already started");\n', ""],
    ],
  },
  {
    bug: "B-15",
    what: "the factory runs before the grace",
    scenarios: GRACE,
    edits: [
      [
        "group.ts",
        "    await this.#waitForCohort();\n    if (!this.isLive) return;\n    const { createSharedStreamProducer, openSharedStream } = this.#source;\n",
        "    const { createSharedStreamProducer, openSharedStream } = this.#source;\n    const early = createSharedStreamProducer?.();\n    await this.#waitForCohort();\n    if (!this.isLive) return;\n",
      ],
      ["group.ts", "const producer = createSharedStreamProducer();", "const producer = early!;"],
    ],
  },
  {
    bug: "B-18",
    what: "a stop does not wait for the poll to close",
    edits: [["group.ts", "return this.#ending ?? Promise.resolve();", "return Promise.resolve();"]],
  },
  {
    bug: "B-20",
    what: "who joins later must resolve what is outstanding, too",
    edits: [
      [
        "group.ts",
        "    this.subscriptions.add(subscription);\n",
        "    this.subscriptions.add(subscription);\n    this.#ledger?.adopt(subscription.account);\n",
      ],
      [
        "ledger.ts",
        "  /** The next ready lane's batch,",
        "  adopt(account: Account): void {\n    const page = this.#newest;\n    let from = page.size;\n    while (from > 0 && page.pending[from - 1] !== 0) from -= 1;\n    if (from === page.size) return;\n    account.join(page, page.firstId + from);\n    this.#accounts.add(account);\n    for (let at = from; at < page.size; at += 1) {\n      page.members[at]! += 1;\n      page.pending[at]! += 1;\n    }\n  }\n\n  /** The next ready lane's batch,",
      ],
    ],
  },
  {
    bug: "B-21",
    what: "the outcome is computed from the size of the snapshot",
    edits: [["ledger.ts", "const rejected = page.rejected?.[at] ?? 0;", "const rejected = 0;"]],
  },
  {
    bug: "B-24",
    what: "a fan-out ends at the first full queue",
    edits: [
      [
        "group.ts",
        "    for (const member of pulling) if (!member.deliver(raw)) this.#overflow(member);\n",
        "    for (const member of pulling) {\n      if (member.deliver(raw)) continue;\n      this.#overflow(member);\n      break;\n    }\n",
      ],
    ],
  },
  {
    bug: "B-26",
    what: "a full queue drops silently",
    edits: [
      [
        "group.ts",
        "if (!member.deliver(raw)) this.#overflow(member);",
        "if (!member.deliver(raw)) member.account.nextId += 1;",
      ],
    ],
  },
  {
    bug: "B-29",
    what: "the event in hand counts towards the bound",
    edits: [
      [
        "subscription.ts",
        "this.#queued() <= this.#queueMax",
        "this.#queued() + (this.account.isOpen ? 1 : 0) <= this.#queueMax",
      ],
    ],
  },
  {
    bug: "B-30",
    what: "an event that nobody was there for is advanced from the poll",
    edits: [
      [
        "group.ts",
        "    this.#takeSnapshot();\n    ledger.fanOut(",
        "    this.#takeSnapshot();\n    if (this.#accounts.length === 0) {\n      const outcome = new AdvanceOutcome(0, 0, 0);\n      void this.#producer?.advance([{ brokerPayload, outcome }]).catch(() => undefined);\n      return;\n    }\n    ledger.fanOut(",
      ],
      [
        "group.ts",
        'import { Pump } from "./pump.ts";',
        'import { AdvanceOutcome } from "./outcome.ts";\nimport { Pump } from "./pump.ts";',
      ],
    ],
  },
  {
    bug: "B-31",
    what: "an event that nobody was there for is never resolved",
    edits: [
      [
        "ledger.ts",
        "    if (members.length === 0) this.#noteResolved(page, at);\n",
        "    if (members.length === 0) page.unresolved -= 1;\n",
      ],
    ],
  },
  {
    bug: "B-32",
    what: "an event that nobody was there for is called clean",
    edits: [["outcome.ts", "return this.acked > 0 && this.failed", "return this.failed"]],
  },
  {
    bug: "B-34",
    what: "a window closes when the next event arrives, not when it is asked for",
    edits: [
      [
        "subscription.ts",
        "  next(): Promise<IteratorResult<Raw>> {\n    this.#closeWindow();\n",
        "  next(): Promise<IteratorResult<Raw>> {\n",
      ],
    ],
  },
  {
    bug: "B-35",
    what: "an event is resolved when it is pulled",
    edits: [
      [
        "subscription.ts",
        "    const raw = this.#ledger.pull(this.account) as Raw;\n",
        "    const raw = this.#ledger.pull(this.account) as Raw;\n    this.#ledger.close(this.account);\n",
      ],
    ],
  },
  {
    bug: "B-36",
    what: "there is no persist gate",
    edits: [
      [
        "group.ts",
        "    return this.isLive ? ledger.bind(account) : this.#bindLate(ledger, account);\n",
        "    if (!this.isLive) return this.#bindLate(ledger, account);\n    const seq = ledger.bind(account);\n    this.#owner.seqs.confirm([seq]);\n    return seq;\n",
      ],
    ],
  },
  {
    bug: "B-38",
    what: "a confirmation resolves although the window is open",
    edits: [
      [
        "ledger.ts",
        "    page.pending[at] = (page.pending[at] as number) + 1;\n",
        "    if (account.hasBound) page.pending[at] = (page.pending[at] as number) + 1;\n",
      ],
      [
        "ledger.ts",
        "    if (account.close()) this",
        "    const isGated = account.hasBound;\n    if (account.close() && !isGated) this",
      ],
    ],
  },
  {
    bug: "B-39",
    what: "sequence number 0 is taken for none",
    edits: [
      ["seq-index.ts", 'typeof seq === "number" ? this', 'seq && typeof seq === "number" ? this'],
    ],
  },
  {
    bug: "B-40",
    what: "a sequence number is drawn even when nothing is bound",
    edits: [
      [
        "group.ts",
        "if (ledger === undefined || !account.canBind) return null;",
        "if (ledger === undefined || !account.canBind) {\n      this.#owner.seqs.skip();\n      return null;\n    }",
      ],
      [
        "seq-index.ts",
        "  /** The next sequence number, from 0",
        "  skip(): void {\n    if (this.#drawn === SEQS_PER_PAGE) this.#openPage();\n    this.#waiters[this.#drawn] = FREE;\n    this.#drawn += 1;\n    this.#pages.get(this.#first)!.settled += 1;\n  }\n\n  /** The next sequence number, from 0",
      ],
    ],
  },
  {
    bug: "B-42",
    what: "the first group uses up a one-shot iterable of confirmations",
    edits: [
      [
        "manager.ts",
        "    this.#seqs.confirm(seqs);\n",
        "    for (const group of this.#groups.values()) {\n      for (const seq of seqs) {\n        if (this.#seqs.gateOf(seq) === group.books) this.#seqs.confirm([seq]);\n      }\n    }\n",
      ],
      [
        "seq-index.ts",
        "  /** The page of the event that waited",
        "  gateOf(seq: number): unknown {\n    const page = this.#pageOf(seq);\n    const waiter = page?.waiters[seq - page.first] ?? FREE;\n    return waiter === FREE ? undefined : this.pageAt(waiter).gate;\n  }\n\n  /** The page of the event that waited",
      ],
      [
        "group.ts",
        "  get isLive(): boolean {",
        "  get books(): unknown {\n    return this.#ledger;\n  }\n\n  get isLive(): boolean {",
      ],
    ],
  },
  {
    bug: "B-43",
    what: "one subscriber's confirmation opens the gate of all",
    edits: [
      [
        "seq-index.ts",
        "      page.gate.settle(page, waiter & MASK);\n",
        "      page.gate.settle(page, waiter & MASK);\n      for (const { waiters } of this.#pages.values()) {\n        for (let at = 0; at < SEQS_PER_PAGE; at += 1) {\n          if (waiters[at] !== waiter) continue;\n          waiters[at] = FREE;\n          page.gate.settle(page, waiter & MASK);\n        }\n      }\n",
      ],
    ],
  },
  {
    bug: "B-44",
    what: "a late confirmation counts for who had failed",
    edits: [
      [
        "ledger.ts",
        "      const waiter = index.take(seqs.at(nth));\n",
        "      const waiter = index.peek(seqs.at(nth));\n",
      ],
      [
        "seq-index.ts",
        "      page.gate.settle(page, waiter & MASK);\n",
        "      page?.gate.settle(page, waiter & MASK);\n",
      ],
      [
        "seq-index.ts",
        "  isWaitedFor(",
        "  peek(seq: number): number {\n    const page = this.#pageOf(seq);\n    return page?.waiters[seq - page.first] ?? FREE;\n  }\n\n  isWaitedFor(",
      ],
    ],
  },
  {
    bug: "B-46",
    what: "leaving opens the gate",
    edits: [
      [
        "ledger.ts",
        "    if (!account.hasFailed) this.#failAhead(account);\n",
        "    for (let nth = 0; nth < account.seqs.count; nth += 1) {\n      const waiter = this.#seqs.take(account.seqs.at(nth));\n      if (waiter !== NOBODY) this.settle(this.#seqs.pageAt(waiter), waiter & MASK);\n    }\n    if (!account.hasFailed) this.#failAhead(account);\n",
      ],
    ],
  },
  {
    bug: "B-47",
    what: "leaving drops an event without counting it",
    edits: [
      [
        "ledger.ts",
        "    if (!account.hasFailed) this.#failAhead(account);\n",
        "    let { page } = account;\n    for (let id = account.firstAhead; page !== undefined && id < this.#nextId; id += 1) {\n      if (id - page.firstId === PAGE_SIZE) page = page.next as EventPage;\n      page.members[id - page.firstId]! -= 1;\n      this.settle(page, id - page.firstId);\n    }\n",
      ],
    ],
  },
  {
    bug: "B-48",
    what: "leaving without having pulled counts as acked",
    edits: [
      [
        "ledger.ts",
        "    if (!account.hasFailed) this.#failAhead(account);\n",
        "    let { page } = account;\n    for (let id = account.firstAhead; page !== undefined && id < this.#nextId; id += 1) {\n      if (id - page.firstId === PAGE_SIZE) page = page.next as EventPage;\n      this.settle(page, id - page.firstId);\n    }\n",
      ],
    ],
  },
  {
    bug: "B-49",
    what: "leaving marks all events with the fate of the open one",
    edits: [
      [
        "ledger.ts",
        "    this.close(account);\n    if (!account.hasFailed) this.#failAhead(account);\n",
        "    const sat = account.isOpen;\n    this.close(account);\n    let { page } = account;\n    for (let id = account.firstAhead; sat && page !== undefined && id < this.#nextId; id += 1) {\n      if (id - page.firstId === PAGE_SIZE) page = page.next as EventPage;\n      this.settle(page, id - page.firstId);\n    }\n    if (!sat && !account.hasFailed) this.#failAhead(account);\n",
      ],
    ],
  },
  {
    bug: "B-51",
    what: "bind takes the newest event instead of the open one",
    edits: [
      [
        "ledger.ts",
        "    const page = account.page as EventPage;\n    const at = account.openAt;\n    page.pending",
        "    const page = this.#newest;\n    const at = page.size - 1;\n    page.pending",
      ],
    ],
  },
  {
    bug: "B-52",
    what: "bind goes on after the window is closed",
    edits: [
      [
        "group.ts",
        "if (ledger === undefined || !account.canBind) return null;",
        "if (ledger === undefined) return null;\n    if (!account.canBind) return account.isOpen ? null : ledger.bindLast(account);",
      ],
      [
        "ledger.ts",
        "  /** The next ready lane's batch,",
        "  bindLast(account: Account): number | null {\n    const { page } = account;\n    const at = account.openAt;\n    if (page === undefined || (page.pending[at] as number) === 0) return null;\n    page.pending[at]! += 1;\n    const seq = this.#seqs.draw(page, at);\n    account.seqs.push(seq, this.#seqs);\n    return seq;\n  }\n\n  /** The next ready lane's batch,",
      ],
    ],
  },
  {
    bug: "B-53",
    what: "a reject waits for the window to close",
    edits: [
      [
        "ledger.ts",
        '  reject(account: Account): void {\n    this.#settleOpen(account, "rejected");',
        "  readonly #refused = new Set<Account>();\n\n  reject(account: Account): void {\n    this.#refused.add(account);",
      ],
      [
        "ledger.ts",
        "    const at = account.openAt;\n    if (account.close())",
        '    if (this.#refused.delete(account)) this.#settleOpen(account, "rejected");\n    const at = account.openAt;\n    if (account.close())',
      ],
    ],
  },
  {
    bug: "B-54",
    what: "a reject counts as failed",
    edits: [
      [
        "ledger.ts",
        'this.#settleOpen(account, "rejected");',
        'this.#settleOpen(account, "failed");',
      ],
    ],
  },
  {
    bug: "B-55",
    what: "a reject waits for confirmations",
    edits: [
      [
        "ledger.ts",
        "  reject(account: Account): void {\n",
        "  reject(account: Account): void {\n    if (account.hasBound) return;\n",
      ],
    ],
  },
  {
    bug: "B-56",
    what: "a second reject counts again",
    edits: [
      [
        "group.ts",
        "if (ledger === undefined || !account.canBind) return;",
        "if (ledger === undefined) return;",
      ],
      [
        "ledger.ts",
        "    if (!account.canBind) return;\n",
        "    if (!account.canBind && account.isOpen && account.page !== undefined) {\n      account.page.members[account.openAt]! += 1;\n      account.page.countRejected(account.openAt);\n    }\n    if (!account.canBind) return;\n",
      ],
    ],
  },
  {
    bug: "B-58",
    what: "bind still draws a number after a reject",
    edits: [
      [
        "group.ts",
        "if (ledger === undefined || !account.canBind) return null;",
        "if (ledger === undefined || !account.isOpen) return null;\n    if (!account.canBind) return this.#owner.seqs.skip();",
      ],
      [
        "seq-index.ts",
        "  /** The next sequence number, from 0",
        "  skip(): number {\n    if (this.#drawn === SEQS_PER_PAGE) this.#openPage();\n    this.#waiters[this.#drawn] = FREE;\n    this.#drawn += 1;\n    this.#pages.get(this.#first)!.settled += 1;\n    return this.#first + this.#drawn - 1;\n  }\n\n  /** The next sequence number, from 0",
      ],
    ],
  },
  {
    bug: "B-60",
    what: "the reject window is one for all subscribers",
    edits: [
      [
        "subscription.ts",
        "  reject(): void {\n    this.#rejectIfOpen(ANY_WINDOW);",
        "  reject(): void {\n    if (lastOpen !== undefined) this.#owner.rejectWindow(lastOpen, this.triggerId);",
      ],
      [
        "subscription.ts",
        "    const raw = this.#ledger.pull(this.account) as Raw;\n",
        "    lastOpen = this.account;\n    const raw = this.#ledger.pull(this.account) as Raw;\n",
      ],
      [
        "subscription.ts",
        "function endOf<Raw>",
        "let lastOpen: Account | undefined;\n\nfunction endOf<Raw>",
      ],
    ],
  },
  {
    bug: "B-61",
    what: "a reject outside a window throws",
    edits: [
      [
        "group.ts",
        "  warnOutsideWindow(triggerId: number): void {\n",
        "  warnOutsideWindow(triggerId: number): void {\n    throw new Error(`No window for ${triggerId}`);\n",
      ],
    ],
  },
];
